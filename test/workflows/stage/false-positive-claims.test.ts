// Claims that there is nothing to fix: what a stage makes of them, scenario by scenario. The world is fake, the rules are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallFailure } from '../../../src/domain/session/failure.ts'
import {
  type ChallengerDoes,
  type FixerDoes,
  play,
  type Script,
  stageOf,
  type World,
} from '../../support/fake-ports.ts'
import { statuses } from '../../support/stage-scripts.ts'

const HANDLED = 'line 12 returns before it can be null'
const BILLING: CallFailure = { class: 'billing', detail: 'credit balance is too low' }
const DENIES: FixerDoes = { denies: { B: HANDLED } }

function script(fixer: readonly FixerDoes[], challenger: readonly ChallengerDoes[] = []): Script {
  return { fixer: ({ turn }) => fixer[turn] ?? {}, challenger: (turn) => challenger[turn] }
}

function story({ seen }: World): string[] {
  return seen.map(({ call, codes, claims = [] }) =>
    [call, codes.join(''), ...claims.map((claim) => `${claim.codes.join('')}?`)].filter(Boolean).join(' '),
  )
}

test('a false positive with a reason that the challenger agrees to is ignored: nothing is verified or committed for it [S0-17]', async () => {
  const world = await play(stageOf('B'), script([DENIES], [{ agrees: ['B'] }]))
  assert.deepEqual(story(world), ['s1.i1.b1.fix B', 's1.i1.challenge B?'])
  assert.deepEqual(world.result, {
    head: 'base',
    commits: [],
    stop: undefined,
    outcomes: { B: { status: 'ignored', reason: HANDLED, iterations: 1, agreedStepId: 's1.i1.challenge' } },
  })
})

test('next to others it is put to the challenger in the same call, and they are judged and committed without it [S0-17]', async () => {
  const first = { write: { 'a.py': 'A=97' }, ...DENIES }
  const world = await play(stageOf('AB'), script([first], [{ agrees: ['B'] }]))
  assert.deepEqual(story(world), ['s1.i1.b1.fix AB', 's1.i1.verify A', 's1.i1.challenge A B?', 's1.commit A'])
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'ignored' })
  assert.deepEqual(world.seen[2]?.claims, [{ snapshot: 's1.i1.b1.fix', codes: ['B'] }])
})

test('a false positive does not keep the others from another round, and gets none itself', async () => {
  const first = { write: { 'a.py': 'A=60' }, ...DENIES }
  const world = await play(stageOf('AB'), script([first, { write: { 'a.py': 'A=96' } }], [{ agrees: ['B'] }]))
  assert.deepEqual(world.seen.find(({ call }) => call === 's1.i2.b1.fix')?.codes, ['A'])
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'ignored' })
})

test('one that is not agreed to goes round again with what the challenger said, and fails with that reason', async () => {
  const world = await play(stageOf('B'), {
    fixer: () => DENIES,
    challenger: () => ({ misses: ['B'] }),
  })
  assert.deepEqual(story(world), ['s1.i1.b1.fix B', 's1.i1.challenge B?', 's1.i2.b1.fix B', 's1.i2.challenge B?'])
  assert.deepEqual(world.seen[2]?.feedback, ['s1.i1.challenge'])
  assert.deepEqual(world.result.outcomes.B, {
    status: 'failed',
    reason: `claimed to be a false positive, and the challenger did not agree: ${HANDLED}`,
    failure: 'verdict',
    iterations: 2,
    score: undefined,
  })
})

test('one that is not agreed to and is fixed then is resolved', async () => {
  const world = await play(stageOf('B'), script([DENIES, { write: { 'b.py': 'B=96' } }]))
  assert.deepEqual(statuses(world), { B: 'resolved' })
})

test('a tree that was judged is not judged again because of a claim beside it: only the claim is heard', async () => {
  const first = { write: { 'a.py': 'A=97' } }
  const world = await play(stageOf('AB'), script([first, DENIES], [{}, { agrees: ['B'] }]))
  assert.deepEqual(story(world), [
    's1.i1.b1.fix AB',
    's1.i1.verify A',
    's1.i1.challenge A',
    's1.i2.b1.fix B',
    's1.i2.challenge B?',
    's1.commit A',
  ])
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'ignored' })
})

