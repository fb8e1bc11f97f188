// The repository of some cases, each in a folder of its own, with their findings and what the scripted model does about them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commitFolder } from '../rehearsal/repository.ts'
import type { IssueScript, ScenarioInput } from '../rehearsal/scenario.ts'
import type { EvalCase } from './cases.ts'
import { LANGUAGES } from './languages.ts'

export interface StagedFinding {
  readonly issue_code: string
  readonly title: string
  readonly file: string
  readonly description: string
}

/** Makes the repository; `folder` is not there yet. */
export function makeRepository(folder: string, cases: readonly EvalCase[]): void {
  for (const { name, language, files } of cases)
    writeFiles(join(folder, name), { ...LANGUAGES[language].files, ...files })
  commitFolder(folder, 'The shop as it is')
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, content] of Object.entries(files)) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}

/** Trivial findings come first, as in a long review that begins with them. */
export function listFindings(cases: readonly EvalCase[]): StagedFinding[] {
  return cases.flatMap(({ name, code, finding, chaff }) => [
    ...chaff.map(({ old: _, new: __, ...trivial }, index) => ({
      ...trivial,
      issue_code: chaffCode(code, index),
      file: `${name}/${trivial.file}`,
    })),
    { ...finding, issue_code: code, file: `${name}/${finding.file}` },
  ])
}

export function composeScenario(cases: readonly EvalCase[]): ScenarioInput {
  const issues = cases.flatMap((each) => [
    [each.code, scriptAnswer(each)] as const,
    ...each.chaff.map(({ file, old, new: now }, index) => {
      const steps = [{ tool: 'edit' as const, file: `${each.name}/${file}`, old, new: now }]
      return [chaffCode(each.code, index), { fixes: [{ steps, summary: 'Say it right.' }] }] as const
    }),
  ])
  return { issues: Object.fromEntries(issues) }
}

function scriptAnswer({ name, finding, answer }: EvalCase): Partial<IssueScript> {
  const { attempts, denies, scores } = answer
  if (denies !== undefined) {
    return {
      fixes: [{ steps: [], status: 'false_positive', summary: denies }],
      verdicts: [{ false_positive_agreed: true, feedback: denies }],
    }
  }
  const fixes = attempts.map((edits) => ({
    steps: edits.map((edit) => ({ tool: 'edit' as const, ...edit, file: `${name}/${edit.file}` })),
    status: 'fixed',
    summary: `No more: ${finding.title.charAt(0).toLowerCase()}${finding.title.slice(1)}.`,
  }))
  return { fixes, ...(scores === undefined ? {} : { scores }) }
}

function chaffCode(code: string, index: number): string {
  return `${code}-${index + 1}`
}
