// `fixwright/client`, for programs with a connection to Temporal.
// `import { createSessionClient } from 'fixwright/client'`
export { ERROR_CODES, type ErrorCode } from '../domain/errors/error-codes.ts'
export { FixwrightError, RefusedError } from '../domain/errors/fixwright-error.ts'
export { MESSAGE_NAMES, type MessageInput, type MessageName } from '../domain/people/message-schemas.ts'
export type { Order, ReviewOrder, VotesOrder } from '../domain/session/parse-order.ts'
export type { JoinedSummary, SessionInput, SessionSummary, SessionView } from '../domain/workflow-types/index.ts'
export {
  ORDER_QUEUE,
  SEARCH_ATTRIBUTES,
  SESSION_MEMO,
  SESSION_QUERY,
  SESSION_WORKFLOW,
  SESSION_WORKFLOWS,
} from '../domain/workflow-types/temporal-names.ts'
export {
  createSessionClient,
  type OrderOptions,
  type SessionClient,
  type SessionClientOptions,
  type SessionHandle,
} from './session-client.ts'
export type { MessageResult } from './session-messages.ts'
