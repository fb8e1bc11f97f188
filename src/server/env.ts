// What the gate knows of a request when a handler gets it.
import type { HttpBindings } from '@hono/node-server'
import type { StartedCommand } from '../app/forge/receive-event.ts'
import type { Role } from '../domain/access/access-token.ts'
import type { TraceContext } from '../domain/session/trace-context.ts'

export interface Caller {
  readonly tokenId: string
  /** The name of the token. */
  readonly name: string
  readonly role: Role
}

export interface ApiEnv {
  readonly Bindings: HttpBindings
  readonly Variables: {
    requestId: string
    /** The request's own span is in it. */
    trace: TraceContext
    /** Where the request came from. */
    address: string
    /** Set for every route that is not public. */
    caller: Caller
    /** What a signed delivery has started: nobody has a token there. */
    command?: StartedCommand | undefined
  }
}
