// One connection to the instance for all use cases of a home, made when first needed.
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { connectInstance, type InstanceConnection, startConnecting } from './connect-instance.ts'

export interface InstanceAccess {
  /** Joins or starts the instance; after a success every call returns the same connection. */
  connect(settings: Settings): Promise<InstanceConnection>
  /** Replaces a connection whose instance is gone. */
  reconnect(settings: Settings): Promise<InstanceConnection>
  /** The current connection, if something needed one. */
  current(): InstanceConnection | undefined
  close(): void
}

export interface InstanceAccessOptions {
  readonly home: Home
  readonly env: Environment
  readonly lease?: 'command' | 'up'
  readonly connectEarly?: boolean
  readonly onStep: (text: string) => void
}

export function createInstanceAccess(options: InstanceAccessOptions): InstanceAccess {
  const { home, env, lease = 'command', connectEarly, onStep } = options
  let early = connectEarly ? startConnecting(home) : undefined
  let connecting: Promise<InstanceConnection> | undefined
  let connected: InstanceConnection | undefined

  async function connect(settings: Settings): Promise<InstanceConnection> {
    connecting ??= connectInstance({ home, env, settings, kind: lease, early, onStep })
    early = undefined
    try {
      connected = await connecting
      return connected
    } catch (error) {
      connecting = undefined
      throw error
    }
  }

  function close(): void {
    early?.closeUnused()
    connected?.close()
    // Closing does not wait for a connection that is still being made.
    if (connected === undefined) connecting?.then((late) => late.close()).catch(() => undefined)
    connected = undefined
    connecting = undefined
  }

  return {
    connect,
    async reconnect(settings) {
      close()
      return await connect(settings)
    },
    current: () => connected,
    close,
  }
}
