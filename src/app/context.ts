// The context of every use case: a home with its store, access to the home's instance, and who acts.
import { describeScriptHost, getLocalUser } from '../client/caller-identity.ts'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import { formatClaim } from '../domain/people/sender-seal.ts'
import { parseTraceparent, type TraceContext } from '../domain/session/trace-context.ts'
import { type Environment, type Home, openHome } from '../runtime/home/home.ts'
import { openSenderKey } from '../runtime/home/sender-key.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createInstanceAccess, type InstanceAccess } from './instance/instance-access.ts'

/** Enough to look at settings, trust and installed tools. */
export interface HomeContext {
  readonly home: Home
  readonly env: Environment
  /** Settings by path; they override those of the home and the environment. */
  readonly flags: Readonly<Record<string, unknown>>
}

export interface AppContext extends HomeContext {
  readonly store: Store
  readonly instance: InstanceAccess
  /** Who acts, and from where, for the record. */
  readonly sender: Sender
  /** Seals what is sent, if who acts was checked; otherwise the sender is recorded as a claim. */
  readonly sign?: ((text: string) => string) | undefined
  /** The caller's trace, which what is started becomes part of. */
  readonly trace?: TraceContext | undefined
  /** Receives news of slow work and trouble; a `step` concerns an instance that is being started. */
  readonly onProgress: OnProgress
  /** Releases everything. Running sessions go on in the background. */
  close(): Promise<void>
}

export interface Sender {
  readonly by: string
  readonly from: string
}

/** As it stands on record where no workflow takes the message. */
export function nameSender({ sender, sign }: Pick<AppContext, 'sender' | 'sign'>): Sender {
  return sign === undefined ? { by: formatClaim(sender.by), from: formatClaim(sender.from) } : sender
}

export type OnProgress = (text: string, kind: 'note' | 'step') => void

export interface AppOptions {
  readonly env: Environment
  readonly flags?: Readonly<Record<string, unknown>>
  readonly by?: string | undefined
  readonly from?: string | undefined
  /** Whether the caller knows that `by` and `from` are true. Without either they are the user and the host of this process. */
  readonly isSenderChecked?: boolean
  readonly onProgress?: OnProgress | undefined
  /** `up` keeps the instance until it is stopped. */
  readonly lease?: 'command' | 'up'
}

/** Starts nothing yet: an instance is joined or started when first needed. */
export async function openApp({ by, from, onProgress, ...options }: AppOptions): Promise<AppContext> {
  const { isSenderChecked = by === undefined && from === undefined } = options
  const { home, env, flags } = openHomeContext(options)
  const report = onProgress ?? (() => undefined)
  const onStep = (text: string) => report(text, 'step')
  const store = await openStore(home.database)
  const instance = createInstanceAccess({ ...options, home, store, onStep })
  return {
    home,
    env,
    flags,
    store,
    instance,
    sender: { by: by ?? getLocalUser(), from: from ?? describeScriptHost() },
    trace: parseTraceparent(env.TRACEPARENT),
    sign: isSenderChecked ? (text) => openSenderKey(home).sign(text) : undefined,
    onProgress: report,
    async close() {
      instance.close()
      await store.close()
    },
  }
}

export function openHomeContext({ env, flags = {} }: Pick<AppOptions, 'env' | 'flags'>): HomeContext {
  try {
    return { home: openHome(env), env, flags }
  } catch (error) {
    throw new FixwrightError('home_unusable', (error as Error).message)
  }
}
