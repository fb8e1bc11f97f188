// Issues that the fixer calls blocked, and those that it can't fix in as many attempts as an issue gets (profile review-fix).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallFailure } from '../../../src/domain/session/failure.ts'
import { fileOf, play, type Script, stageOf, type World } from '../../support/fake-ports.ts'
import { grades, statuses, story } from '../../support/stage-scripts.ts'

const RULES = { maxIterations: 5, maxAttemptsPerIssue: 3 }
const CRASH: CallFailure = { class: 'no_usable_work', reason: 'crash', detail: 'claude ended with status 1' }

const fixes = (world: World) => world.seen.filter(({ kind }) => kind === 'fix').map(({ codes }) => codes.join(''))

test('an issue that is blocked is not asked about again, and says why; the others go on [S3-9]', async () => {
  const script: Script = {
    fixer: ({ codes, iteration }) => ({
      write: codes.includes('A') ? { [fileOf('A')]: `A=${iteration === 1 ? 60 : 97}` } : {},
      blocks: codes.includes('B') ? { B: 'needs a licence' } : {},
    }),
  }
  const world = await play(stageOf('AB'), script, RULES)
  assert.deepEqual(fixes(world), ['AB', 'A'])
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
  assert.equal(world.result.outcomes.B?.reason, 'blocked: needs a licence')
})

test('without a limit of attempts blocked is only another answer', async () => {
  const world = await play(stageOf('A'), { fixer: () => ({ blocks: { A: 'needs a licence' } }) }, { maxIterations: 3 })
  assert.ok(fixes(world).length > 1, story(world).join())
})

test('an issue is blocked after three attempts, with what each came to; what passes in the third is committed [S3-13]', async () => {
  const failing = await play(stageOf('AB'), grades({ A: ['60', '65', '70', '97'], B: ['60', '65', '97'] }), RULES)
  assert.deepEqual(fixes(failing), ['AB', 'AB', 'AB'])
  assert.deepEqual(statuses(failing), { A: 'failed', B: 'resolved' })
  assert.match(failing.result.outcomes.A?.reason ?? '', /^blocked after 3 attempts: 1\. .*; 2\. .*; 3\. /)
})

test('a call that came to nothing is no attempt at its issues', async () => {
  const script: Script = {
    fixer: ({ iteration }) => (iteration < 4 ? { failure: CRASH } : { write: { [fileOf('A')]: 'A=97' } }),
  }
  const world = await play(stageOf('A'), script, RULES)
  assert.equal(fixes(world).length, 4)
  assert.deepEqual(statuses(world), { A: 'resolved' })
})
