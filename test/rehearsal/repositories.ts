// What the model would do to a repository, done without a model: for tests of samples and their scenarios.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { challengerReply } from '../../rehearsal/challenger.ts'
import { findCall } from '../../rehearsal/conversation.ts'
import { writePrompt } from '../../rehearsal/prompt.ts'
import { atIteration, Scenario, type ScenarioInput } from '../../rehearsal/scenario.ts'

export function git(repository: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trim()
}

export function applyFixes(
  repository: string,
  scenario: ScenarioInput,
  codes: readonly string[],
  iteration: number,
): void {
  const { issues } = Scenario.parse(scenario)
  for (const step of codes.flatMap((code) => atIteration(issues[code]?.fixes, iteration)?.steps ?? [])) {
    if (step.tool === 'bash') continue
    const path = join(repository, step.file)
    const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (step.tool === 'edit' && !before.includes(step.old)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, step.tool === 'write' ? step.content : before.replace(step.old, () => step.new))
  }
}

/** The challenger's scores for what is changed in the repository now. */
export function scoresOf(
  repository: string,
  scenario: ScenarioInput,
  codes: readonly string[],
): Record<string, number> {
  const prompt = writePrompt({ role: 'fix_challenger', codes: [...codes] }, { diff: git(repository, 'diff', 'HEAD') })
  const call = findCall([{ by: 'user', text: prompt, uses: [], results: [] }])
  if (!call) throw new Error('The prompt has no call block.')
  const { issues } = challengerReply(Scenario.parse(scenario), call) as { issues: Record<string, { score: number }> }
  return Object.fromEntries(Object.entries(issues).map(([code, { score }]) => [code, score]))
}
