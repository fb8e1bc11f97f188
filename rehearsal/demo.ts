// `npm run demo`: the whole story on a sample shop, without an account. Real git, a real Temporal server, the real Claude and
// Gemini CLIs; only the model behind both is a script, and everything that shows says "rehearsal". Half way, the worker is
// killed with -9, because that is what this is about. `--live` does the same with your own accounts and kills nothing;
// `--brief` shows the turns of the story alone, as in the README's picture.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, styleText } from 'node:util'
import { FixSessionResult } from '../src/domain/session/session.ts'
import { rehearsalEnvironment } from './environment.ts'
import { startModel } from './model.ts'
import { makeSample, SAMPLE_CHECKS, SAMPLE_FINDINGS, SAMPLE_SCENARIO } from './sample.ts'
import { readScenario } from './scenario.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, '.cache', 'demo')
const FIXWRIGHT = join(ROOT, 'bin', 'fixwright')
/** Something is committed, and the fixer of the second batch is at work. */
const MOMENT = /Read shop\/coupons/

const COLOURS = process.stdout.isTTY || process.env.FORCE_COLOR !== undefined

const { values } = parseArgs({
  options: { live: { type: 'boolean', default: false }, brief: { type: 'boolean', default: false } },
})
/** Starts, verdicts against a fix, what is lost and made again, commits, and the end. */
const TURNS = /[▶↻✔!■]|not solved|instance of Fixwright is gone/
const status = await demo(values.live)
process.exitCode = status

async function demo(live: boolean): Promise<number> {
  const shop = join(FOLDER, live ? 'shop' : 'rehearsal-shop')
  const home = join(FOLDER, 'home')
  rmSync(FOLDER, { recursive: true, force: true, maxRetries: 5 })
  mkdirSync(FOLDER, { recursive: true })
  makeSample(shop)
  const name = live
    ? 'Live: your own accounts fix a sample shop'
    : 'A rehearsal: the tools are real, the model is a script'
  title(name)
  if (values.brief) process.stdout.write(`${styleText('bold', name)}\n`)
  if (!values.brief) tell(`the shop: ${shop}`)
  const before = runChecks(shop)

  const model = live ? undefined : await startModel({ scenario: readScenario(SAMPLE_SCENARIO) })
  const env = {
    ...(model ? rehearsalEnvironment({ url: model.url, home: join(FOLDER, 'agents') }) : process.env),
    ...ownVariables(home),
  }
  try {
    title('Findings become commits')
    const result = await runFix(shop, env, live ? undefined : join(home, 'instance.json'))
    if (!result) return 1
    title('What came of it')
    if (!values.brief) {
      git(shop, ['log', '--stat=76', '--format=%C(yellow)%h%Creset %s', `main..${result.branch_name}`])
      git(shop, ['diff', '--stat=76', `main..${result.branch_name}`])
      git(shop, ['diff', `main..${result.branch_name}`, '--', 'web'])
    }
    git(shop, ['switch', '-q', `${result.branch_name}`])
    const after = runChecks(shop)
    const failing = (runs: readonly boolean[]): number => runs.filter((passed) => !passed).length
    if (!values.brief)
      tell(`the shop's own test suites: ${failing(before)} of ${before.length} red before, ${failing(after)} red now`)
    showTheWay(result, shop, home, live)
    return result.status === 'completed' && failing(after) === 0 ? 0 : 1
  } finally {
    await model?.close()
  }
}

/** A Temporal server is looked for where a person would have it, also when the rest of the environment is made from scratch. */
function ownVariables(home: string): NodeJS.ProcessEnv {
  const { FIXWRIGHT_CACHE, FIXWRIGHT_TEMPORAL_CLI, HOME, XDG_CACHE_HOME } = process.env
  const cache = FIXWRIGHT_CACHE ?? join(XDG_CACHE_HOME ?? join(HOME ?? ROOT, '.cache'), 'fixwright')
  return {
    FIXWRIGHT_HOME: home,
    FIXWRIGHT_CACHE: cache,
    ...(FIXWRIGHT_TEMPORAL_CLI ? { FIXWRIGHT_TEMPORAL_CLI } : {}),
    ...(COLOURS ? { FORCE_COLOR: '1', NO_COLOR: undefined } : {}),
  }
}

