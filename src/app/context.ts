// The context of every use case: a home with its store, access to the home's instance, and who acts.
import { describeScriptHost, getLocalUser } from '../client/caller-identity.ts'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import { type Environment, type Home, openHome } from '../runtime/home/home.ts'
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
  readonly sender: { readonly by: string; readonly from: string }
  /** Receives news of slow work and trouble; a `step` concerns an instance that is being started. */
  readonly onProgress: OnProgress
  /** Releases everything. Running sessions go on in the background. */
  close(): Promise<void>
}

export type OnProgress = (text: string, kind: 'note' | 'step') => void

export interface AppOptions {
  readonly env: Environment
  readonly flags?: Readonly<Record<string, unknown>>
  readonly by?: string | undefined
  readonly from?: string | undefined
  readonly onProgress?: OnProgress | undefined
  /** Connects to a running instance at once, for callers that need one in any case. */
  readonly connectEarly?: boolean
  /** `up` keeps the instance until it is stopped. */
  readonly lease?: 'command' | 'up'
}

/** Starts nothing yet: an instance is joined or started when first needed. */
export async function openApp({ by, from, onProgress, ...options }: AppOptions): Promise<AppContext> {
  const { home, env, flags } = openHomeContext(options)
  const report = onProgress ?? (() => undefined)
  const onStep = (text: string) => report(text, 'step')
  const store = await openStore(home.database)
  const instance = createInstanceAccess({ ...options, home, onStep })
  return {
    home,
    env,
    flags,
    store,
    instance,
    sender: { by: by ?? getLocalUser(), from: from ?? describeScriptHost() },
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
