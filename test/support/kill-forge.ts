// kill -9 of the worker while it posts to GitHub, at random moments and with random faults of GitHub's: what the quick and the thorough run
// of it share. Afterwards each thing is there, once.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { parseDiff } from '../../src/domain/text/unified-diff.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import type { Fault, PlannedFault } from './github/state.ts'
import { ADA, BOB, type GitHubBed, startGitHub, TOKEN } from './github.ts'
import { checkInvariants } from './invariants.ts'
import { kill, QUICK } from './killing.ts'
import { change } from './scripting.ts'
import { type E2eStage, setMadeStage } from './session.ts'
import { startTokenHunt } from './token-hunt.ts'
import { setVoteStage } from './votes.ts'

export const FAULTS: readonly Fault[] = [
  { kind: 'drop', after: false },
  { kind: 'drop', after: true },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 502 },
  { kind: 'status', status: 503 },
  { kind: 'truncated' },
  { kind: 'primary', resetInSeconds: 1 },
  { kind: 'secondary', status: 403, retryAfterSeconds: 1 },
  { kind: 'secondary', status: 429, retryAfterSeconds: 1 },
]

export interface Random {
  below(limit: number): number
  pick<T>(all: readonly T[]): T
}

/** The seed decides every choice. */
export function randomFrom(seed: number): Random {
  let state = seed
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: (all) => all[below(all.length)]! }
}

interface CountedBed {
  readonly stage: E2eStage
  readonly github: GitHubBed
}

/** A step is a request to GitHub or to a model. */
export async function countSteps({ stage, github }: CountedBed): Promise<number> {
  return (await github.state()).requests.length + stage.model.calls().length
}

/** Returns when so many steps are done, or the work is over. */
export async function untilStep(
  bed: CountedBed,
  step: number,
  isOver: () => boolean | Promise<boolean>,
): Promise<void> {
  while (!(await isOver()) && (await countSteps(bed)) < step) await delay(10)
}

interface Work {
  readonly name: string
  readonly status: number
  readonly writes: readonly string[]
  /** So many first reads get no fault: those of the command itself, which would end with it. */
  readonly ownReads?: number
  prepare(): Promise<void>
  start(): ReturnType<E2eStage['command']>
  check(what: string): Promise<void>
}

export async function killForgeWork(t: TestContext, { rounds, seed }: { rounds: number; seed: number }): Promise<void> {
  const stage = await setMadeStage(t, 3, {
    environment: { ...QUICK, GH_ENTERPRISE_TOKEN: TOKEN },
    change: (made) => {
      const fixes = [{ status: 'blocked' as const, summary: 'It needs a licence.' }]
      for (const code of ['T-002', 'T-003']) change(made, code, { fixes })
    },
  })
  const github = await startGitHub(t, { from: stage.repository, tokens: [ADA, BOB] })
  stage.git('remote', 'add', 'origin', github.remote)
  const hunt = await startTokenHunt(t, stage, { secrets: [TOKEN], github })
  const { result } = await stage.fix(stage.made.findings, { args: ['--profile', 'review-fix'], status: 1 })
  assert.ok(result?.branch_name)
  const { session_id: id, branch_name: branch } = result
  const works = listWorks(stage, github, { id, branch, file: join(stage.folder, 'votes.json') })
  await killInRounds(stage, github, works, { rounds, seed, steps: 12 })
  await hunt.end()
  await checkInvariants(stage)
}

/** `review-pr --post` from its beginning: while the pull request is read, while both voters work, and while they are posted. */
export async function killWholeVotes(
  t: TestContext,
  { rounds, seed }: { rounds: number; seed: number },
): Promise<void> {
  const line = 'export const late = 1'
  const finding = {
    ...{ id: 'V1', file: 'src/late.js', line: '1', quote: line, issue: 'It is late.', failure: 'With any input.' },
    ...{ effect: 'degraded', reach: 'realistic' },
  }
  const stage = await setVoteStage(
    t,
    { votes: { claude: { vote: 85, findings: [finding] }, gemini: { vote: 90 } } },
    { environment: { ...QUICK, GH_ENTERPRISE_TOKEN: TOKEN }, files: { 'src/late.js': `${line}\n` } },
  )
  const github = await startGitHub(t, { from: stage.repository, tokens: [ADA, BOB] })
  stage.git('remote', 'add', 'origin', github.remote)
  const hunt = await startTokenHunt(t, stage, { secrets: [TOKEN], github })
  const options = ['--set', `github.host=${github.host}`, '--set', 'github.look_again_seconds=0.2']
  const args = ['--repo', stage.repository, '--pr', `${github.slug}#1`, '--post', '--approve', ...options]
  let head = ''
  const work: Work = {
    ...{ name: 'review-pr --pr --post', status: 0, ownReads: 1, writes: ['/reviews$', '/comments$', '/statuses/'] },
    prepare: async () => {
      await github.reset()
      github.git('fetch', '-q', stage.repository, 'feature:refs/heads/feature')
      // Another commit: votes that were cast are not cast again.
      head = github.push('feature')
      await github.open(BOB, 'feature', 'main')
    },
    start: () => stage.command('review-pr', ...args),
    check: async (what) => {
      const { comments, reviews, reviewComments, statuses, problems } = await github.state()
      assert.deepEqual(problems, [], what)
      assert.deepEqual([comments.length, reviewComments.length], [1, 1], what)
      assert.deepEqual([reviews.map(({ event, commit_id }) => [event, commit_id])], [[['APPROVE', head]]], what)
      assert.deepEqual([statuses.map(({ sha, state }) => [sha, state])], [[[head, 'success']]], what)
    },
  }
  await killInRounds(stage, github, [work], { rounds, seed, steps: 24 })
  await hunt.end()
  await checkInvariants(stage)
}

