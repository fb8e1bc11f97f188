// Prompts for who speaks before the first fix, about two issues.
import assert from 'node:assert/strict'
import { writePrompt } from '../../rehearsal/prompt.ts'
import type { CliRun } from './support.ts'

export const ISSUES = [
  { issue_code: 'A-1', file: 'a.txt', title: 'a is wrong' },
  { issue_code: 'B-1', file: 'b.txt', title: 'b is wrong' },
]
export const CODES = ['A-1', 'B-1']

export function ask(role: string, iteration: number, call = `${role}${iteration}`): string {
  return writePrompt({ role, call, iteration, codes: CODES }, { issues: ISSUES, steps: [['A-1'], ['B-1']] })
}

export function reply(run: CliRun): Record<string, unknown> {
  assert.equal(run.status, 0, run.stdout)
  return JSON.parse(JSON.parse(run.stdout).result)
}
