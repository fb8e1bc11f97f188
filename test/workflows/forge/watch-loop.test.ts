// A watch in time that the test makes: what it asks, how long it waits, and what it does with news, trouble and limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  CommentMark,
  ForgeOutcome,
  FoundCommands,
  PullLook,
  SeenPull,
  WatchState,
} from '../../../src/domain/workflow-types/index.ts'
import { watchUntilEnd } from '../../../src/workflows/forge/watch-loop.ts'

const DAY = 24 * 3_600_000
const PACE = { minMs: 60_000, maxMs: 900_000, isGitOnly: false }
const NOTHING = { merged: [], reopened: [], restored: [], unknown: [], left: 1 }
const UNCHANGED: ForgeOutcome<PullLook> = { kind: 'done', value: { kind: 'unchanged' } }
const LOST = { kind: 'lost', detail: 'no answer' } as const

function seen(state: SeenPull['state'], tag: string = state): ForgeOutcome<PullLook> {
  const pull = { tag, state, branch: 'fix/a', base: 'main' }
  return { kind: 'done', value: { kind: 'seen', pull, labels: { attributes: [], repository: '/r' } } }
}

/** After these answers it gives the last one for ever. */
function watchOf(answers: readonly ForgeOutcome<PullLook>[], { grownAfter = Number.POSITIVE_INFINITY } = {}) {
  const log: string[] = []
  const waits: number[] = []
  let [clock, looks, woken] = [0, 0, false]
  let recordings: ForgeOutcome<typeof NOTHING>[] = []
  const ports = {
    look: async (tag: string | undefined) => {
      log.push(`look ${tag}`)
      return answers[Math.min(looks++, answers.length - 1)]!
    },
    record: async ({ state }: SeenPull) => {
      log.push(`record ${state}`)
      return recordings.shift() ?? { kind: 'done' as const, value: NOTHING }
    },
    wait: async (milliseconds: number) => {
      waits.push(milliseconds)
      clock += milliseconds
      const wasWoken = woken
      woken = false
      return wasWoken ? ('woken' as const) : ('time' as const)
    },
    waitOutLimit: async (until: number) => {
      log.push(`limit ${until}`)
      return true
    },
    show: (state: WatchState) => void log.push(`trouble ${state.trouble?.detail ?? 'none'}`),
    now: () => clock,
    hasGrownLong: () => looks >= grownAfter,
  }
  const of = (word: string) => log.filter((line) => line.startsWith(word))
  const wake = () => {
    woken = true
  }
  return { ports, of, waits, wake, refuse: (...list: typeof recordings) => (recordings = list) }
}

test('a merge ends it; each state is recorded once, and each look sends the tag of what was seen', async () => {
  const { ports, of, waits } = watchOf([seen('open'), UNCHANGED, UNCHANGED, seen('open', 'x'), seen('merged')])
  const stop = await watchUntilEnd(ports, PACE, undefined)
  assert.deepEqual(stop, { kind: 'ended', summary: { end: 'merged', issues: NOTHING, looks: 5, unchanged: 2 } })
  assert.deepEqual(of('record'), ['record open', 'record merged'])
  assert.deepEqual(of('look'), ['look undefined', 'look open', 'look open', 'look open', 'look x'])
  assert.deepEqual(waits, [60_000, 90_000, 135_000, 60_000])
})

test('it waits longer while nothing is new, and at once less when it is woken', async () => {
  const { ports, waits, wake } = watchOf([seen('open'), ...Array(9).fill(UNCHANGED), seen('merged')])
  const { wait } = ports
  ports.wait = async (milliseconds) => {
    if (waits.length === 8) wake()
    return await wait(milliseconds)
  }
  await watchUntilEnd(ports, PACE, undefined)
  assert.equal(waits[7], 900_000)
  assert.deepEqual(waits.slice(8), [900_000, 90_000])
})

test('one that was closed is watched for two weeks more: it may be opened again, and merged then', async () => {
  const again = watchOf([seen('open'), seen('closed'), UNCHANGED, seen('open', 'again'), seen('merged')])
  assert.equal((await watchUntilEnd(again.ports, PACE, undefined)).kind, 'ended')
  assert.deepEqual(again.of('record'), ['record open', 'record closed', 'record open', 'record merged'])
  const { ports, waits } = watchOf([seen('closed'), UNCHANGED])
  const stop = await watchUntilEnd(ports, PACE, undefined)
  assert.equal(stop.kind === 'ended' && stop.summary.end, 'closed')
  assert.ok(waits.reduce((sum, each) => sum + each) > 14 * DAY)
})

test('what could not be recorded counts as not seen; trouble ends it only after two weeks', async () => {
  const { ports, of, refuse } = watchOf([seen('open'), seen('merged')])
  refuse({ kind: 'done', value: NOTHING }, { kind: 'refused', code: 'forge_unreachable', detail: 'git is down' })
  const stop = await watchUntilEnd(ports, PACE, undefined)
  assert.equal(stop.kind === 'ended' && stop.summary.end, 'merged')
  assert.deepEqual(of('look'), ['look undefined', 'look open', 'look open'])
  assert.deepEqual(of('trouble'), ['trouble none', 'trouble git is down', 'trouble none'])
  const lost = watchOf([LOST])
  const given = await watchUntilEnd(lost.ports, PACE, undefined)
  assert.equal(given.kind === 'ended' && given.summary.end, 'given_up')
  assert.ok(lost.waits.reduce((sum, each) => sum + each) > 14 * DAY)
})

