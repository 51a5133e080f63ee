import { homedir, userInfo } from "node:os";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { homeOfUser } from "./user-home.ts";

vi.mock("node:os", async (load) => {
  const os = await load<typeof import("node:os")>();
  return { ...os, homedir: vi.fn(os.homedir), userInfo: vi.fn(os.userInfo) };
});

const says = (path: string) => vi.mocked(homedir).mockReturnValue(path);
const unknown = () => {
  throw new Error("uv_os_homedir returned ENOENT");
};

beforeEach(() => {
  says("/home/ada");
  vi.mocked(userInfo).mockReturnValue({ ...userInfo(), homedir: "/known/ada" });
});
afterEach(() => {
  vi.resetAllMocks();
});

test("the home that is given comes first, but an empty or relative one is none", () => {
  expect([{ HOME: "/given" }, {}, { HOME: "" }, { HOME: "given" }].map(homeOfUser)).toEqual([
    "/given",
    "/home/ada",
    "/home/ada",
    "/home/ada",
  ]);
});

test("where HOME is empty, the system's list of users tells, never the folder this runs in", () => {
  says("");
  expect(homeOfUser()).toBe("/known/ada");
});

test("a user on no list has the root, as in a container", () => {
  vi.mocked(homedir).mockImplementation(unknown);
  vi.mocked(userInfo).mockImplementation(unknown);
  expect(homeOfUser()).toBe("/");
});
