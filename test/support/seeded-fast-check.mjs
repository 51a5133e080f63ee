// fast-check as the tests see it: the same cases every time, so that a run tells of the change and not of its luck.
// The long form (BUB_TEST_LONG=1) draws new ones.
import fc from "../../node_modules/fast-check/lib/fast-check.js";

if (process.env.BUB_TEST_LONG !== "1") fc.configureGlobal({ seed: 20_261_130 });

export * from "../../node_modules/fast-check/lib/fast-check.js";
export default fc;
