// Whether sessions of this home can be read, and whether something works on them. Starts nothing.
import { findLiveInstance } from '../../runtime/instance/instance-file.ts'
import type { AppContext } from '../context.ts'

export interface Readiness {
  readonly ready: boolean
  readonly store: boolean
  readonly instance: boolean
}

export async function checkReadiness({ store, home }: Pick<AppContext, 'store' | 'home'>): Promise<Readiness> {
  const isReadable = await store.sessions.list({ limit: 1 }).then(
    () => true,
    () => false,
  )
  const instance = findLiveInstance(home) !== undefined
  return { ready: isReadable && instance, store: isReadable, instance }
}
