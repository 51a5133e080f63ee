import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../slugify.js";

test("letters become small", () => {
  assert.equal(slugify("Orchid"), "orchid");
});

test("every blank becomes a hyphen", () => {
  assert.equal(slugify("A Tale of Two Cities"), "a-tale-of-two-cities");
});
