// What the challenger is shown of the code that a claimed false positive is about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeAround } from '../../src/activities/claimed-code.ts'
import { workOf } from '../../src/activities/note.ts'
import { finding } from '../store/support.ts'
import { setBench } from './support.ts'

const LINES = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`)

test('of a file that nobody changed the challenger sees the numbered lines around the finding, as they are in the tree', async (t) => {
  const bench = await setBench(t)
  await bench.session('s1', { A: 'src/app.py' })
  await bench.run('openSession', { sessionId: 's1' })
  const tree = await bench.fixed('s1', 's1.i1.b1.fix', { 'long.py': LINES.join('\n') }, 'A')
  const at = (file: string, line?: string) => ({ ...finding('A', { file, line }), issue_id: 'i1' })
  const shown = async (...issues: ReturnType<typeof at>[]) => await codeAround(bench.workspace('s1'), tree, issues)

  const middle = (await shown(at('long.py', '150-152')))?.split('\n') ?? []
  assert.equal(middle[0], 'A: long.py, lines 90 to 212 of 300')
  assert.deepEqual([middle[1], middle.at(-1)], ['90  line 90', '212  line 212'])
  assert.match((await shown(at('long.py'))) ?? '', /^A: long\.py, lines 1 to 61 of 300\n1 {2}line 1\n/)
  assert.match((await shown(at('long.py', '9999'))) ?? '', /^A: long\.py, lines 300 to 300 of 300\n300 {2}line 300$/)
  assert.equal(await shown(at('src')), 'A: there is no file src')
  assert.equal(await shown(at('gone.py'), at('gone.py')), 'A: there is no file gone.py\n\nA: there is no file gone.py')
  assert.equal(await shown(), undefined)
})

test('S4-14 a false positive is one only with a reason and without a change', () => {
  const claim = (changes_summary: string) => ({ issue_code: 'A', status: 'false_positive' as const, changes_summary })
  const work = (summary: string, owners = {}) => {
    const note = { owners, claims: { A: claim(summary) }, outOfScope: [], violations: [], notes: [] }
    return workOf('s1.i1.b1.fix', ['A'], { commit: 'c', parent: 'p', tree: 't', note }).issues.A
  }
  assert.deepEqual(work(' it is handled '), { files: 0, claim: 'false_positive', note: 'it is handled' })
  assert.deepEqual(work('it is handled', { 'a.py': ['A'] }), { files: 1 })
  assert.equal(work(' \n')?.claim, undefined)
  assert.match(work(' \n')?.note ?? '', /without a reason/)
  assert.equal(work('x'.repeat(5000))?.note?.length, 300)
})
