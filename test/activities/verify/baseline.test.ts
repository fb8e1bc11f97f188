// What a fix is weighed beside: the base for the first stage, then the commit before it, whoever made that.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { createSnapshot } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT } from '../../platform/git/support.ts'
import { setBench, verifiedBy } from '../support.ts'

/** No other test's: what carries its name in its marker is ended when that is closed. */
const SESSION = `s-${randomUUID()}`

async function setStages(t: TestContext, commands: readonly string[], more: Partial<Settings['verification']> = {}) {
  const bench = await setBench(t)
  bench.write({ 'src/theirs': 'fine\n', 'src/app.py': 'bad\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'theirs'])
  await bench.session(SESSION, { A: 'src/app.py', B: 'src/lib/util.py' }, verifiedBy(commands, more))
  const { base } = await bench.run('openSession', { sessionId: SESSION })
  await bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const workspace = bench.workspace(SESSION)
  /** What a fixer leaves behind on top of a commit, seen by the gate. */
  const fix = async (call: string, head: string, code: string, files: Readonly<Record<string, string>>) => {
    bench.write(files, workspace.tree)
    const owners = Object.fromEntries(Object.keys(files).map((file) => [file, [code]]))
    const note = JSON.stringify({ owners, claims: {}, outOfScope: [], violations: [], notes: [] })
    const { commit } = await createSnapshot(workspace, { name: `${call}.fix`, parent: head, at: AT, message: note })
    const judged = { sessionId: SESSION, head, selections: [{ snapshot: `${call}.fix`, codes: [code] }], codes: [code] }
    const outcome = await bench.run('verifyTree', { ...judged, stepId: `${call}.verify`, iteration: 1 })
    const land = async () => {
      const { tree, verdict: verified } = outcome
      const input = {
        ...judged,
        stepId: `${call.split('.')[0]}.commit`,
        iteration: 1,
        tree,
        verified,
        at: AT.getTime(),
        iterations: {},
      }
      const committed = await bench.run('commitStage', input)
      assert.ok(committed.kind === 'committed')
      return { sha: committed.sha, message: bench.git(['log', '-1', '--format=%B', committed.sha]) }
    }
    return { ...outcome, commit, land }
  }
  return { bench, base, fix }
}

const SUITE =
  'echo 1..2; echo ok 1 - runs; if grep -q bad src/app.py; then echo not ok 2 - app; exit 1; else echo ok 2 - app; fi'

for (const [what, command] of Object.entries({ 'a test': SUITE, 'a command': '! grep -q bad src/app.py' })) {
  test(`${what} that one commit turned green is not turned red again by the next one`, async (t) => {
    const { base, fix } = await setStages(t, [command, 'true'])
    const first = await fix('s1.i1', base, 'A', { 'src/app.py': 'good\n' })
    assert.equal(first.verdict, 'passed')
    const { sha } = await first.land()
    const second = await fix('s2.i1', sha, 'B', { 'src/app.py': 'bad\n', 'src/lib/util.py': 'y\n' })
    assert.equal(second.verdict, 'failed')
    assert.ok(second.summary.startsWith(`${command}: failed: exit status 1`), second.summary)
    const third = await fix('s2.i2', sha, 'B', { 'src/app.py': 'good\n', 'src/lib/util.py': 'y\n' })
    assert.equal(third.verdict, 'passed')
  })
}

test('what was red on the base and passed by chance before a commit is run there again, once, before a later fix is blamed', async (t) => {
  const chance = join(tmpdir(), `chance-${SESSION}`)
  t.after(() => rmSync(chance, { force: true }))
  const wavers = `test -e ${chance}`
  const { bench, base, fix } = await setStages(t, [wavers, '! grep -q bad src/app.py', 'true'])
  writeFileSync(chance, '')
  const first = await fix('s1.i1', base, 'A', { 'src/app.py': 'good\n' })
  assert.equal(first.verdict, 'passed')
  const { sha } = await first.land()
  rmSync(chance)
  const second = await fix('s2.i1', sha, 'B', { 'src/lib/util.py': 'y\n' })
  assert.deepEqual([second.verdict, second.summary], ['passed', `${wavers}: failed: exit status 1, and failed before`])
  const worse = await fix('s2.i2', sha, 'B', { 'src/app.py': 'bad\n' })
  assert.deepEqual([worse.verdict, worse.summary], ['failed', '! grep -q bad src/app.py: failed: exit status 1'])
  const told = (await bench.store.events.listAfter(SESSION)).map(({ message }) => message)
  const again = `what fails here was red on the untouched base, and passed on ${sha.slice(0, 10)}: it is run there again before a fix is blamed`
  assert.equal(told.filter((message) => message === again).length, 1)
})

test('two lanes on the same commit have it checked once, and once more where it is in doubt', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lanes-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [chance, runs] = [join(folder, 'chance'), join(folder, 'runs')]
  const wavers = `test -e ${chance}`
  const counts = `test -e src/new.py || echo without >> ${runs}`
  const { bench, base, fix } = await setStages(t, [wavers, counts])
  const theirs = await fix('s0.person', base, 'A', { 'src/theirs': 'theirs\n' })
  writeFileSync(chance, '')
  const first = await fix('s1.i1', base, 'A', { 'src/app.py': 'good\n' })
  const { sha } = await first.land()
  rmSync(chance)
  await fix('s2.i1', base, 'B', { 'src/new.py': 'y\n' })
  const verifyInLanes = async (head: string, tree: string) => {
    writeFileSync(runs, '')
    const lanes = [1, 2].map((number) => {
      const selections = [{ snapshot: 's2.i1.fix', codes: ['B'] }]
      const step = { sessionId: SESSION, stepId: `s${number + 1}.${tree}.verify`, codes: ['B'], iteration: 1 }
      return bench.run('verifyTree', { ...step, head, selections, lane: { number, of: 2 } })
    })
    const verdicts = (await Promise.all(lanes)).map(({ verdict }) => verdict)
    return [...verdicts, readFileSync(runs, 'utf8')]
  }
  assert.deepEqual(await verifyInLanes(theirs.commit, 'i2'), ['passed', 'passed', 'without\n'])
  assert.deepEqual(await verifyInLanes(sha, 'i3'), ['passed', 'passed', 'without\n'])
})

test('what is red before is nobody’s fault for as long as it is, and named by no commit until it is mended', async (t) => {
  const { base, fix } = await setStages(t, ['! grep -q bad src/app.py', 'true'])
  const first = await fix('s1.i1', base, 'B', { 'src/lib/util.py': 'y\n' })
  assert.deepEqual(
    [first.verdict, first.summary],
    ['passed', '! grep -q bad src/app.py: failed: exit status 1, and failed before'],
  )
  const { sha, message } = await first.land()
  assert.match(message, /^Fixwright-Verified: true$/m)
  const second = await fix('s2.i1', sha, 'A', { 'src/app.py': 'good\n' })
  assert.equal(second.verdict, 'passed')
})

test('what a person’s commit on the branch breaks is not the fault of the fix that is merged onto it, and what it mends is to stay', async (t) => {
  const { bench, base, fix } = await setStages(t, ['grep -q fine src/theirs', '! grep -q bad src/app.py', 'true'])
  const theirs = await fix('s0.person', base, 'A', { 'src/theirs': 'broken\n', 'src/app.py': 'good\n' })
  const merged = await fix('s1.merge1', theirs.commit, 'B', { 'src/lib/util.py': 'y\n' })
  assert.deepEqual(
    [merged.verdict, merged.summary],
    ['passed', 'grep -q fine src/theirs: failed: exit status 1, and failed before'],
  )
  const worse = await fix('s1.merge2', theirs.commit, 'B', { 'src/lib/util.py': 'y\n', 'src/app.py': 'bad\n' })
  assert.deepEqual([worse.verdict, worse.summary], ['failed', '! grep -q bad src/app.py: failed: exit status 1'])
  const told = (await bench.store.events.listAfter(SESSION)).map(({ message }) => message)
  const short = theirs.commit.slice(0, 10)
  assert.equal(
    told.filter((message) => message.startsWith(`nobody has checked ${short}, which is on the branch`)).length,
    1,
  )
})
