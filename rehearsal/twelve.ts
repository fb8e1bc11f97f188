// Twelve findings over ten files in two languages, and as many as are asked for: made, not written, for the end-to-end test, the bench
// and the tests of long histories. Every fix is one small edit that the diff proves; per twelve issues two files hold two issues each.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commitFolder } from './repository.ts'
import type { ScenarioInput } from './scenario.ts'

export interface Made {
  readonly repository: string
  readonly findings: { readonly issues: readonly MadeFinding[] }
  readonly scenario: ScenarioInput & { issues: Record<string, IssueScriptInput> }
}

export interface MadeFinding {
  readonly issue_code: string
  readonly title: string
  readonly description: string
  readonly file: string
  readonly line: string
  readonly severity: string
  readonly suggested_fix: string
  readonly estimated_effort: number
  readonly estimated_files_count: number
}

type IssueScriptInput = NonNullable<ScenarioInput['issues']>[string]

interface Bug {
  readonly name: string
  readonly title: string
  readonly severity: string
  readonly wrong: string
  readonly right: string
}

const PYTHON: readonly Bug[] = [
  {
    name: 'last_page',
    title: 'Last page is dropped',
    severity: 'high',
    wrong: 'count // size',
    right: '-(-count // size)',
  },
  {
    name: 'is_adult',
    title: 'Age limit excludes the birthday',
    severity: 'medium',
    wrong: 'count > size',
    right: 'count >= size',
  },
  {
    name: 'share',
    title: 'Division by zero for an empty group',
    severity: 'critical',
    wrong: 'count / size',
    right: 'count / size if size else 0',
  },
]
const JAVASCRIPT: readonly Bug[] = [
  {
    name: 'remaining',
    title: 'Remaining time can be negative',
    severity: 'low',
    wrong: 'size - count',
    right: 'Math.max(0, size - count)',
  },
  {
    name: 'isEmpty',
    title: 'Zero and empty text are mixed up',
    severity: 'medium',
    wrong: 'count == size',
    right: 'count === size',
  },
  {
    name: 'cents',
    title: 'Cents are cut off, not rounded',
    severity: 'high',
    wrong: 'Math.floor(count * size)',
    right: 'Math.round(count * size)',
  },
]
/** Of each twelve issues, these go into the file of the issue before. */
const SECOND_IN_FILE = new Set([3, 9])

/** Makes a repository with `count` issues (each in a file of its own if they are `apart`) in a folder that is empty or not there, with the findings and the scenario for it. */
export function makeTwelve(folder: string, count = 12, { apart = false }: { readonly apart?: boolean } = {}): Made {
  const files = new Map<string, string>()
  const findings: MadeFinding[] = []
  const issues: Record<string, IssueScriptInput> = {}
  let file = ''
  for (let n = 0; n < count; n++) {
    const python = n % 12 < 6
    const bug = (python ? PYTHON : JAVASCRIPT)[n % 3] as Bug
    if (apart || !SECOND_IN_FILE.has(n % 12)) file = python ? `ledger/part_${number(n)}.py` : `web/part-${number(n)}.js`
    const code = `T-${number(n + 1)}`
    const [name, lead] = [`${bug.name}${python ? '_' : ''}${number(n)}`, python ? 'return ' : '  return ']
    const before = files.get(file) ?? ''
    const source = python
      ? `${before && '\n\n'}def ${name}(count, size):\n    ${lead}${bug.wrong}  # ${code}\n`
      : `${before && '\n'}export function ${name}(count, size) {\n${lead}${bug.wrong} // ${code}\n}\n`
    files.set(file, before + source)
    const mark = python ? `  # ${code}` : ` // ${code}`
    findings.push({
      issue_code: code,
      title: `${bug.title} in ${name}`,
      description: `${name} computes ${bug.wrong}.`,
      file,
      line: String((before + source).split('\n').findIndex((line) => line.endsWith(code)) + 1),
      severity: bug.severity,
      suggested_fix: `Use ${bug.right}.`,
      estimated_effort: 1 + (n % 3),
      estimated_files_count: 1,
    })
    issues[code] = scriptFor(file, `${bug.wrong}${mark}`, `${bug.right}${mark}`, name)
  }
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  commitFolder(folder, 'Start the ledger')
  return { repository: folder, findings: { issues: findings }, scenario: { issues } }
}

function scriptFor(file: string, old: string, fixed: string, name: string): IssueScriptInput {
  return {
    fixes: [{ steps: [{ tool: 'edit', file, old, new: fixed }], summary: `Corrected what ${name} computes.` }],
    proof: [{ file, adds: RegExp.escape(fixed), removes: RegExp.escape(old) }],
  }
}

function number(n: number): string {
  return String(n).padStart(3, '0')
}
