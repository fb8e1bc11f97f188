// Temporal keeps a stack trace of each promise that is pending, and looks up each of its frames: for a workflow that waits, it was most of its
// memory. Two or three frames of a trace are left, as the hook's own count.
Error.stackTraceLimit = 4
