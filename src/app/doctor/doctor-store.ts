// Opens the store of a home and reads all of it once, so that damage is found before a session is at work.
import { existsSync } from 'node:fs'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { openStore } from '../../store/open-store.ts'
import { explainError } from '../explain-error.ts'
import type { DoctorCheck } from './doctor-repository.ts'

export async function checkStore({ database }: Home, env: Environment): Promise<DoctorCheck> {
  const what = 'store'
  if (!existsSync(database)) return { state: 'ok', what, found: 'none yet; the first command makes it' }
  try {
    const store = await openStore(database)
    try {
      store.check()
    } finally {
      await store.close()
    }
    return { state: 'ok', what, found: database }
  } catch (error) {
    return { state: 'missing', what, found: explainError(error, env).message }
  }
}