async function runFix(
  shop: string,
  env: NodeJS.ProcessEnv,
  instanceFile: string | undefined,
): Promise<FixSessionResult | undefined> {
  const task = instanceFile === undefined ? 'demo' : 'rehearsal'
  const checks = SAMPLE_CHECKS.flatMap((command) => ['--verify', command])
  const args = ['fix', SAMPLE_FINDINGS, '--repo', shop, ...checks, '--task', task, '--json']
  tell(`$ fixwright fix findings.json --repo shop ${SAMPLE_CHECKS.map((command) => `--verify '${command}'`).join(' ')}`)
  const child = spawn(FIXWRIGHT, args, { env, stdio: ['inherit', 'pipe', 'pipe'] })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  let killed = instanceFile === undefined
  for await (const line of createInterface({ input: child.stderr })) {
    if (!values.brief || TURNS.test(line)) tell(line.replaceAll(`${FOLDER}/`, ''))
    if (/not solved/.test(line) && instanceFile !== undefined)
      tell('(rehearsal) your checks are green, and the fix is wrong: the challenger saw it. It goes round again.')
    if (killed || !MOMENT.test(line)) continue
    killed = true
    killWorker(instanceFile)
  }
  if ((await exitOf(child)) > 1) return undefined
  return FixSessionResult.parse(JSON.parse(stdout))
}

function killWorker(instanceFile: string | undefined): void {
  if (instanceFile === undefined) return
  const { identity } = JSON.parse(readFileSync(instanceFile, 'utf8')) as { identity: { pid: number } }
  process.kill(identity.pid, 'SIGKILL')
  tell(`(rehearsal) kill -9 ${identity.pid}: the worker is gone, in the middle of a fix. Watch what happens.`)
}

async function exitOf(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null) return child.exitCode
  return await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

function runChecks(shop: string): boolean[] {
  return SAMPLE_CHECKS.map((command) => {
    const { status, error } = spawnSync(command, { cwd: shop, shell: true, encoding: 'utf8' })
    const passed = status === 0 && error === undefined
    tell(`${passed ? styleText('green', '✔ green') : styleText('red', '✗ red  ')}  ${command}`)
    return passed
  })
}

function git(cwd: string, args: readonly string[]): void {
  const colour = COLOURS ? 'always' : 'never'
  spawnSync('git', ['-c', `color.ui=${colour}`, '--no-pager', ...args], {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

function showTheWay(result: FixSessionResult, shop: string, home: string, live: boolean): void {
  title('Where to go from here')
  const at = (path: string): string => path.replace(`${process.cwd()}/`, '')
  const report = join(FOLDER, 'report.html')
  const env = { ...process.env, FIXWRIGHT_HOME: home }
  const written = spawnSync(FIXWRIGHT, ['report', result.session_id, '--format', 'html', '--output', report], { env })
  if (written.status === 0) tell(`the report:   open ${at(report)}`)
  if (values.brief) return
  tell(`the branch:   git -C ${at(shop)} log main..${result.branch_name}`)
  tell(`the session:  FIXWRIGHT_HOME=${at(home)} bin/fixwright logs ${result.session_id}`)
  tell(`Temporal UI:  FIXWRIGHT_HOME=${at(home)} bin/fixwright up    then open the workflow of ${result.session_id}`)
  if (!live) tell('with your own accounts, on this sample:  npm run demo -- --live')
  tell('for real:     bin/fixwright fix findings.json --repo ../my-app')
}

function title(text: string): void {
  if (!values.brief) process.stdout.write(`\n${styleText('bold', text)}\n\n`)
}

function tell(text: string): void {
  process.stdout.write(`  ${text}\n`)
}
