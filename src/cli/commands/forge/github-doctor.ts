// `fixwright github doctor`: what the credential for GitHub is worth.
import { openHomeContext } from '../../../app/context.ts'
import { runGitHubDoctor } from '../../../app/forge/github-doctor.ts'
import { NOT_READY } from '../../exit-codes.ts'
import { print, printJson } from '../../terminal/console.ts'
import { formatCheck } from '../doctor.ts'

export interface GitHubDoctorOptions {
  readonly repo: string
  readonly json: boolean
  readonly flags: Readonly<Record<string, unknown>>
}

export async function runGitHubDoctorCommand({ repo, json, flags }: GitHubDoctorOptions): Promise<number> {
  const checks = await runGitHubDoctor(openHomeContext({ env: process.env, flags }), repo)
  const isReady = checks.every(({ state }) => state !== 'missing')
  if (json) printJson({ ready: isReady, checks })
  else print(checks.map(formatCheck).join('\n'))
  return isReady ? 0 : NOT_READY
}
