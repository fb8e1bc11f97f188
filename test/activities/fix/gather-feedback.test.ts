// What the next attempt is told of the checks: of the latest round of its own stage, and whether that said the same as the one before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { gatherFeedback } from '../../../src/activities/fix/gather-feedback.ts'
import { storeGateRecord } from '../../../src/activities/gate-records.ts'
import { DEFAULTS, setBench } from '../support.ts'

test('a check that says the same as after the attempt before is told as such, one that says something else is not, and other stages do not count [S4-8]', async (t) => {
  const bench = await setBench(t)
  const verification = { ...DEFAULTS.verification, commands: ['test'], strict: true }
  await bench.session('s1', { A: 'src/app.py' }, { verification })
  const session = await loadSession(bench.shop, 's1')
  const keep = (call: string, value: string, time: string) => {
    const run = {
      command: 'test',
      outcome: 'failed: exit status 1',
      output: `expected 3, got ${value}\nRan 2 tests in ${time}`,
    }
    return storeGateRecord(bench.shop, session, call, { tree: 't', verification: [run] })
  }
  const told = async (call: string) =>
    (await gatherFeedback(bench.shop, session, [call], ['A'])).verification?.map(({ other_numbers }) => other_numbers)
  await keep('s1.i1.verify', '4', '0.01s')
  await keep('s2.i1.verify', '4', '0.02s')
  await keep('s2.i2.verify', '4', '0.03s')
  await keep('s2.i3.verify', '5', '0.03s')
  await keep('s2.i4.verify', '5', '0.03s')
  await keep('s2.i5.verify', 'nothing', '0.03s')
  assert.deepEqual(await told('s1.i1.verify'), [undefined])
  assert.deepEqual(await told('s2.i1.verify'), [undefined], 'that was another stage')
  assert.deepEqual(await told('s2.i2.verify'), [['Ran 2 tests in 0.03s']])
  assert.deepEqual(await told('s2.i3.verify'), [['expected 3, got 5']], 'another value may be another failure')
  assert.deepEqual(await told('s2.i4.verify'), [[]])
  assert.deepEqual(await told('s2.i5.verify'), [undefined])
})
