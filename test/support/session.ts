// A stage for one end-to-end test: a person's repository, the scripted model, a home of Fixwright's and of the CLIs' own, and
// `bin/fixwright` as a real process in a clean environment. Sessions run on the test run's shared Temporal server unless a
// test asks for the embedded one. When the test is over the instance has to end by itself; one that does not fails the test.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import { rehearsalEnvironment } from '../../rehearsal/environment.ts'
import { type ScriptedModel, startModel } from '../../rehearsal/model.ts'
import { commitFolder } from '../../rehearsal/repository.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { type Made, makeTwelve } from '../../rehearsal/twelve.ts'
import type { SessionEvent } from '../../src/domain/session/events/index.ts'
import { FixSessionResult, type SessionRecord } from '../../src/domain/session/session.ts'
import { endProcess, isRunning, type ProcessIdentity } from '../../src/platform/processes/process-identity.ts'
import { type Home, openHome, resolveCachePath } from '../../src/runtime/home/home.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { stopServers } from '../../src/runtime/temporal-server/adopt-or-start-server.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { fingerprintRepository } from './fingerprint-repository.ts'
import { processesNaming } from './processes-naming.ts'
import { type SharedTemporal, sharedTemporal, temporalExecutable, temporaryFolder } from './temporal.ts'
import { until } from './until.ts'

export interface StageOptions {
  /** Makes the repository in a folder that is not there yet. */
  readonly repository: (folder: string) => void
  readonly scenario?: ScenarioInput
  /** `own`: the instance runs an embedded server, as for a person; by default the run's shared one is given with --temporal. */
  readonly server?: 'shared' | 'own'
  /** How often the CLIs ask again after an error. */
  readonly attempts?: number
  readonly environment?: Readonly<Record<string, string>>
}

export interface CommandRun {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** What `fix --json` printed. */
  readonly result?: FixSessionResult | undefined
}

export interface RunningCommand {
  readonly child: ChildProcess
  readonly ended: Promise<CommandRun>
  stdout(): string
  stderr(): string
  /** Waits until standard error matches. */
  says(pattern: RegExp): Promise<void>
}

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>

export interface E2eStage {
  readonly folder: string
  readonly repository: string
  readonly home: Home
  readonly environment: Readonly<Record<string, string>>
  readonly model: ScriptedModel
  /** None where the instance runs its own server. */
  readonly temporal: SharedTemporal | undefined
  /** Starts `fixwright fix` on findings (a file, or what is to be in one). */
  start(findings: unknown, args?: readonly string[]): RunningCommand
  /** The same, to its end. A status other than the expected one fails with all that was said. */
  fix(findings: unknown, options?: { args?: readonly string[]; status?: number }): Promise<CommandRun>
  /** Any other command. */
  command(...args: string[]): RunningCommand
  /** The same with more in its environment. */
  commandWith(environment: Readonly<Record<string, string>>, ...args: string[]): RunningCommand
  git(...args: string[]): string
  /** Writes files into the person's repository. */
  write(files: Readonly<Record<string, string>>): void
  read<T>(look: (store: Store) => Promise<T>): Promise<T>
  sessions(): Promise<SessionRecord[]>
  events(sessionId: string): Promise<SessionEvent[]>
  /** A client of the shared server, or of the running instance's own. */
  client(): Promise<Client>
  /** The histories of a session, run after run. */
  histories(sessionId: string): Promise<History[]>
  /** Everything of the person's repository that has to stay, as it was when the stage was set or last looked at. */
  before(): string
  /** Takes the repository as it is now for how it was: after the test itself changed it. */
  lookAgain(): Promise<void>
  /** Waits until the instance has ended, as it does when nobody needs it. */
  quiet(): Promise<void>
  /** All that its commands have printed so far. */
  said(): string
  /** Called when the test is over, also by a failure, and before its instance is waited for: it may hold that. */
  beforeEnd(close: () => Promise<void>): void
}

const BIN = join(packageRoot(), 'bin', 'fixwright')

