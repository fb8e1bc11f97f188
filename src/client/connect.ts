// A client on a Temporal server: what every door (terminal, script, server) needs before it can do anything with a session.
import { Client, Connection, type ConnectionOptions } from '@temporalio/client'

export interface ConnectedClient {
  readonly client: Client
  close(): void
}

export async function connectClient(
  options: ConnectionOptions & { readonly namespace: string },
): Promise<ConnectedClient> {
  const { namespace, ...reach } = options
  const connection = await Connection.connect(reach)
  return {
    client: new Client({ connection, namespace }),
    // It may be closed already, or never have been opened to the end; neither is news to who leaves.
    close: () => void connection.close().catch(() => undefined),
  }
}
