// Checks where sessions are kept: the store of the home, and the bucket of the artifacts.

import { existsSync } from 'node:fs'
import type { BucketDuties } from '../../artifacts/artifact-store.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { openStore } from '../../store/open-store.ts'
import { explainError } from '../explain-error.ts'
import { openHomeArtifacts } from '../open-artifacts.ts'
import type { DoctorCheck } from './doctor-repository.ts'

const SEND_WITHIN_MS = 10_000

/** Reads all of it once, so that damage is found before a session is at work. */
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

/** Writes, reads and removes a probe in the bucket of the artifacts. Nothing is said where they lie in the home. */
export async function checkBucket({ artifacts }: Settings, home: Home, env: Environment): Promise<DoctorCheck[]> {
  const { bucket: name, prefix } = artifacts.s3
  const { bucket } = openHomeArtifacts({ home, env })
  if (name === null || !bucket) return []
  const what = 'artifacts'
  try {
    await bucket.probe()
  } catch (error) {
    const advice =
      'correct artifacts.s3, or set FIXWRIGHT_S3_ACCESS_KEY_ID and FIXWRIGHT_S3_SECRET_ACCESS_KEY where the instance starts'
    return [{ state: 'missing', what, found: (error as Error).message, advice }]
  }
  const found = `s3://${name}/${prefix} can be written and read`
  const expiry = await describeExpiry(bucket)
  return [{ state: 'ok', what, found: `${found}; ${expiry.found}` }, ...expiry.notes, ...(await listUnsent(bucket))]
}

/** An artifact that is under way is sent within this time. */
const UNDER_WAY_MS = 2 * 60_000

/** The bucket was seen to work, so the trouble is with these artifacts. */
async function listUnsent(bucket: BucketDuties): Promise<DoctorCheck[]> {
  let late = 0
  for await (const { putAt } of bucket.listWaiting()) if (Date.now() - putAt > UNDER_WAY_MS) late += 1
  if (late === 0) return []
  const failure = await bucket.sendWaiting({ withinMs: SEND_WITHIN_MS }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  if (failure === undefined) return []
  const found = `${late} in the home could not be sent: ${failure}`
  const advice = 'put that right, or remove the file: the session that has it goes on without it'
  return [{ state: 'note', what: 'artifacts', found, advice }]
}

async function describeExpiry(bucket: BucketDuties): Promise<{ found: string; notes: DoctorCheck[] }> {
  const days = await bucket.readExpiry().catch((error: Error) => error)
  if (typeof days === 'number') return { found: `its rule deletes what was not renewed for ${days} days`, notes: [] }
  const found = days === undefined ? 'no rule of it deletes old artifacts yet' : `its rules: ${days.message}`
  const advice = 'the instance sets the rule at its start, if its keys may; else set one on the prefix'
  return {
    found: 'nothing is known of a rule that deletes',
    notes: [{ state: 'note', what: 'artifacts', found, advice }],
  }
}
