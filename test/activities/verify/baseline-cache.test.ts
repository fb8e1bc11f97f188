// The untouched base is run once for all sessions on the same commit, as long as that is worth something.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ActivityContext, loadSession } from '../../../src/activities/context.ts'
import { loadGateRecord, storeGateRecord } from '../../../src/activities/gate-records.ts'
import { findCachedBaseline } from '../../../src/activities/verify/baseline-cache.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { type Bench, dyingShop, setBench, verifiedBy } from '../support.ts'

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
  const base = async (id: string, more: Partial<Settings['verification']> = {}, shop: ActivityContext = bench.shop) => {
    await bench.session(id, { A: 'src/app.py' }, verifiedBy([counts], more))
    const { base: head } = await bench.run('openSession', { sessionId: id })
    await bench.run('verifyBaseline', { sessionId: id, stepId: 'base', head }, { shop })
    return head
  }
  return { bench, counts, times, base }
}

async function told(bench: Bench, id: string): Promise<string> {
  return (await bench.store.events.listAfter(id)).map(({ message }) => message).join('\n')
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
  const input = { sessionId: idOf('s2'), stepId: 's1.i1.verify', head, selections: picks, codes: ['A'], iteration: 1 }
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
  assert.equal((await findCachedBaseline(bench.shop, session, head, now + 86_000_000))?.session, idOf('s3'))
  assert.equal(await findCachedBaseline(bench.shop, session, head, now + 86_500_000), undefined)
  assert.equal(await findCachedBaseline(bench.shop, session, head, now - 86_500_000), undefined)
  for await (const { ref } of bench.shop.artifacts.list()) await bench.shop.artifacts.remove(ref, now + 60_000)
  assert.equal(await findCachedBaseline(bench.shop, session, head), undefined)
})

test('what fails a tree is run on the recalled base before the fix is blamed, once a session, and what broke outside since is no fault of it', async (t) => {
  const bench = await setBench(t)
  const at = (name: string) => join(bench.home, name)
  const service = `echo run >> ${at('times')}; test ! -e ${at('outage')}`
  const checks = 'grep -q "return [12]" src/app.py'
  const times = () => readFileSync(at('times'), 'utf8').trim().split('\n').length
  const start = async (id: string) => {
    await bench.session(id, { A: 'src/app.py' }, verifiedBy([service, checks]))
    const { base: head } = await bench.run('openSession', { sessionId: id })
    await bench.run('verifyBaseline', { sessionId: id, stepId: 'base', head })
    const verify = async (snapshot: string, files: Readonly<Record<string, string>>) => {
      await bench.fixed(id, snapshot, files, 'A')
      const picks = [{ snapshot, codes: ['A'] }]
      const call = `s1.${snapshot}.verify`
      return await bench.run('verifyTree', {
        sessionId: id,
        stepId: call,
        head,
        selections: picks,
        codes: ['A'],
        iteration: 1,
      })
    }
    return { verify, base: head }
  }
  const source = async (id: string) =>
    (await loadGateRecord(bench.shop, await loadSession(bench.shop, id), 'base'))?.source?.state
  await start(idOf('s1'))
  const own = await start(idOf('s2'))
  assert.equal(times(), 1)
  assert.deepEqual([await source(idOf('s1')), await source(idOf('s2'))], ['measured', 'cached'])
  assert.equal(
    (await own.verify('bad', { 'src/app.py': 'x\n' })).verdict,
    'failed',
    'it breaks what passes there still',
  )
  assert.deepEqual([times(), await source(idOf('s2'))], [3, 'measured'])
  assert.match(await told(bench, idOf('s2')), /^on the untouched base all of it passes still$/m)
  writeFileSync(at('outage'), '')
  assert.equal(
    (await own.verify('good', { 'src/app.py': 'return 2\n' })).verdict,
    'failed',
    'by then the base is its own',
  )
  assert.equal(times(), 4)

  const late = await start(idOf('s3'))
  const { verdict, summary } = await late.verify('good', { 'src/app.py': 'return 2\n' })
  assert.equal(verdict, 'passed', summary)
  assert.equal(times(), 7, 'the tree, the base, and the tree again for what was not reached')
  const said = await told(bench, idOf('s3'))
  assert.match(
    said,
    /^what fails here passed on the untouched base for session s1-\S+: it is run there again before a fix is blamed$/m,
  )
  assert.match(said, /^on the untouched base it fails now, too · echo run .*: failed: exit status 1$/m)
  assert.equal((await late.verify('bad', { 'src/app.py': 'x\n' })).verdict, 'failed')
  assert.equal(times(), 8)
  const kept = await loadGateRecord(bench.shop, await loadSession(bench.shop, idOf('s3')), 'base')
  const wavering = kept?.verification?.map(({ outcome, flaky = false }) => [outcome, flaky])
  assert.deepEqual(wavering, [
    ['failed: exit status 1', true],
    ['passed', false],
  ])
})

