// Exit statuses that are no errors: those of errors stand beside their codes, those of results with the results.

/** `doctor`: something is missing. */
export const NOT_READY = 3
/** `fix --no-wait`: it waits for a person. */
export const WAITS_FOR_PERSON = 4
/** Whoever waited left before the end. */
export const LEFT = 130
