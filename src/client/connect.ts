// Opens a client on a Temporal server, and closes it without an error that nobody can catch.
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
    // The connection may already be closed, or never have opened; the caller no longer cares.
    close: () => whenNoneWaits(() => void connection.close().catch(() => undefined)),
  }
}

/**
 * Retries as Temporal's client does, until `whenNoneWaits` is called: then nothing is tried again, and the connection
 * closes once no call waits. A waiting call would meet the closed connection inside a timer, where nobody can catch the
 * error.
 */
function createDrainingRetry() {
  const usual = defaultGrpcRetryOptions()
  let waiting = 0
  let leave: (() => void) | undefined
  return {
    interceptor: makeGrpcRetryInterceptor({
      ...usual,
      // The interceptor asks at the end of each try, including a successful one.
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
