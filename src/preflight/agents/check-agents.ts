// Checks before anything is paid for whether agents and checks can be called: installed, new enough, signed in, with room on the disk.
// The environment is that of the process that will start them.
import { statfsSync } from 'node:fs'
import { basename } from 'node:path'
import { detectCliVersionQuickly, explainTooOld, installHint, type Vendor } from '../../agents/cli-version.ts'
import type { ErrorCode } from '../../domain/errors/error-codes.ts'
import { isChallenged, type Settings } from '../../domain/settings/schema.ts'
import type { HomePaths } from '../../runtime/home/home.ts'
import { type AgentHost, listMissingPrograms } from './check-commands.ts'
import { detectSignIn } from './detect-sign-in.ts'

export type AgentProblems = Partial<Record<ErrorCode, readonly string[]>>

/** A clone, its checkouts and the records of a small session. */
const LEAST_DISK_BYTES = 32 * 2 ** 20

export interface AgentNeeds {
  readonly gemini: boolean
  /** Whether setup and verification run. */
  readonly checks: boolean
}

export async function listAgentProblems(
  settings: Settings,
  host: AgentHost,
  home: HomePaths,
  needs: AgentNeeds = { gemini: isChallenged(settings), checks: true },
): Promise<AgentProblems> {
  const { claude, gemini } = settings
  const [found, programs] = await Promise.all([
    Promise.all([
      checkAgent('claude', claude.command, host),
      ...(needs.gemini ? [checkAgent('gemini', gemini.command, host)] : []),
    ]),
    needs.checks ? listMissingPrograms(settings, host) : [],
  ])
  const collect = (code: ErrorCode) => found.flatMap((each) => (each?.code === code ? [each.problem] : []))
  return {
    command_missing: collect('command_missing'),
    command_too_old: collect('command_too_old'),
    not_signed_in: collect('not_signed_in'),
    disk_full: listDiskProblems(home),
    check_cannot_start: programs,
  }
}

async function checkAgent(
  vendor: Vendor,
  command: string,
  { env, isInstance }: AgentHost,
): Promise<{ readonly code: ErrorCode; readonly problem: string } | undefined> {
  const { path, version } = await detectCliVersionQuickly(vendor, command, env)
  if (path === undefined) return { code: 'command_missing', problem: installHint(command, vendor) }
  const tooOld = version === undefined ? undefined : explainTooOld(vendor, version)
  if (tooOld !== undefined) return { code: 'command_too_old', problem: tooOld }
  // A wrapper under another name may bring a key of its own.
  if (basename(command) !== vendor || detectSignIn(vendor, env).kind !== 'none') return undefined
  const key = vendor === 'claude' ? 'ANTHROPIC_API_KEY' : 'GEMINI_API_KEY'
  const where = isInstance
    ? `in the environment of the running instance: end what holds it ("fixwright up", running commands), and start again with ${key} set`
    : `here: run "${command}" once and sign in, or set ${key}`
  return { code: 'not_signed_in', problem: `${vendor} has no key and no sign-in ${where}` }
}

function listDiskProblems({ path }: HomePaths): string[] {
  const { bavail, bsize } = statfsSync(path)
  if (bavail * bsize >= LEAST_DISK_BYTES) return []
  return [`the disk of ${path} has less than ${LEAST_DISK_BYTES / 2 ** 20} MiB left: make room, or set FIXWRIGHT_HOME`]
}
