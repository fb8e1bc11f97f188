// Every refusal and failure as problem details (RFC 9457), with the stable codes that commands and scripts have, too.
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { FixwrightError } from '../app/errors.ts'
import { ERROR_CODES, type ErrorCode } from '../domain/errors/error-codes.ts'
import { RefusedError } from '../domain/errors/fixwright-error.ts'
import type { ApiEnv } from './env.ts'
import { findPointer } from './find-pointer.ts'

export interface FieldProblem {
  /** A JSON pointer into the body, or the name of a parameter as `/query/limit`. */
  readonly pointer: string
  readonly detail: string
}

export interface ProblemOptions {
  readonly errors?: readonly FieldProblem[]
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the problem, as the current state that a stale change met. */
  readonly members?: Readonly<Record<string, unknown>>
}

export class ApiProblem extends Error {
  readonly status: ContentfulStatusCode
  readonly code: ErrorCode
  readonly options: ProblemOptions
  constructor(status: ContentfulStatusCode, code: ErrorCode, detail: string, options: ProblemOptions = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.options = options
  }
}

/** Codes that are not here are 422 if the asker can mend them, and 500 if not. */
const STATUSES: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  bad_input: 400,
  session_not_found: 404,
  issue_not_found: 404,
  token_not_found: 404,
  artifact_not_found: 404,
  webhook_not_found: 404,
  repository_not_found: 404,
  import_not_found: 404,
  import_not_undoable: 409,
  repository_in_use: 409,
  session_ended: 409,
  message_refused: 409,
  nothing_open: 409,
  // The state of the repository, and not what was asked, is in the way.
  repository_unusable: 409,
  repository_not_trusted: 409,
  repository_needs: 409,
  repository_read_only: 409,
  branch_unusable: 409,
  uncommitted_changes: 409,
  path_not_allowed: 403,
  remote_not_allowed: 403,
  self_approval: 403,
  already_decided: 409,
  status_not_allowed: 409,
  session_in_the_way: 409,
  still_running: 409,
  no_result: 409,
  interrupted: 409,
  instance_unavailable: 503,
  temporal_unreachable: 503,
  command_missing: 503,
  artifacts_unreachable: 503,
  command_too_old: 503,
  not_signed_in: 503,
  repository_unreachable: 503,
  disk_full: 503,
  store_unusable: 503,
}

/** `body` is that of the request, if it was as it must be. */
export function toProblem(error: unknown, explain: (error: unknown) => FixwrightError, body?: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  if (error instanceof HTTPException) return fromFramework(error)
  const explained = explain(error)
  const { code } = explained
  const status = STATUSES[code] ?? (ERROR_CODES[code].exit === 2 ? 422 : 500)
  if (code === 'unexpected')
    return new ApiProblem(500, code, 'something failed that Fixwright did not expect; its log has the request id')
  const problems = explained instanceof RefusedError ? explained.problems : []
  const errors = problems.map((detail) => ({ pointer: findPointer(code, detail, body), detail }))
  return new ApiProblem(status, code, explained.message, errors.length > 0 ? { errors } : {})
}

/** A failure as anybody may hear of it. */
export function withoutExplanation(problem: ApiProblem): ApiProblem {
  const { status, code } = problem
  return status < 500 ? problem : new ApiProblem(status, code, 'the log of the service says why, by the request id')
}

function fromFramework({ status, message }: HTTPException): ApiProblem {
  return status === 413
    ? new ApiProblem(413, 'body_too_large', message || 'the body is too large')
    : new ApiProblem(status < 500 ? 400 : 500, status < 500 ? 'bad_input' : 'unexpected', message)
}

export const PROBLEM_TYPE = 'application/problem+json'

export interface ProblemFields {
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly request_id: string
}

export function formatProblem({ status, code, detail, request_id }: ProblemFields, more: object = {}): string {
  const title = ERROR_CODES[code].meaning
  return JSON.stringify({ type: `/docs/problems#${code}`, title, status, detail, code, request_id, ...more })
}

export function sendProblem(c: Context<ApiEnv>, problem: ApiProblem): Response {
  const { status, code, message: detail, options } = problem
  const more = { ...(options.errors ? { errors: options.errors } : {}), ...options.members }
  const body = formatProblem({ status, code, detail, request_id: c.get('requestId') }, more)
  return c.body(body, status, { 'Content-Type': PROBLEM_TYPE, ...options.headers })
}
