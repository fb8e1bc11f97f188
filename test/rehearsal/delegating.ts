// A fixer that hands its issues on: the todo files it works from, and what its sub-agents did and were told.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promptOf, type RecordedCall } from '../../rehearsal/calls.ts'
import { readDataBlocks, writePrompt } from '../../rehearsal/prompt.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { type Stage, withSchema } from './support.ts'

const AGENTS = JSON.stringify({
  'fixer-single': {
    description: 'Fixes one issue.',
    prompt: 'You fix one issue.',
    tools: ['Read', 'Edit', 'Write', 'Grep', 'Glob', 'Bash'],
  },
})
export const delegating = [...withSchema, '--agents', AGENTS]
export const CODES = ['A-1', 'B-1', 'C-1', 'D-1']

export function scenario(more: ScenarioInput = {}): ScenarioInput {
  const issues = Object.fromEntries(
    CODES.map((code) => {
      const file = fileOf(code)
      const first = {
        steps: [{ tool: 'edit', file, old: 'wrong', new: 'better' } as const],
        summary: `Better ${code}.`,
      }
      const second = { steps: [{ tool: 'edit', file, old: 'better', new: 'right' } as const] }
      return [code, { fixes: [first, second] }]
    }),
  )
  return { issues, latencyMs: { fixer_single: 50 }, ...more }
}

function fileOf(code: string): string {
  return `${code[0]?.toLowerCase()}.txt`
}

type Steps = readonly { readonly mode: 'parallel' | 'serial'; readonly codes: readonly string[] }[]

/** The files that a plan is written to, and the prompt that names them. */
export function layTodo(
  { folder, work }: Stage,
  steps: Steps,
): { prompt: string; todo: { folder: string; master: string } } {
  const todo = { folder: join(folder, 'fix_session_s'), master: join(folder, 'fix_session_s', 'master_todo.json') }
  mkdirSync(todo.folder)
  const pathOf = (code: string) => join(todo.folder, `fix_todo_${code}.json`)
  const codes = steps.flatMap((step) => step.codes)
  for (const code of codes) {
    writeFileSync(join(work, fileOf(code)), 'wrong\n')
    const clarifications = [{ id: `${code}-q1`, question: 'How?', context: '', answer: `ANSWER-${code}` }]
    writeFileSync(pathOf(code), JSON.stringify({ issue: { code, file: fileOf(code) }, clarifications }))
  }
  const execution_steps = steps.map(({ mode, codes: own }, index) => ({
    step: index + 1,
    mode,
    issues: own.map((code) => ({ code, file: fileOf(code), todo: pathOf(code) })),
  }))
  writeFileSync(todo.master, JSON.stringify({ session_id: 's', execution_steps }, null, 2))
  const issues = codes.map((issue_code) => ({ issue_code, file: fileOf(issue_code), title: `TITLE-${issue_code}` }))
  return { prompt: writePrompt({ role: 'fixer', call: 's1.i1.b1.fix', codes }, { issues, todo }), todo }
}

interface Claims {
  readonly results: readonly { issue_code: string; status: string; changes_summary: string }[]
}

export function claims(run: { stdout: string }): Claims['results'] {
  return JSON.parse(run.stdout).structured_output.results
}

export function shown(stage: Stage): string[] {
  return CODES.map((code) => readFileSync(join(stage.work, fileOf(code)), 'utf8').trim())
}

export function told(requests: readonly RecordedCall[], code: string, iteration = 1): ReadonlyMap<string, string> {
  const request = requests.find((each) => each.agent && each.codes.includes(code) && each.iteration === iteration)
  return readDataBlocks((request && promptOf(request)) ?? '')
}
