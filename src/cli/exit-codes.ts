// Exit statuses besides those of errors (kept beside their codes) and those of results (kept with the results).

/** `doctor`: something is missing. */
export const NOT_READY = 3
/** `fix --no-wait`: the session waits for a person. */
export const WAITS_FOR_PERSON = 4
/** The person stopped watching before the end. */
export const LEFT = 130
