// The operator's commands where `sandbox.mode` is require: what an agent wrote is run in the sandbox, what came before it is not.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { NO_SANDBOX, sandboxSettings } from '../../platform/sandbox/support.ts'
import { setBench, verifiedBy } from '../support.ts'

async function run(t: TestContext, mode: 'require' | 'auto') {
  const bench = await setBench(t)
  const id = `s-${randomUUID()}`
  const file = (name: string) => join(bench.home, name)
  const lines = (name: string) =>
    existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n').length : 0
  bench.write({ 'package-lock.json': 'one\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'lock'])
  const command = `grep -qs x src/app.py || exit 0; (echo run >> ${file('checks')}) 2>/dev/null; git log -1 > seen`
  const setup = [
    `(echo run >> ${file('setups')}) 2>/dev/null; mkdir -p node_modules; cp package-lock.json node_modules`,
  ]
  await bench.session(id, { A: 'src/app.py' }, { ...verifiedBy([command], { setup }), sandbox: sandboxSettings(mode) })
  const { base } = await bench.run('openSession', { sessionId: id })
  await bench.run('verifyBaseline', { sessionId: id, stepId: 'base', head: base })
  const before = lines('setups')
  await bench.store.agentCalls.claim({ session_id: id, key: 's1.i1.fix', role: 'fixer', codes: [], prompt_ref: 'none' })
  await bench.fixed(id, 'fix1', { 'src/app.py': 'x = 1\n', 'package-lock.json': 'two\n' }, 'A')
  const picks = [{ snapshot: 'fix1', codes: ['A'] }]
  const judged = { sessionId: id, stepId: 's1.i1.verify', head: base, selections: picks, codes: ['A'], iteration: 1 }
  const { verdict, summary } = await bench.run('verifyTree', judged)
  assert.equal(verdict, 'passed', summary)
  return { before, setups: lines('setups') - before, checks: lines('checks') }
}

test('`require`: setup before the first fix is the operator’s own, and what runs after it reaches no file outside', {
  skip: NO_SANDBOX,
}, async (t) => {
  const { before, setups, checks } = await run(t, 'require')
  assert.deepEqual([before, setups, checks], [1, 0, 0])
})

test('`auto`: commands are run as the operator would run them', async (t) => {
  const { before, setups, checks } = await run(t, 'auto')
  assert.ok(before === 1 && setups >= 1 && checks >= 1, `${[before, setups, checks]}`)
})

test('`require`: a session whose model can’t be reached from a sandbox here ends before any call, and says why', {
  skip: NO_SANDBOX,
}, async (t) => {
  const bench = await setBench(t, { ANTHROPIC_BASE_URL: 'http://127.0.0.1:80' })
  const id = `s-${randomUUID()}`
  await bench.session(id, { A: 'src/app.py' }, { sandbox: sandboxSettings('require') })
  await assert.rejects(bench.run('openSession', { sessionId: id }), {
    nonRetryable: true,
    message: /127\.0\.0\.1:80 can't be reached from inside/,
  })
})
