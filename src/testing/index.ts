// What plugin authors and embedders test with.
export { createMemoryEnvironment } from "../environment/memory.ts";
export { createMemoryStorage } from "../tape/memory-store.ts";
export { clockAt, type TestClock } from "./clock-at.ts";
export { type CodeStep, codeOf, runCodeSteps } from "./code-steps.ts";
export { type Behaviour, type FaultServer, startFaultServer } from "./fault-server.ts";
export { type RecordedEvent, type Recorder, recordEvents } from "./recorder.ts";
export {
  calls,
  callTool,
  cutOff,
  fail,
  type ScriptedModel,
  type ScriptedStep,
  say,
  scriptedModel,
  stall,
} from "./scripted-model.ts";
export {
  type SendOptions,
  type TestRuntime,
  type TestRuntimeOptions,
  type TestTurn,
  testRuntime,
} from "./test-runtime.ts";
