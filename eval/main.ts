// `npm run eval`: plays the cases in sessions with the real CLIs and a real Temporal, and judges what is committed by tests that no agent
// sees. The model is a script, so the numbers say that the plumbing works; `--live` measures prompts and models with your accounts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { rehearsalEnvironment } from '../rehearsal/environment.ts'
import { startModel } from '../rehearsal/model.ts'
import { type EvalCase, loadCases } from './cases.ts'
import { findUnsoundCases } from './judge-cases.ts'
import { isInstalled, LANGUAGE_NAMES } from './languages.ts'
import { type PlannedSession, type PlayedSession, playSessions } from './play-sessions.ts'
import { composeScenario, listFindings } from './stage-cases.ts'
import { renderTable } from './table.ts'

const USAGE = `npm run eval [-- options]
  --cases NAMES     languages, kinds or single cases (go/loops), with commas; all by default
  --live            with your own accounts: says what it will spend, and asks
  --models NAMES    with --live: the fixer's models, one after the other, with commas
  --set PATH=VALUE  a setting of the sessions; repeatable
  --profile NAME    their profile
  --yes             with --live: don't ask
  --json FILE       writes what came of each case`
const MAX_ISSUES_PER_CALL = 5

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '' },
    live: { type: 'boolean', default: false },
    models: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    profile: { type: 'string' },
    yes: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
process.exitCode = await evaluate()

async function evaluate(): Promise<number> {
  if (values.help) return refuse(USAGE, 0)
  if (values.models !== undefined && !values.live)
    return refuse('--models says nothing without --live: the script has no models')
  const named = loadCases(splitNames(values.cases))
  const missing = LANGUAGE_NAMES.filter((name) => named.some(({ language }) => language === name) && !isInstalled(name))
  if (missing.length > 0) say(`skipped, as their toolchain is not installed: ${missing.join(', ')}`)
  const cases = named.filter(({ language }) => !missing.includes(language))
  if (cases.length === 0) return refuse('no case is left to play')
  const planned = planSessions(cases, splitNames(values.models ?? ''))
  if (values.live) {
    say(describeSpending(planned))
    if (!(await isAgreed())) return refuse('nothing was spent; --yes goes on without this question')
  }
  const folder = values.live ? makeLiveFolder() : mkdtempSync(join(tmpdir(), 'fixwright-eval-'))
  try {
    // Each of the two alone keeps one of two cores busy.
    const [unsound, played] = await Promise.all([findUnsoundCases(cases), play(folder, cases, planned)])
    for (const problem of unsound) say(`unsound: ${problem}`)
    process.stdout.write(`${renderTable(played)}\n`)
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(toRecords(played), null, 2)}\n`)
    return unsound.length === 0 && played.every(isAsExpected) ? 0 : 1
  } finally {
    if (values.live) say(`everything is kept: FIXWRIGHT_HOME=${join(folder, 'home')} bin/fixwright list`)
    else rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

async function play(
  folder: string,
  cases: readonly EvalCase[],
  planned: readonly PlannedSession[],
): Promise<PlayedSession[]> {
  const model = values.live ? undefined : await startModel({ scenario: composeScenario(cases) })
  const agents = model ? rehearsalEnvironment({ url: model.url, home: join(folder, 'agents') }) : process.env
  const profile = values.profile === undefined ? [] : ['--profile', values.profile]
  const options = [...values.set.flatMap((each) => ['--set', each]), ...profile]
  const interrupted = new AbortController()
  // The sessions' own commands get it as well, and cancel their sessions.
  process.once('SIGINT', () => interrupted.abort())
  try {
    const environment = { ...agents, ...ownVariables(folder) }
    return await playSessions({ folder, environment, options, say, signal: interrupted.signal }, planned)
  } finally {
    await model?.close()
  }
}

/** A session for each language, and for each model. */
function planSessions(cases: readonly EvalCase[], models: readonly string[]): PlannedSession[] {
  const byLanguage = [...Map.groupBy(cases, ({ language }) => language)]
  return (models.length > 0 ? models : [undefined]).flatMap((model) =>
    byLanguage.map(([language, own]) => ({
      name: model === undefined ? language : `${language} · ${model}`,
      cases: own,
      model,
    })),
  )
}

function describeSpending(planned: readonly PlannedSession[]): string {
  const batches = planned.map(({ cases }) => Math.ceil(listFindings(cases).length / MAX_ISSUES_PER_CALL))
  const calls = 2 * batches.reduce((sum, count) => sum + count, 0)
  return `${planned.length} sessions with your own accounts: at least ${calls} calls (half of the fixer, half of the challenger), about ${2 * calls} where all goes round once more. What agents write is run on this machine.`
}

async function isAgreed(): Promise<boolean> {
  if (values.yes) return true
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('go on? [y/N] ')
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

/** A script says what comes of its answers; of live ones nothing is expected, except that they were played. */
function isAsExpected({ judged }: PlayedSession): boolean {
  return judged.every(({ each, verdict }) => (values.live ? verdict !== 'not played' : verdict === each.plays))
}

function toRecords(played: readonly PlayedSession[]): unknown {
  return played.map(({ name, model, seconds, result, judged }) => ({
    name,
    model: model ?? null,
    seconds,
    cost_usd: result?.cost_usd ?? null,
    session_id: result?.session_id ?? null,
    cases: judged.map(({ each, verdict, note }) => ({
      case: `${each.language}/${each.name}`,
      kind: each.kind,
      verdict,
      note,
    })),
  }))
}

function ownVariables(folder: string): NodeJS.ProcessEnv {
  const { FIXWRIGHT_CACHE, FIXWRIGHT_TEMPORAL_CLI, FIXWRIGHT_TEMPORAL_ADDRESS, HOME, XDG_CACHE_HOME } = process.env
  return {
    FIXWRIGHT_HOME: join(folder, 'home'),
    FIXWRIGHT_CACHE: FIXWRIGHT_CACHE ?? join(XDG_CACHE_HOME ?? join(HOME ?? folder, '.cache'), 'fixwright'),
    FIXWRIGHT_TEMPORAL_PORT: '0',
    FIXWRIGHT_TEMPORAL_UI_PORT: '0',
    ...(FIXWRIGHT_TEMPORAL_CLI ? { FIXWRIGHT_TEMPORAL_CLI } : {}),
    ...(FIXWRIGHT_TEMPORAL_ADDRESS ? { FIXWRIGHT_TEMPORAL_ADDRESS } : {}),
  }
}

/** Sessions that were paid for are worth a look afterwards. */
function makeLiveFolder(): string {
  const folder = join(import.meta.dirname, '..', '.cache', 'eval', new Date().toISOString().replaceAll(/[:.]/g, '-'))
  mkdirSync(folder, { recursive: true })
  return folder
}

function splitNames(list: string): string[] {
  return list.split(',').flatMap((name) => name.trim() || [])
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

function refuse(text: string, status = 2): number {
  say(text)
  return status
}
