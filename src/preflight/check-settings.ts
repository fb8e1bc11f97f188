// Checks whether a session can go by its settings, on this machine and with these findings.
import { modelAccessProblem } from '../agents/provider/model-access.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import { findStrictBatchesProblem } from '../domain/plan/strict-batches.ts'
import { isChallenged, isStrict, type Settings } from '../domain/settings/schema.ts'
import { findVendorProblem } from '../domain/settings/vendor-independence.ts'
import { requiredSandboxProblem } from '../platform/sandbox/enter-sandbox.ts'
import type { Environment } from '../runtime/home/home.ts'

/** At least one gate, a check or the challenger, must stand behind every commit. */
export function listGateProblems(settings: Settings): string[] {
  const problems: string[] = []
  if (!isChallenged(settings) && settings.verification.commands.length === 0) {
    problems.push(
      `the challenger is off (profile ${settings.profile}) and no verification command is set: give --verify, or switch the challenger on, so that something checks the fixes`,
    )
  }
  const sameVendor = findVendorProblem(settings)
  if (sameVendor) problems.push(sameVendor)
  return problems
}

/** Checks this machine; the worker checks its own again. */
export async function listSandboxProblems(settings: Settings, env: Environment): Promise<string[]> {
  const problem = (await requiredSandboxProblem(settings.sandbox)) ?? (await modelAccessProblem(settings, env))
  return problem === undefined ? [] : [problem]
}

/** Notes at the start: otherwise the person learns of it only when the fixes are made and paid for. */
export function listSettingsNotes(settings: Settings, issues: readonly Finding[]): string[] {
  return [...listSetupNotes(settings), ...listStrictNotes(settings, issues)]
}

function listSetupNotes({ sandbox, verification }: Settings): string[] {
  const { setup, commands, fresh_checkout } = verification
  const isOffline = sandbox.mode === 'require' && !sandbox.commands_network
  if (!isOffline || !fresh_checkout || setup.length === 0 || commands.length === 0) return []
  return [
    'sandbox.mode is require, so the setup in the fresh checkout before a commit has no network: one that has to fetch something fails there, unless a copy of it can be shared (verification.share_setup), and then nothing is committed; set sandbox.commands_network, or verification.fresh_checkout to false',
  ]
}

/** Only a run of the checks on the base shows whether one fails there. */
function listStrictNotes(settings: Settings, issues: readonly Finding[]): string[] {
  if (isStrict(settings) && settings.verification.commands.length === 0) {
    return ['verification is strict, and no command is set: only the challenger looks at the fixes; give --verify']
  }
  const why = findStrictBatchesProblem(settings, issues)
  return why === undefined ? [] : [`if a check fails on the base already, ${why}`]
}
