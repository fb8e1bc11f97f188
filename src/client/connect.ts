// A client on a Temporal server: what every door (terminal, script, server) needs before it can do anything with a session.
// A call that waits for its next try finds a closed connection in a timer of its own, where nobody can catch what it throws: so the
// connection is closed when no call waits any more, and from then on none is tried again.
import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client'

export interface ConnectedClient {
  readonly client: Client
  close(): void
}

export async function connectClient(
  options: ConnectionOptions & { readonly namespace: string },
): Promise<ConnectedClient> {
  const { namespace, ...reach } = options
  const { interceptor, whenNoneWaits } = createDrainingRetry()
  const connection = await Connection.connect({ ...reach, interceptors: [interceptor] })
  return {
    client: new Client({ connection, namespace }),
    // It may be closed already, or never have been opened to the end; neither is news to who leaves.
    close: () => whenNoneWaits(() => void connection.close().catch(() => undefined)),
  }
}

/** As Temporal's client does it by itself, until somebody wants to leave. */
function createDrainingRetry() {
  const usual = defaultGrpcRetryOptions()
  let waiting = 0
  let leave: (() => void) | undefined
  return {
    interceptor: makeGrpcRetryInterceptor({
      ...usual,
      // Asked at the end of each try, also of one that went well.
      retryableDecider(attempt, status) {
        if (attempt > 1) waiting -= 1
        const isTriedAgain = leave === undefined && usual.retryableDecider(attempt, status)
        if (isTriedAgain) waiting += 1
        else if (waiting === 0) leave?.()
        return isTriedAgain
      },
    }),
    whenNoneWaits(act: () => void): void {
      leave = act
      if (waiting === 0) act()
    },
  }
}
