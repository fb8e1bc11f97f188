// A session whose pull request is watched on the GitHub of the test bed, and what a person does to that pull request while workers are
// killed and answers are lost.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { IssueRecord } from '../../src/domain/session/store-records.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import type { Fault } from './github/state.ts'
import { type GitHubBed, startGitHub, TOKEN } from './github.ts'
import { kill, QUICK } from './killing.ts'
import { type E2eStage, setMadeStage } from './session.ts'
import { startTokenHunt, type TokenHunt } from './token-hunt.ts'
import { until } from './until.ts'

export interface WatchedStage {
  readonly stage: E2eStage
  readonly github: GitHubBed
  readonly sessionId: string
  readonly branch: string
  readonly watchId: string
  readonly hunt: TokenHunt
  /** Settings of every command. */
  readonly options: readonly string[]
  issues(): Promise<IssueRecord[]>
  /** Ends what keeps the instance. */
  endUp(): Promise<void>
  /** Until each issue of the session has this status. */
  untilAll(status: IssueRecord['status'], why: string): Promise<IssueRecord[]>
}

/** The instance is kept by `up` for as long as the test runs. */
export async function setWatchedPull(t: TestContext, count: number): Promise<WatchedStage> {
  const stage = await setMadeStage(t, count, { environment: { ...QUICK, GH_ENTERPRISE_TOKEN: TOKEN } })
  const github = await startGitHub(t, { from: stage.repository })
  stage.git('remote', 'add', 'origin', github.remote)
  const hunt = await startTokenHunt(t, stage, { secrets: [TOKEN], github })
  const settings = { 'github.host': github.host, 'github.watch_seconds': 0.2, 'github.watch_max_seconds': 0.5 }
  const options = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const up = stage.command('up')
  const endUp = async () => {
    up.child.kill('SIGINT')
    await up.ended
  }
  stage.beforeEnd(endUp)
  await until('the instance is up', () => findLiveInstance(stage.home) !== undefined)
  const { result } = await stage.fix(stage.made.findings)
  assert.ok(result?.branch_name)
  const opened = await stage.command('pr', result.session_id, '--json', ...options).ended
  assert.equal(opened.status, 0, opened.stderr)
  const issues = () => stage.read((store) => store.issues.list())
  const untilAll: WatchedStage['untilAll'] = async (status, why) => {
    await until(`${why}: all issues are ${status}`, async () =>
      (await issues()).every((each) => each.status === status),
    )
    return await issues()
  }
  const watchId = `watch/${github.host}/${github.slug}#1`
  const { session_id: sessionId, branch_name: branch } = result
  return { stage, github, sessionId, branch, watchId, hunt, options, endUp, issues, untilAll }
}

const GET_PULL = { method: 'GET', path: '/pulls/1$' }
export const WATCH_FAULTS: readonly Fault[] = [
  { kind: 'drop', after: false },
  { kind: 'drop', after: true },
  { kind: 'status', status: 502 },
  { kind: 'truncated' },
  { kind: 'secondary', status: 403, retryAfterSeconds: 1 },
  { kind: 'secondary', status: 429 },
  { kind: 'primary', resetInSeconds: 1 },
  { kind: 'unauthorised' },
]

/**
 * A person closes the pull request and opens it again, in turn; the worker is killed at a random moment of each, beside a fault of the menu.
 * Each issue follows each turn exactly once.
 */
export async function killInTurns({ stage, github, untilAll, issues }: WatchedStage, turns: number): Promise<void> {
  await until('the watch has seen it', async () => countLooks(await github.state()).all > 0)
  const before = new Map((await issues()).map(({ issue_id, version }) => [issue_id, version]))
  for (let turn = 1; turn <= turns; turn += 1) {
    const fault = WATCH_FAULTS[(turn - 1) % WATCH_FAULTS.length]!
    const delayMs = Math.floor(Math.random() * 1500)
    const what = `turn ${turn}, killed after ${delayMs} ms beside ${JSON.stringify(fault)}`
    await github.plan([{ ...GET_PULL, nth: 1 + (turn % 2), fault }])
    await github.edit(1, { state: turn % 2 === 1 ? 'closed' : 'open' })
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await until('a worker runs', () => findLiveInstance(stage.home) !== undefined)
    kill(stage, ['worker'])
    const now = await untilAll(turn % 2 === 1 ? 'open' : 'resolved', what)
    for (const { issue_id, version } of now) assert.equal(version, (before.get(issue_id) ?? 0) + turn, what)
  }
}

/** Begins the watch anew with a history that is soon too long, and waits until it goes on in another one. Returns the first run. */
export async function continueOften({ stage, watchId, options }: WatchedStage, pull: string): Promise<string> {
  const { workflow } = await stage.client()
  const { events } = await workflow.getHandle(watchId).fetchHistory()
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []
  const input = JSON.parse(Buffer.from(payload?.data ?? []).toString())
  const { taskQueue } = await workflow.getHandle(watchId).describe()
  const stopped = await stage.command('watch-pr', pull, '--stop', '--repo', stage.repository, ...options).ended
  assert.equal(stopped.status, 0, stopped.stderr)
  const short = { ...input, maxEvents: 60 }
  const first = (await workflow.start('watchPull', { workflowId: watchId, taskQueue, args: [short] }))
    .firstExecutionRunId
  await until('it goes on in a new history', async () => (await workflow.getHandle(watchId).describe()).runId !== first)
  return first
}

export function countLooks({ requests }: Awaited<ReturnType<GitHubBed['state']>>): {
  readonly all: number
  readonly unchanged: number
} {
  const looks = requests.filter(({ method, path }) => method === 'GET' && /\/pulls\/1$/.test(path))
  return { all: looks.length, unchanged: looks.filter(({ status }) => status === 304).length }
}
