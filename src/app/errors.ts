// How a front end hears of what was refused or can't be done.
export { ERROR_CODES, type ErrorCode } from '../domain/errors/error-codes.ts'
export { FixwrightError, RefusedError } from '../domain/errors/fixwright-error.ts'
