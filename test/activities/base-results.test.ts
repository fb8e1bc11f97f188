// The untouched base is run once for all sessions on the same commit, as long as that is worth something.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { recallBase } from '../../src/activities/base-results.ts'
import { loadSession, type Workshop } from '../../src/activities/workshop.ts'
import type { Settings } from '../../src/domain/settings.ts'
import { type Bench, setBench, verifiedBy } from './support.ts'

const RUN = randomUUID()

/** No other test's: what carries its name in its marker is ended when that is closed. */
function idOf(name: string): string {
  return `${name}-${RUN}`
}

async function setCounting(t: TestContext) {
  const bench = await setBench(t)
  const file = join(bench.home, 'times')
  const times = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0)
  const counts = `echo run >> ${file}; echo x > by-product`
  const base = async (id: string, more: Partial<Settings['verification']> = {}, shop: Workshop = bench.shop) => {
    await bench.session(id, { A: 'src/app.py' }, verifiedBy([counts], more))
    const { base: head } = await bench.run('openSession', { sessionId: id })
    await bench.run('verifyBase', { sessionId: id, call: 'base', head }, { shop })
    return head
  }
  return { bench, counts, times, base }
}

async function told(bench: Bench, id: string): Promise<string> {
  return (await bench.store.events.after(id)).map(({ message }) => message).join('\n')
}

test('a second session on the same commit does not run it again, says from where it is known, and hides the same by-products', async (t) => {
  const { bench, times, base } = await setCounting(t)
  const head = await base(idOf('s1'))
  await base(idOf('s2'))
  assert.equal(times(), 1)
  assert.match(await told(bench, idOf('s2')), /^all of it passed there for session s1-\S+, 0 min ago: not run again$/m)
  assert.match(await told(bench, idOf('s2')), /^on the untouched base: passed · /m)
  const tree = await bench.fixed(idOf('s2'), 'fix', { 'src/app.py': 'x = 1\n', 'by-product': 'x' }, 'A')
  const changed = bench.git(['-C', bench.workspace(idOf('s2')).gitDir, 'diff-tree', '-r', '--name-only', head, tree])
  assert.equal(changed, 'src/app.py')
  // What is known of another session's base is this one's, too: it fails what passed there.
  const picks = [{ snapshot: 'fix', codes: ['A'] }]
  const input = { sessionId: idOf('s2'), call: 's1.i1.verify', head, picks, codes: ['A'], iteration: 1 }
  assert.equal((await bench.run('verifyTree', input)).verdict, 'passed')
})

test('it is run again for another commit, other commands, another setup, environment or machine, and where it is not to be known', async (t) => {
  const { bench, counts, times, base } = await setCounting(t)
  await base(idOf('s1'))
  await base(idOf('s2'), { commands: [counts, 'true'] })
  await base(idOf('s3'), { setup: ['true'] })
  await base(idOf('s4'), {}, { ...bench.shop, environment: { ...bench.shop.environment, LANG: 'C' } })
  await base(idOf('s5'), {}, { ...bench.shop, hostQueue: 'another' })
  await base(idOf('s6'), { base_max_age_seconds: 0 })
  bench.git(['commit', '-q', '--allow-empty', '-m', 'next'])
  await base(idOf('s7'))
  assert.equal(times(), 7)
  await base(idOf('s8'), { setup: ['touch made'] })
  await base(idOf('s9'), { setup: ['touch made'] })
  assert.equal(times(), 8)
  assert.ok(existsSync(join(bench.workspace(idOf('s9')).tree, 'made')), 'each workspace is set up')
})

test('what is red is nobody’s for longer than its session, and what is old, gone or of tomorrow is not believed', async (t) => {
  const { bench, counts, times, base } = await setCounting(t)
  await base(idOf('s1'), { commands: [counts, 'false'] })
  await base(idOf('s2'), { commands: [counts, 'false'] })
  assert.equal(times(), 2)
  const head = await base(idOf('s3'))
  await bench.session(idOf('s4'), { A: 'src/app.py' }, verifiedBy([counts]))
  const session = await loadSession(bench.shop, idOf('s4'))
  const now = Date.now()
  assert.equal((await recallBase(bench.shop, session, head, now + 86_000_000))?.session, idOf('s3'))
  assert.equal(await recallBase(bench.shop, session, head, now + 86_500_000), undefined)
  assert.equal(await recallBase(bench.shop, session, head, now - 86_500_000), undefined)
  for await (const { ref } of bench.shop.artifacts.list()) await bench.shop.artifacts.remove(ref, now + 60_000)
  assert.equal(await recallBase(bench.shop, session, head), undefined)
})
