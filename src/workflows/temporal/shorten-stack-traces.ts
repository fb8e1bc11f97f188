// Temporal keeps a stack trace of each promise that is pending, and looks up each of its frames: for a workflow that waits, it was most of its
// memory. Two frames of its trace besides the hook's own two tell where it waits.
Error.stackTraceLimit = 4