export async function setStage(t: TestContext, options: StageOptions): Promise<E2eStage> {
  const { path, remove } = temporaryFolder('e2e')
  const folder = realpathSync(path)
  const repository = join(folder, 'repository')
  options.repository(repository)
  const model = await startModel({ scenario: options.scenario ?? {} })
  const temporal = options.server === 'own' ? undefined : await sharedTemporal()
  const environment: Record<string, string> = {
    ...rehearsalEnvironment({ url: model.url, home: join(folder, 'user'), attempts: options.attempts ?? 2 }),
    FIXWRIGHT_HOME: join(folder, 'home'),
    FIXWRIGHT_CACHE: resolveCachePath(process.env),
    FIXWRIGHT_TEMPORAL_PORT: '0',
    FIXWRIGHT_TEMPORAL_UI_PORT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    ...(temporal
      ? { FIXWRIGHT_TEMPORAL_ADDRESS: temporal.address }
      : { FIXWRIGHT_TEMPORAL_CLI: await temporalExecutable() }),
    ...options.environment,
  }
  const home = openHome(environment)
  let before = await fingerprintRepository(repository).catch((error: Error) => error.message)
  let files = 0
  const commands: RunningCommand[] = []
  const commandWith: E2eStage['commandWith'] = (more, ...args) => {
    const running = run({ ...environment, ...more }, folder, args)
    commands.push(running)
    return running
  }
  const command = (...args: string[]): RunningCommand => commandWith({}, ...args)
  let connected: Promise<Connection> | undefined
  const closings: (() => Promise<void>)[] = []

  const stage: E2eStage = {
    folder,
    repository,
    home,
    environment,
    model,
    temporal,
    start(findings, args = []) {
      files += 1
      const file = typeof findings === 'string' ? findings : join(folder, `findings-${files}.json`)
      if (typeof findings !== 'string') writeFileSync(file, JSON.stringify(findings))
      return command('fix', file, '--repo', repository, '--json', ...args)
    },
    async fix(findings, { args = [], status = 0 } = {}) {
      const ended = await stage.start(findings, args).ended
      const said = `${ended.stderr}\n${ended.result ? '' : ended.stdout}`
      assert.equal(ended.status, status, `fix ended with ${ended.status ?? ended.signal}, expected ${status}:\n${said}`)
      return ended
    },
    command,
    commandWith,
    git: (...args) => gitAt(repository, args),
    write: (contents) => writeFiles(repository, contents),
    async read(look) {
      const store = await openStore(home.database)
      try {
        return await look(store)
      } finally {
        await store.close()
      }
    },
    sessions: () => stage.read((store) => store.sessions.list({ limit: 100 })),
    events: (sessionId) => stage.read((store) => store.events.listAll(sessionId)),
    async client() {
      const address = temporal?.address ?? findLiveInstance(home)?.address
      assert.ok(address, 'there is no Temporal server to ask')
      connected ??= Connection.connect({ address })
      return new Client({ connection: await connected, namespace: 'fixwright' })
    },
    histories: async (sessionId) => historiesOf(await stage.client(), await recordOf(stage, sessionId)),
    before: () => before,
    async lookAgain() {
      before = await fingerprintRepository(repository, await branchesOf(stage))
    },
    said: () => commands.map((each) => `${each.stdout()}\n${each.stderr()}`).join('\n'),
    quiet: () => until('the instance has ended', () => !existsSync(home.instanceFile) && instanceEnded()),
    beforeEnd: (close) => void closings.push(close),
  }
  let instance: ProcessIdentity | undefined
  const instanceEnded = (): boolean => {
    instance = findLiveInstance(home)?.identity ?? instance
    return instance === undefined || !isRunning(instance)
  }
  t.after(async () => {
    for (const { child } of commands) child.kill('SIGKILL')
    for (const close of closings) await close()
    await (await connected)?.close()
    // What a failed test left waiting would hold the instance for as long as people have time.
    const stuck = t.passed ? await stage.quiet().catch((error: Error) => error) : undefined
    const left = findLiveInstance(home)?.identity ?? instance
    if (left) await endProcess(left, { graceMs: 5_000 })
    if (!temporal) await stopServers(home.temporalDatabase, 1_000)
    // An instance that a killed command had just spawned is in no file yet, and would make its home anew.
    const busy = await until('no process is left in the folder', () => processesNaming(folder).size === 0).catch(
      (error: Error) => error,
    )
    await model.close()
    remove()
    if (stuck ?? busy) throw stuck ?? busy
  })
  return stage
}

/** The sessions' own branches, which may come and move. */
export async function branchesOf(stage: E2eStage): Promise<string[]> {
  return (await stage.sessions()).flatMap(({ branch_name }) => branch_name ?? [])
}

/** `count` made findings in a repository of their own, and the scenario that fixes all of them. */
export async function setMadeStage(
  t: TestContext,
  count: number,
  options: Omit<StageOptions, 'repository'> & {
    readonly change?: (made: Made) => void
    readonly files?: Readonly<Record<string, string>>
  } = {},
): Promise<E2eStage & { readonly made: Made }> {
  let made: Made | undefined
  const { change, files, ...rest } = options
  const stage = await setStage(t, {
    ...rest,
    repository: (folder) => {
      writeFiles(folder, files ?? {})
      made = makeTwelve(folder, count)
    },
  })
  assert.ok(made)
  change?.(made)
  stage.model.setScenario({ ...made.scenario, ...options.scenario })
  return { ...stage, made }
}

/** A repository with these files in its one commit. */
export function repositoryOf(files: Readonly<Record<string, string>>): (folder: string) => void {
  return (folder) => {
    mkdirSync(folder, { recursive: true })
    writeFiles(folder, files)
    commitFolder(folder, 'Start')
  }
}

export function gitAt(folder: string, args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd()
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

function run(env: Readonly<Record<string, string>>, cwd: string, args: readonly string[]): RunningCommand {
  const child = spawn(BIN, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    // To watch a test that hangs.
    if (process.env.FIXWRIGHT_TEST_TRACE) appendFileSync(process.env.FIXWRIGHT_TEST_TRACE, text)
  })
  const ended = new Promise<CommandRun>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve({ status, signal, stdout, stderr, result: resultIn(stdout) }))
  })
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    says: (pattern) => until(`standard error says ${pattern}\n${stderr}`, () => pattern.test(stderr)),
  }
}

function resultIn(stdout: string): FixSessionResult | undefined {
  try {
    return FixSessionResult.parse(JSON.parse(stdout))
  } catch {
    return undefined
  }
}

async function recordOf(stage: E2eStage, sessionId: string): Promise<SessionRecord> {
  const record = await stage.read((store) => store.sessions.get(sessionId))
  assert.ok(record, `session ${sessionId} is in the store`)
  return record
}

async function historiesOf(client: Client, { workflow_id, run_id }: SessionRecord): Promise<History[]> {
  const histories: History[] = []
  for (let run = run_id; run; ) {
    const history = await client.workflow.getHandle(workflow_id, run).fetchHistory()
    histories.push(history)
    run = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined
  }
  return histories
}
