// Loaded before a program: writes the most memory that the process had, in bytes, when it ends.
const { readFileSync, writeFileSync } = require("node:fs");

process.on("exit", () => writeFileSync(process.env.BENCH_PEAK_FILE, String(peakBytes())));

/** Where Linux tells it for this program alone: getrusage counts also what the parent had before the start. */
function peakBytes() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
