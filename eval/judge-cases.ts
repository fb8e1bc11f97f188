// Runs the hidden tests of cases, and says of each what came of it: what the session claims, and whether that is true.
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FixSessionResult, IssueFixResult } from '../src/domain/session/session.ts'
import type { EvalCase } from './cases.ts'
import { LANGUAGES } from './languages.ts'
import { writeFiles } from './stage-cases.ts'

/** `right` and `wrong` were resolved, as the session says; where nothing is to be fixed, it is right to leave it alone with a reason. */
export type Verdict = 'right' | 'wrong' | 'unresolved' | 'not played'

export interface Judged {
  readonly each: EvalCase
  readonly verdict: Verdict
  /** What speaks against it, for people. */
  readonly note: string
}

const HIDDEN_TEST_MS = 120_000

/** `result`: absent if the session could not be played. */
export async function judgeCases(
  cases: readonly EvalCase[],
  repository: string,
  result: FixSessionResult | undefined,
): Promise<Judged[]> {
  if (!result) return cases.map((each) => ({ each, verdict: 'not played', note: 'the session ended without a result' }))
  const checkout = mkdtempSync(join(tmpdir(), 'fixwright-eval-'))
  try {
    checkOut(repository, result.branch_name ?? 'HEAD', checkout)
    const judged: Judged[] = []
    for (const each of cases) {
      const failure = await runHiddenTests(each, join(checkout, each.name))
      const outcome = result.results.find(({ issue_code }) => issue_code === each.code)
      judged.push({ each, ...decideVerdict(each, outcome, failure) })
    }
    return judged
  } finally {
    rmSync(checkout, { recursive: true, force: true })
  }
}

export function decideVerdict(
  { kind }: Pick<EvalCase, 'kind'>,
  outcome: Pick<IssueFixResult, 'status' | 'false_positive' | 'error'> | undefined,
  failure: string | undefined,
): Pick<Judged, 'verdict' | 'note'> {
  if (!outcome) return { verdict: 'not played', note: 'the session says nothing of it' }
  const note = failure ?? ''
  if (kind === 'false_positive') {
    if (outcome.status === 'completed') return { verdict: 'wrong', note: note || 'right code was changed' }
    return outcome.false_positive ? { verdict: 'right', note } : { verdict: 'unresolved', note: outcome.error ?? '' }
  }
  if (outcome.false_positive) return { verdict: 'wrong', note: 'a bug was called a false positive' }
  if (outcome.status !== 'completed') return { verdict: 'unresolved', note: outcome.error ?? '' }
  return { verdict: failure === undefined ? 'right' : 'wrong', note }
}

/** The cases whose hidden tests say nothing: they pass on a bug, or fail where there is none. */
export async function findUnsoundCases(cases: readonly EvalCase[]): Promise<string[]> {
  const unsound: string[] = []
  for (const each of cases) {
    const folder = mkdtempSync(join(tmpdir(), 'fixwright-eval-'))
    try {
      writeFiles(folder, { ...LANGUAGES[each.language].files, ...each.files })
      const failure = await runHiddenTests(each, folder)
      if ((failure === undefined) !== (each.kind === 'false_positive')) {
        unsound.push(
          `${each.language}/${each.name}: its hidden tests ${failure === undefined ? 'pass before' : `fail: ${failure}`}`,
        )
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return unsound
}

/** In a copy, so that nothing of one run is there in another. Undefined if they pass, else the end of what they print. */
async function runHiddenTests({ language, hidden }: EvalCase, folder: string): Promise<string | undefined> {
  const copy = mkdtempSync(join(tmpdir(), 'fixwright-hidden-'))
  try {
    cpSync(folder, copy, { recursive: true })
    writeFiles(copy, hidden)
    return await new Promise((resolve) => {
      const options = {
        cwd: copy,
        timeout: HIDDEN_TEST_MS,
        env: { ...process.env, GOFLAGS: '-count=1', GOTOOLCHAIN: 'local' },
      }
      execFile('/bin/sh', ['-c', LANGUAGES[language].run], options, (error, stdout, stderr) => {
        resolve(error ? lastLine(`${stdout}\n${stderr}`) || error.message : undefined)
      })
    })
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
  }
}

function checkOut(repository: string, revision: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', revision], { cwd: repository, maxBuffer: 1 << 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
}

function lastLine(text: string): string {
  return (
    text
      .trim()
      .split('\n')
      .findLast((line) => /error|assert|fail|panic|expected/i.test(line))
      ?.trim() ??
    text.trim().split('\n').at(-1) ??
    ''
  )
}