test('a fix that passed and is taken back as a false positive is not committed after all', async () => {
  const first = { write: { 'a.py': 'A=97', 'b.py': 'B=91' } }
  const second = { write: { 'b.py': undefined }, ...DENIES }
  const world = await play(stageOf('AB'), script([first, second], [{}, { agrees: ['B'] }]))
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'ignored' })
  assert.deepEqual(world.commits[0]?.files, { 'readme.md': 'hello', 'a.py': 'A=97' })

  const alone = await play(stageOf('B'), script([{ write: { 'b.py': 'B=91' } }, second], [{}, { agrees: ['B'] }]))
  assert.deepEqual(statuses(alone), { B: 'ignored' })
  assert.equal(alone.commits.length, 0)
})

test('what passed before it was found to be none is not put together again in the end', async () => {
  // The first tree is broken, so that all go round again.
  const first = { write: { 'a.py': 'A=60 broken', 'b.py': 'B=97' } }
  const second = { write: { 'a.py': 'A=61', 'b.py': undefined }, ...DENIES }
  const world = await play(stageOf('AB'), script([first, second], [{}, { agrees: ['B'] }]))
  assert.deepEqual(statuses(world), { A: 'failed', B: 'ignored' })
  assert.equal(story(world).at(-1), 's1.i2.challenge A B?')
})

test('what shares its file with a false positive is fixed again without it', async () => {
  const both = { write: { 'shared.py': 'A=96 B=90' }, claims: { A: ['shared.py'], B: ['shared.py'] } }
  const taken = { write: { 'shared.py': undefined }, ...DENIES }
  const alone = { write: { 'a.py': 'A=95' } }
  const world = await play(stageOf('AB'), script([both, taken, alone], [{}, { agrees: ['B'] }]), { maxIterations: 3 })
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'ignored' })
  assert.deepEqual(world.commits[0]?.codes, ['A'])
})

test('without a challenger nobody can agree: it fails, and says so', async () => {
  const world = await play(stageOf('AB'), script([{ write: { 'a.py': 'A=97' }, ...DENIES }]), { challenge: false })
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
  const alone = await play(stageOf('B'), script([DENIES, DENIES]), { challenge: false })
  assert.equal(alone.seen.filter(({ kind }) => kind === 'challenge').length, 0)
  const reason = `claimed to be a false positive, and there is no challenger to agree: ${HANDLED}`
  assert.equal(alone.result.outcomes.B?.reason, reason)
})

test('without a reason there is nothing to agree to: the challenger is not even asked', async () => {
  const world = await play(stageOf('B'), {
    fixer: () => ({ denies: { B: '' } }),
    challenger: () => ({ agrees: ['B'] }),
  })
  assert.equal(world.seen.filter(({ kind }) => kind === 'challenge').length, 0)
  assert.deepEqual(statuses(world), { B: 'failed' })
})

test('a call that failed claims nothing, and a claim beside a change is none', async () => {
  const crash: CallFailure = { class: 'no_usable_work', reason: 'crash', detail: 'claude ended with status 1' }
  const agrees = () => ({ agrees: ['B'] })
  const failed = await play(stageOf('B'), { fixer: () => ({ ...DENIES, failure: crash }), challenger: agrees })
  assert.equal(failed.seen.filter(({ kind }) => kind === 'challenge').length, 0)
  const changed = await play(stageOf('B'), {
    fixer: () => ({ write: { 'b.py': 'B=97' }, ...DENIES }),
    challenger: agrees,
  })
  assert.deepEqual(statuses(changed), { B: 'resolved' })
})

test('a provider that stops the session while a claim is put to it leaves the issue open; what was agreed before stays', async () => {
  const world = await play(stageOf('B'), script([DENIES], [{ failure: BILLING }]))
  assert.equal(world.result.stop?.class, 'billing')
  assert.deepEqual(statuses(world), { B: 'open' })

  const first = { write: { 'a.py': 'A=60' }, ...DENIES }
  const later = await play(stageOf('AB'), script([first, { failure: BILLING }], [{ agrees: ['B'] }]))
  assert.deepEqual(statuses(later), { A: 'open', B: 'ignored' })
})
