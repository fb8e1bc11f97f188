// Preloaded into every test file's process: one that is stuck, or whose tests left something open, ends with a reason instead of never.
// The timer keeps nothing alive. The gap: a file that spins without ever yielding is only ended with the whole run.
const minutes = Number(process.env.FIXWRIGHT_TEST_FILE_MINUTES)
if (process.env.NODE_TEST_CONTEXT !== undefined && minutes > 0) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(`${process.argv[1]} still runs after ${minutes} minutes. What keeps it open: ${open}\n`)
    process.exit(1)
  }, minutes * 60_000).unref()
}
