// Faults of the scripted model: which request one strikes, and one that the real CLIs tell apart; all others in test/slow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFaultCounter, Fault } from '../../rehearsal/faults.ts'
import { writePrompt } from '../../rehearsal/prompt.ts'
import { setStage } from './support.ts'

const fix = writePrompt({ role: 'fixer', codes: ['A-1'] })
const challenge = writePrompt({ role: 'fix_challenger', codes: ['A-1'] }, { diff: '' })

test('a fault matches by role, code, provider, model, iteration and purpose, and counts only what it matches', () => {
  const asked = {
    provider: 'gemini',
    model: 'gemini-2.5-flash',
    role: 'fix_challenger',
    codes: ['A-1', 'A-2'],
    iteration: 2,
    first: true,
    reply: true,
  } as const
  const strikes = (match: Fault['match'], ...requests: Partial<typeof asked | { role: string; codes: string[] }>[]) => {
    const strike = createFaultCounter([Fault.parse({ match, fault: { kind: 'hang' } })])
    return requests.map((request) => strike({ ...asked, ...request } as never) !== undefined)
  }
  assert.deepEqual(strikes({ code: 'A-2', nth: 2 }, {}, { codes: ['A-1'] }, {}, {}), [false, false, true, false])
  assert.deepEqual(strikes({ from: 2, until: 3 }, {}, {}, {}, {}), [false, true, true, false])
  assert.deepEqual(strikes({ role: 'fixer' }, {}, { role: 'fixer' }), [false, true])
  assert.deepEqual(strikes({ provider: 'anthropic' }, {}), [false])
  assert.deepEqual(strikes({ model: 'flash', iteration: 2 }, {}), [true])
  assert.deepEqual(strikes({ purpose: 'repair' }, {}), [false])
  assert.deepEqual(strikes({}, { role: 'auxiliary' }), [false])
})

test('a stream that is cut: Claude asks again, Gemini ends with status 1', async (t) => {
  const { claude, gemini, model } = await setStage(t, {
    issues: { 'A-1': { fixes: [{}] } },
    faults: [
      { match: { role: 'fixer', nth: 1 }, fault: { kind: 'cut' } },
      { match: { role: 'fix_challenger' }, fault: { kind: 'cut' } },
    ],
  })
  assert.equal(JSON.parse((await claude(fix)).stdout).is_error, false)
  assert.deepEqual(
    model.calls().map((call) => call.outcome?.ended),
    ['cut', 'whole'],
  )
  assert.equal((await gemini(challenge)).status, 1)
})