interface Rounds {
  readonly rounds: number
  readonly seed: number
  /** So many steps, at most, come before the kill. */
  readonly steps: number
}

async function killInRounds(
  stage: E2eStage,
  github: GitHubBed,
  works: readonly Work[],
  { rounds, seed, steps }: Rounds,
): Promise<void> {
  const { below, pick } = randomFrom(seed)
  for (let round = 1; round <= rounds; round += 1) {
    for (const work of works) {
      await work.prepare()
      const planned: PlannedFault[] = [
        { method: 'POST', path: pick(work.writes), nth: 1 + below(2), fault: pick(FAULTS) },
        { method: 'GET', path: '', nth: 1 + (work.ownReads ?? 0) + below(6), fault: pick(FAULTS) },
      ]
      await github.plan(planned)
      const [step, pause] = [1 + below(steps), below(300)]
      const what = `${work.name}, seed ${seed}, round ${round}: kill ${pause} ms after step ${step}, ${JSON.stringify(planned)}`
      const before = await countSteps({ stage, github })
      const running = work.start()
      let isOver = false
      void running.ended.then(() => {
        isOver = true
      })
      await untilStep({ stage, github }, before + step, () => isOver)
      await delay(pause)
      if (!isOver && findLiveInstance(stage.home)) kill(stage, ['worker'])
      const { status, stderr } = await running.ended
      assert.equal(status, work.status, `${what}\n${stderr}`)
      await work.check(what)
    }
  }
}

const VOTES_ID = 'fx-votesofthetest'

function listWorks(
  stage: E2eStage,
  github: GitHubBed,
  { id, branch, file }: { readonly id: string; readonly branch: string; readonly file: string },
): Work[] {
  const options = ['--set', `github.host=${github.host}`, '--set', 'github.look_again_seconds=0.2']
  const base = github.git('symbolic-ref', '--short', 'HEAD')
  const head = stage.git('rev-parse', branch)
  const counted = async (what: string) => {
    const state = await github.state()
    assert.deepEqual(state.problems, [], what)
    return state
  }
  return [
    {
      ...{ name: 'pr', status: 0, writes: ['/pulls$'] },
      prepare: () => github.reset(),
      start: () => stage.command('pr', id, ...options),
      check: async (what) => {
        const { items } = await counted(what)
        assert.deepEqual([items.length, items[0]?.pull?.head], [1, branch], what)
        assert.equal(github.git('rev-parse', branch), head, what)
      },
    },
    {
      ...{ name: 'leftovers --create', status: 0, writes: ['/issues$'] },
      prepare: () => github.reset(),
      start: () => stage.command('leftovers', id, '--create', ...options),
      check: async (what) => {
        const { items } = await counted(what)
        const open = items.filter(({ state }) => state === 'open').map(({ body }) => /issue=(\S+) v=1/.exec(body)?.[1])
        assert.deepEqual(open.toSorted(), [`${id}:T-002`, `${id}:T-003`], what)
      },
    },
    {
      ...{ name: 'review-pr --post', status: 1, writes: ['/reviews$', '/comments$', '/statuses/'] },
      prepare: async () => {
        await github.reset()
        github.git('fetch', '-q', stage.repository, `${head}:refs/heads/voted`)
        await github.open(BOB, 'voted', base)
        writeFileSync(file, JSON.stringify(composeVotes(stage, head)))
      },
      start: () => stage.command('review-pr', '--pr', `${github.slug}#1`, '--post', '--votes', file, ...options),
      check: async (what) => {
        const { comments, reviews, reviewComments, statuses } = await counted(what)
        const counts = [comments.length, reviews.length, reviewComments.length, statuses.length]
        assert.deepEqual(counts, [1, 1, 1, 1], what)
        assert.deepEqual([statuses[0]?.sha, statuses[0]?.state], [head, 'failure'], what)
      },
    },
  ]
}

/** As `review-pr --format json` prints them, with a finding on the first line that the commit adds. */
export function composeVotes(stage: E2eStage, head: string): object {
  const [shown] = parseDiff(stage.git('diff', `${head}^`, head))
  const line = shown?.hunks.flat().find(({ side }) => side === 'new')
  assert.ok(shown && line)
  const named = { name: 'main', commit: stage.git('rev-parse', `${head}^`) }
  const finding = {
    ...{ id: 'F001', alias: 'V1', file: shown.path, side: 'new', quote: line.text, title: 'It crashes.' },
    ...{ anchor: { kind: 'anchored', line: line.line, end_line: line.line }, failure: 'With any input.' },
    ...{ effect: 'crash', reach: 'realistic', severity: 'high', origin: 'introduced', category: 'other' },
    ...{ experts: [], group: 0 },
  }
  const vote = { head, reviewed: [shown.path], not_reviewed: [], feedback: 'None.', verdict_text: 'No.', vote: 40 }
  const voters = (['claude', 'gemini'] as const).map((voter) => ({ voter, vendor: voter, model: `${voter}-model` }))
  return {
    ...{ session_id: VOTES_ID, is_over: true, verdict: 'not_approved', mean: 40, reasons: [] },
    subject: { base: named, head: { name: 'voted', commit: head }, parted_at: named.commit },
    ballots: voters.map((voter) => ({ kind: 'vote', ...voter, vote: 40 })),
    votes: voters.map((voter) => ({ ...vote, ...voter })),
    findings: [
      {
        ...{ id: 'F001', severity: 'high', reports: [{ voter: 'claude', finding }] },
        comment_at: { path: shown.path, side: 'RIGHT', line: line.line },
      },
    ],
  }
}