test('killed between the base that was run again and the commands that were not reached, those are run all the same', async (t) => {
  const bench = await setBench(t)
  const outage = join(bench.home, 'outage')
  const [service, checks] = [`test ! -e ${outage}`, 'grep -q "return [12]" src/app.py']
  const id = idOf('s1')
  await bench.session(id, { A: 'src/app.py' }, verifiedBy([service, checks]))
  const { base: head } = await bench.run('openSession', { sessionId: id })
  await bench.run('verifyBaseline', { sessionId: id, stepId: 'base', head })
  const tree = await bench.fixed(id, 'bad', { 'src/app.py': 'x\n' }, 'A')
  writeFileSync(outage, '')
  const session = await loadSession(bench.shop, id)
  const broken = { command: service, outcome: 'failed: exit status 1' }
  const base = await loadGateRecord(bench.shop, session, 'base')
  const verification = [broken, { command: checks, outcome: 'passed' }]
  await storeGateRecord(bench.shop, session, 'base', { tree: '', ...base, verification })
  await storeGateRecord(bench.shop, session, 's1.i1.verify', { tree, verification: [broken] })
  const picks = [{ snapshot: 'bad', codes: ['A'] }]
  const input = { sessionId: id, stepId: 's1.i1.verify', head, selections: picks, codes: ['A'], iteration: 1 }
  assert.equal((await bench.run('verifyTree', input)).verdict, 'failed')
})

test('no agent can have its fault excused by what it leaves behind, and a base that can’t be set up any more holds as it is known', async (t) => {
  const bench = await setBench(t)
  const outage = join(bench.home, 'outage')
  const checks = ['test ! -e node_modules/poison && test ! -e src/new.py']
  const verification = verifiedBy(checks, { setup: [`test ! -e ${outage}`], fresh_checkout: false })
  for (const [nth, id] of [idOf('s1'), idOf('s2'), idOf('s3')].entries()) {
    await bench.session(id, { A: 'src/app.py' }, verification)
    const { base: head } = await bench.run('openSession', { sessionId: id })
    await bench.run('verifyBaseline', { sessionId: id, stepId: 'base', head })
    if (nth === 0) continue
    bench.write({ 'node_modules/poison': 'x' }, bench.workspace(id).tree)
    await bench.fixed(id, 'fix', { 'src/new.py': 'x' }, 'A')
    if (nth === 2) writeFileSync(outage, '')
    const picks = [{ snapshot: 'fix', codes: ['A'] }]
    const input = { sessionId: id, stepId: 's1.i1.verify', head, selections: picks, codes: ['A'], iteration: 1 }
    assert.equal((await bench.run('verifyTree', input)).verdict, 'failed')
  }
  assert.match(await told(bench, idOf('s2')), /^on the untouched base all of it passes still$/m)
  assert.match(await told(bench, idOf('s3')), /^it could not be run there again, so that what was known holds: setup /m)
  const kept = await loadGateRecord(bench.shop, await loadSession(bench.shop, idOf('s3')), 'base')
  assert.deepEqual(kept?.source, { state: 'unavailable' })
})

test('a worker that dies while it hides what the checks left on the base costs no later session their names', async (t) => {
  for (let nth = 1; ; nth += 1) {
    const bench = await setBench(t)
    const start = async (id: string) => {
      await bench.session(id, { A: 'src/app.py' }, verifiedBy(['echo x > by-product']))
      return (await bench.run('openSession', { sessionId: id })).base
    }
    const head = await start(idOf(`s${nth}`))
    const verifyBase = (shop: ActivityContext) =>
      bench.run('verifyBaseline', { sessionId: idOf(`s${nth}`), stepId: 'base', head }, { shop })
    const dying = dyingShop(bench.shop, nth, 'before')
    await verifyBase(dying.shop).catch(() => undefined)
    if (!dying.died()) return
    await verifyBase(bench.shop)
    await start(idOf('later'))
    const known = await findCachedBaseline(bench.shop, await loadSession(bench.shop, idOf('later')), head)
    assert.deepEqual(known?.byProducts, ['by-product'], `after call ${nth}`)
  }
})
