// What a fixer's call brings besides its change, and who decides about it.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { prepareScopeRequest } from '../../../src/activities/scope/apply-scope-decision.ts'
import { AT } from '../../platform/git/support.ts'
import { DEFAULTS } from '../support.ts'
import { type CallBench, CODES, setCallBench } from './support.ts'

const KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKE'
const AWS = `AWS_SECRET_ACCESS_KEY = "${KEY}"\n`

async function asked(bench: CallBench, stepId: string): Promise<string[]> {
  const { files } = await prepareScopeRequest(bench.shop, { sessionId: 's1', stepId })
  return files.map(({ path, why, codes }) => `${path}: ${why} (${codes.join()})`)
}

const put = (files: Readonly<Record<string, string | Buffer>>) => (tree: string) => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(tree, path, '..'), { recursive: true })
    writeFileSync(join(tree, path), content)
  }
}

describe('a person is asked about a fix that brings', () => {
  test('a secret, which nobody is shown', async (t) => {
    const bench = await setCallBench(t)
    const work = await bench.fix('fix', put({ 'cfg.py': AWS, 'src/a.ts': `import cfg\n${AWS}` }))
    assert.deepEqual([work.violations, work.needsApproval], [[], CODES])
    assert.deepEqual(await asked(bench, 'fix'), [
      'cfg.py: a new secret (aws) (A,B)',
      'src/a.ts: a new secret (aws) (A)',
    ])
    const events = JSON.stringify(await bench.store.events.listAfter('s1'))
    assert.match(events, /cfg\.py \(a new secret \(aws\); A, B\)/)
    assert.doesNotMatch(events, /wJalr/)
  })

  test('a secret only if no changed file held it before', async (t) => {
    const bench = await setCallBench(t)
    bench.write({ 'src/a.ts': AWS })
    bench.git(['commit', '-qam', 'a secret'])
    await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
    await bench.begin('s2')
    const work = await bench.fix('fix', put({ 'src/a.ts': 'import cfg\n', 'src/b.ts': `cfg\n${AWS}` }))
    assert.equal(work.needsApproval, undefined)
  })

  test('many files or bytes, or a binary: the issues that did it are named', async (t) => {
    const bench = await setCallBench(t)
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`test/${at}.txt`, 'x']))
    await bench.fix('many', put(many))
    const files = await asked(bench, 'many')
    assert.equal(files.length, 51)
    assert.equal(files[0], 'test/0.txt: one of 51 new files, more than 50 (A,B)')
    await bench.fix('large', put({ 'docs/d.md': 'x'.repeat(1_500_000), 'test/i.png': Buffer.from('a\0b') }))
    assert.deepEqual(await asked(bench, 'large'), [
      'docs/d.md: 1.4 MB of 1.5 MB added, more than 1 MB (A,B)',
      'test/i.png: a binary (A,B)',
    ])
  })

  test('a name that differs only in case or Unicode form, a link, and a folder that became one', async (t) => {
    const bench = await setCallBench(t)
    await bench.fix('names', (tree) => {
      put({ 'SRC/c.test.ts': '', 'docs/D.md': '', 'test/caf\u00e9.txt': '', 'test/cafe\u0301.txt': '' })(tree)
      renameSync(join(tree, 'src/b.ts'), join(tree, 'src/B.ts'))
    })
    assert.deepEqual(await asked(bench, 'names'), [
      'SRC/c.test.ts: a name like src (A,B)',
      'docs/D.md: a name like docs/d.md (A,B)',
      'test/caf\u00e9.txt: a name like test/cafe\u0301.txt (A,B)',
    ])
    await bench.fix('links', (tree) => {
      symlinkSync('a.ts', join(tree, 'src/link.ts'))
      rmSync(join(tree, 'docs'), { recursive: true })
      symlinkSync('src', join(tree, 'docs'))
    })
    assert.deepEqual(await asked(bench, 'links'), [
      'docs: a folder turned into a link (A,B)',
      'src/link.ts: a new link (A,B)',
    ])
  })

  test('a new file that nothing uses, but not a test, a document, or what another file names', async (t) => {
    const bench = await setCallBench(t)
    const free = ['test/a.test.ts', 'docs/new.md', 'CHANGES/12.bugfix', 'src/__init__.py', 'test/fixtures/x.json']
    const files = Object.fromEntries([...free, 'src/helper.ts', 'src/orphan.ts'].map((path) => [path, 'orphan\n']))
    await bench.fix('fix', put({ ...files, 'src/a.ts': "import { help } from './helper.ts'\n" }))
    assert.deepEqual(await asked(bench, 'fix'), [])
    const alone = { ...files, 'src/a.ts': "import { help } from './helper.ts'\n" }
    await bench.fix(
      'alone',
      put({ ...alone, ...Object.fromEntries(free.map((path) => [path, ''])), 'src/helper.ts': '' }),
    )
    assert.deepEqual(await asked(bench, 'alone'), ['src/orphan.ts: a new file that nothing uses (A,B)'])
  })
})

describe('what a fix may bring', () => {
  test('is remembered by its path, and decided ahead by the settings', async (t) => {
    const { scope } = DEFAULTS
    const reject = {
      ...scope.additions,
      links: { decision: 'reject', limit: 0 },
      unused_files: { decision: 'allow', limit: 0 },
    } as const
    const bench = await setCallBench(t, { scope: { ...scope, additions: reject } })
    const secret = put({ 'cfg.py': AWS })
    assert.deepEqual((await bench.fix('one', secret)).needsApproval, CODES)
    const decision = { decision: 'approve', remember: 'session' } as const
    const decidedBy = { by: 'ada', from: 'cli', at: AT.getTime() }
    await bench.run('applyScopeDecision', { sessionId: 's1', stepId: 'one', decision, decidedBy })
    assert.equal((await bench.fix('two', secret)).needsApproval, undefined)
    assert.deepEqual((await bench.fix('other', put({ 'cfg2.py': AWS }))).needsApproval, CODES)
    const link = await bench.fix('link', (tree) => symlinkSync('a.ts', join(tree, 'src/link.ts')), {
      B: ['src/link.ts'],
    })
    assert.deepEqual([link.violations, link.outOfScope], [['src/link.ts (a new link)'], ['B']])
  })
})
