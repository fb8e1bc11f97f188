// One connection to the instance for everything that somebody does with a home, made when it is first needed.
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { connectInstance, type InstanceConnection, startConnecting } from './connect-instance.ts'

export interface InstanceAccess {
  /** Joins the instance, or starts it; once that went well, it is always the same. */
  connect(settings: Settings): Promise<InstanceConnection>
  /** In place of one that is gone. */
  reconnect(settings: Settings): Promise<InstanceConnection>
  /** The one that serves now, where something needed one. */
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
    // Whoever leaves while it is being made does not wait for it.
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
