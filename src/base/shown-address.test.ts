import { expect, test } from "vitest";
import { shownAddress } from "./shown-address.ts";

test.each([
  ["https://lab.example/v1", "https://lab.example/v1"],
  ["http://me:secret@lab.example:8080/v1", "http://***@lab.example:8080/v1"],
  ["https://secret@lab.example", "https://***@lab.example"],
  ["https://me:a@b@lab.example/v1", "https://***@lab.example/v1"],
  ["https://lab.example/v1?key=secret&x=1#end", "https://lab.example/v1?***#end"],
  ["https://lab.example/@me/v1", "https://lab.example/@me/v1"],
  ["lab.example/v1", "lab.example/v1"],
])("R5.4 an address is shown without what opens it: %s", (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});