test('one that was never there is given up soon, and one that was seen before is not', async () => {
  const gone = { kind: 'refused', code: 'forge_refused', detail: '404' } as const
  const never = watchOf([gone])
  await watchUntilEnd(never.ports, PACE, undefined)
  const early = never.waits.reduce((sum, each) => sum + each)
  assert.ok(early > 10 * 60_000 && early < 60 * 60_000)
  const seenBefore = watchOf([seen('open'), gone])
  await watchUntilEnd(seenBefore.ports, PACE, undefined)
  assert.ok(seenBefore.waits.reduce((sum, each) => sum + each) > 14 * DAY)
})

test('a limit is waited out and is no trouble', async () => {
  const limited = { kind: 'limited', until: 5, detail: 'later' } as const
  const { ports, of } = watchOf([limited, seen('merged')])
  await watchUntilEnd(ports, PACE, undefined)
  assert.deepEqual([of('limit'), of('trouble')], [['limit 5'], ['trouble none']])
})

test('without tags each look sees the whole pull request: it waits longer all the same, and sees the merge', async () => {
  const plain = (state: SeenPull['state']): ForgeOutcome<PullLook> => {
    const pull = { state, branch: 'fix/a', base: 'main' }
    return { kind: 'done', value: { kind: 'seen', pull, labels: { attributes: [], repository: '/r' } } }
  }
  const { ports, of, waits } = watchOf([plain('open'), plain('open'), plain('open'), plain('merged')])
  const stop = await watchUntilEnd(ports, PACE, undefined)
  assert.equal(stop.kind === 'ended' && stop.summary.end, 'merged')
  assert.deepEqual(of('look'), Array(4).fill('look undefined'))
  assert.deepEqual(waits, [60_000, 90_000, 135_000])
})

test('with git alone each new commit of the base is recorded, until no issue is left', async () => {
  const { ports, of, refuse } = watchOf([seen('open', 'a'), seen('open', 'b'), UNCHANGED, seen('open', 'c')])
  const done = (left: number) => ({ kind: 'done' as const, value: { ...NOTHING, left } })
  refuse(done(2), done(1), done(0))
  const stop = await watchUntilEnd(ports, { ...PACE, isGitOnly: true }, undefined)
  assert.equal(stop.kind === 'ended' && stop.summary.end, 'merged')
  assert.equal(of('record').length, 3)
})

test('a history that has grown long is handed on with all that the watch knows', async () => {
  const first = watchOf([seen('open'), UNCHANGED], { grownAfter: 2 })
  const stop = await watchUntilEnd(first.ports, PACE, undefined)
  assert.equal(stop.kind, 'grown')
  if (stop.kind !== 'grown') return
  assert.deepEqual([stop.state.tag, stop.state.state, stop.state.pauseMs], ['open', 'open', 90_000])
  const second = watchOf([UNCHANGED, seen('merged')])
  await watchUntilEnd(second.ports, PACE, stop.state)
  assert.deepEqual(second.of('look'), ['look open', 'look open'])
  assert.deepEqual(second.of('record'), ['record merged'])
})

test('comments are asked for only when the pull request has changed, each command is started, and a list that fails is asked for again', async () => {
  const { ports } = watchOf([seen('open', 'a'), UNCHANGED, seen('open', 'b'), seen('open', 'b'), seen('merged')])
  const marks: CommentMark[] = []
  const started: number[] = []
  const answers: ForgeOutcome<FoundCommands>[] = [
    { kind: 'done', value: { ids: [], next: { since: '1970-01-01T00:00:05Z', after: 5 } } },
    LOST,
    { kind: 'done', value: { ids: [7, 9], next: { since: '1970-01-01T00:00:09Z', after: 9 } } },
    { kind: 'done', value: { ids: [], next: { since: '1970-01-01T00:00:09Z', after: 9 } } },
  ]
  const commands = {
    find: async (mark: CommentMark) => {
      marks.push(mark)
      return answers.shift()!
    },
    start: async (id: number) => void started.push(id),
    mayFail: () => true,
  }
  await watchUntilEnd({ ...ports, commands }, PACE, undefined)
  assert.deepEqual(
    marks.map(({ since, after }) => [since, after]),
    [
      ['1969-12-31T23:59:00Z', 0],
      ['1970-01-01T00:00:05Z', 5],
      ['1970-01-01T00:00:05Z', 5],
      ['1970-01-01T00:00:09Z', 9],
    ],
  )
  assert.deepEqual(started, [7, 9])
})

test('comments that may not be read hide no state: the watch is not given up as never seen, and a merge ends it', async () => {
  const watch = watchOf([...Array(30).fill(seen('open')), seen('merged')])
  const refused = { kind: 'refused', code: 'forge_refused', detail: 'no right to read comments' } as const
  const commands = { find: async () => refused, start: async () => assert.fail(), mayFail: () => true }
  const stop = await watchUntilEnd({ ...watch.ports, commands }, PACE, undefined)
  assert.ok(stop.kind === 'ended')
  assert.deepEqual([stop.summary.end, stop.summary.looks], ['merged', 31])
  assert.deepEqual(watch.of('record'), ['record open', 'record merged'])
  assert.deepEqual([...new Set(watch.of('look'))], ['look undefined'], 'each look sees all of it again')
  assert.equal(watch.of('trouble')[29], 'trouble no right to read comments')

  const before = watchOf([seen('merged')])
  const held = await watchUntilEnd(
    { ...before.ports, commands: { ...commands, mayFail: () => false } },
    PACE,
    undefined,
  )
  assert.equal(held.kind === 'ended' && held.summary.end, 'given_up', 'as in histories from before')
})
