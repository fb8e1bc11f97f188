// Two issues that the scripted model knows how to fix, and the prompt that asks for both.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrompt } from '../../rehearsal/prompt.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'

export const SCENARIO = {
  issues: {
    'A-1': {
      fixes: [{ steps: [{ tool: 'edit', file: 'src/a.py', old: 'return x\n\ndef g', new: 'return x + 1\n\ndef g' }] }],
      proof: [{ file: 'src/a.py', adds: String.raw`return x \+ 1` }],
    },
    'B-1': { fixes: [{ steps: [{ tool: 'write', file: 'src/b.js', content: 'export const b = "é"\n' }] }] },
  },
} satisfies ScenarioInput
export const ISSUES = [
  { issue_code: 'A-1', file: 'src/a.py', title: 'f forgets to add one' },
  { issue_code: 'B-1', file: 'src/b.js', title: 'b is missing' },
]
export const fixBoth = writePrompt({ role: 'fixer', call: 's1', codes: ['A-1', 'B-1'] }, { issues: ISSUES })

export function prepare(work: string): void {
  mkdirSync(join(work, 'src'))
  writeFileSync(join(work, 'src/a.py'), 'def f(x):\n    return x\n\ndef g(x):\n    return x\n')
}
