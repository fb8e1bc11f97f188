// Before the tests: the Temporal executable is fetched once, not by each file at the same time. After them: the server that
// they shared is ended, if any of them asked for one.
import { endSharedTemporal, temporalExecutable } from './temporal.ts'

export async function globalSetup(): Promise<void> {
  await temporalExecutable()
}

export async function globalTeardown(): Promise<void> {
  await endSharedTemporal()
}
