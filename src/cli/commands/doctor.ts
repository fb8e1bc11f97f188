// `fixwright doctor`: what is installed, what is missing, and how to get it.

import { runDoctor } from '../../app/doctor/doctor.ts'
import type { DoctorCheck } from '../../app/doctor/doctor-repository.ts'
import { NOT_READY } from '../exit-codes.ts'
import { paint, print, printJson } from '../terminal/console.ts'

export interface DoctorOptions {
  readonly repo?: string | undefined
  readonly json: boolean
  readonly flags: Readonly<Record<string, unknown>>
}

export async function runDoctorCommand({ repo, json, flags }: DoctorOptions): Promise<number> {
  const checks = await runDoctor(process.env, flags, repo)
  const isReady = checks.every(({ state }) => state !== 'missing')
  if (json) printJson({ ready: isReady, checks })
  else print([...checks.map(formatCheck), '', formatConclusion(checks, isReady)].join('\n'))
  return isReady ? 0 : NOT_READY
}

export function formatCheck({ state, what, found, advice }: DoctorCheck): string {
  const out = process.stdout
  const mark = { ok: paint('green', '✓', out), missing: paint('red', '✗', out), note: paint('dim', '–', out) }[state]
  const help = advice === undefined ? '' : `\n${' '.repeat(18)}${paint('yellow', advice, out)}`
  return `${mark} ${what.padEnd(14)}  ${found}${help}`
}

function formatConclusion(checks: readonly DoctorCheck[], isReady: boolean): string {
  if (isReady) return 'everything that is needed is here'
  const missing = [...new Set(checks.filter(({ state }) => state === 'missing').map(({ what }) => what))]
  return `missing: ${missing.join(', ')}`
}
