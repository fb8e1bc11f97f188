// In a sandbox whose home is empty, what compilers keep in it on the untouched base comes back in every later run, and nothing else does.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { enterCommandSandbox } from '../../../src/activities/verify/command-sandbox.ts'
import type { Lane } from '../../../src/domain/workflow-types/index.ts'
import { NO_SANDBOX } from '../../platform/sandbox/support.ts'
import { DEFAULTS, S1, setBench, verifiedBy } from '../support.ts'

/** Prints how many runs filled the cache before, and fills it. */
const COUNT =
  'mkdir -p ~/.cache/go; n=$(ls ~/.cache/go | wc -l); echo "filled $n"; touch ~/.cache/go/$n; cat src/app.py'

test('runs after the base start with the caches of the base, whatever an agent’s code puts into its copy', {
  skip: NO_SANDBOX,
}, async (t) => {
  const bench = await setBench(t)
  const sandbox = { ...DEFAULTS.sandbox, mode: 'require' as const }
  await bench.session(S1, { A: 'src/app.py' }, { ...verifiedBy([COUNT]), sandbox })
  const { base } = await bench.run('openSession', { sessionId: S1 })
  await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head: base })
  await bench.store.agentCalls.claim({ session_id: S1, key: 's1.i1.b1.fix', role: 'fixer', codes: ['A'] })
  const printed = async (): Promise<string[]> => {
    const kept = await bench.store.artifacts.listForSession(S1, { kind: 'verification' })
    const out = kept.filter(({ name }) => name.endsWith('stdout'))
    const texts = await Promise.all(out.map(({ ref }) => bench.shop.artifacts.getText(ref)))
    return texts.flatMap((text) => /^filled \d+$/m.exec(text)?.[0] ?? [])
  }
  const verify = async (call: string, lane?: Lane) => {
    await bench.fixed(S1, call, { 'src/app.py': `# ${call}\n` }, 'A')
    const selections = [{ snapshot: call, codes: ['A'] }]
    const step = { sessionId: S1, stepId: `s1.${call}.verify`, head: base, codes: ['A'], iteration: 1 }
    return await bench.run('verifyTree', { ...step, selections, ...(lane ? { lane } : {}) })
  }
  assert.deepEqual(await printed(), ['filled 0'])
  assert.equal((await verify('i1')).verdict, 'passed')
  await verify('i2')
  await verify('i4', { number: 2, of: 2 })
  const later = (await printed()).slice(1)
  assert.ok(later.length >= 3)
  assert.deepEqual(new Set(later), new Set(['filled 1']))

  // Somebody has changed what was kept: no run believes it any more.
  writeFileSync(join(bench.workspace(S1).directory, 'caches', 'go', 'planted'), '')
  await verify('i3')
  assert.equal((await printed()).at(-1), 'filled 0')
})

test('a command’s home goes with it even if its caches can’t be kept', { skip: NO_SANDBOX }, async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' }, { sandbox: { ...DEFAULTS.sandbox, mode: 'require' as const } })
  await bench.run('openSession', { sessionId: S1 })
  const workspace = { ...bench.workspace(S1) }
  const folder = join(bench.home, 'call')
  const place = { workspace, folder, cwd: workspace.tree }
  const entered = await enterCommandSandbox(bench.shop, await loadSession(bench.shop, S1), place)
  mkdirSync(join(folder, 'home/.cache'))
  Object.defineProperty(workspace, 'directory', { get: () => assert.fail('the disk is in trouble') })
  await assert.rejects(async () => await entered?.release(), /the disk is in trouble/)
  assert.ok(!existsSync(join(folder, 'home')))
})
