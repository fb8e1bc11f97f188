// The errors that front ends see.
export { ERROR_CODES } from '../domain/errors/error-codes.ts'
export { FixwrightError, RefusedError } from '../domain/errors/fixwright-error.ts'
