// The cases: one YAML file each, with the code, the finding, tests that no agent sees, and the answer that the scripted model gives.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { LANGUAGE_NAMES, type LanguageName } from './languages.ts'

const Files = z.record(z.string(), z.string())
const Edit = z.strictObject({ file: z.string(), old: z.string().min(1), new: z.string() })
const Finding = z.strictObject({
  title: z.string(),
  file: z.string(),
  line: z.string(),
  severity: z.enum(['critical', 'high', 'medium', 'low', 'info']),
  description: z.string(),
  suggested_fix: z.string().optional(),
})

const CaseFile = z.strictObject({
  /**
   * `bug`: plain. `false_positive`: there is nothing to fix. `wrong_suggestion`: what the finding suggests does not help. `injection`: a
   * comment tells agents what to do. `dilution`: trivial findings stand around the one that counts.
   */
  kind: z.enum(['bug', 'false_positive', 'wrong_suggestion', 'injection', 'dilution']),
  files: Files,
  finding: Finding,
  /** Trivial findings of the same session. They are not judged. */
  chaff: z.array(Finding.extend({ old: z.string().min(1), new: z.string() })).default([]),
  /** They fail on `files`, or pass where there is nothing to fix. */
  hidden: Files,
  answer: z.strictObject({
    /** The edits of each attempt. */
    attempts: z.array(z.array(Edit)).default([]),
    /** The reason why there is nothing to fix. */
    denies: z.string().optional(),
    /** The challenger's scores by attempt; by default it is content. */
    scores: z.array(z.number()).optional(),
  }),
  /** What comes of this answer. */
  plays: z.enum(['right', 'wrong', 'unresolved']).default('right'),
})

export interface EvalCase extends z.infer<typeof CaseFile> {
  readonly language: LanguageName
  /** Its folder in the repository, and part of its issue's code. */
  readonly name: string
  readonly code: string
}

export const CASE_FOLDER = join(import.meta.dirname, 'cases')

/** `names`: languages, cases (`go/loops`) or kinds; all by default. Throws on a name that is none, and on a file that is no case. */
export function loadCases(names: readonly string[] = []): EvalCase[] {
  const all = globSync('*/*.yaml', { cwd: CASE_FOLDER }).sort().map(loadCase)
  const unknown = names.filter((name) => !all.some((each) => isNamed(each, name)))
  if (unknown.length > 0) {
    const known = [
      ...LANGUAGE_NAMES,
      ...CaseFile.shape.kind.options,
      ...all.map(({ language, name }) => `${language}/${name}`),
    ]
    throw new Error(`there is no case ${unknown.join(', ')}: use some of ${known.join(', ')}`)
  }
  return names.length === 0 ? all : all.filter((each) => names.some((name) => isNamed(each, name)))
}

function isNamed({ language, name, kind }: EvalCase, wanted: string): boolean {
  return [language, kind, `${language}/${name}`].includes(wanted)
}

function loadCase(file: string): EvalCase {
  const parsed = CaseFile.safeParse(parse(readFileSync(join(CASE_FOLDER, file), 'utf8')))
  if (!parsed.success) throw new Error(`eval/cases/${file} is no case:\n${z.prettifyError(parsed.error)}`)
  const language = LANGUAGE_NAMES.find((name) => name === dirname(file))
  if (language === undefined)
    throw new Error(`eval/cases/${file}: how ${dirname(file)} is run stands in eval/languages.ts`)
  const name = basename(file, '.yaml')
  return { ...parsed.data, language, name, code: `${language}-${name}`.toUpperCase().replaceAll('_', '-') }
}
