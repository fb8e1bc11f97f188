// What a session does for a repository that needs more of a commit than others: files of a filter are left alone, and who vouches for a
// commit is named in it. The calls of the agent are on record already; what they did is written by hand.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitOfA, DEFAULTS, S1, setBench } from './support.ts'

const CODES = ['A', 'B']
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0a'.repeat(32)}\nsize 12345\n`

test('a file that a filter would have to store is not committed as it is: nobody can let it through, and new ones count', async (t) => {
  const bench = await setBench(t)
  bench.write({ '.gitattributes': '*.psd filter=lfs\n', 'art/old.psd': POINTER, 'src/b.py': 'b\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'art'])
  bench.write({ '.git/info/attributes': '*.key filter=git-crypt\n' })
  await bench.session(S1, { A: 'src/app.py', B: 'src/b.py' }, {}, { options: { filters: true } })
  const { base } = await bench.run('openSession', { sessionId: S1 })
  const { tree, directory } = bench.workspace(S1)
  assert.equal(
    bench.git(['hash-object', '--no-filters', join(tree, 'art/old.psd')]),
    bench.git(['rev-parse', 'HEAD:art/old.psd']),
  )

  const ofTheDead = join(directory, `fixwright-index.${spawnSync('true').pid}-left`)
  for (const folder of [join(tree, 'new'), ofTheDead]) mkdirSync(folder)
  for (const [file, text] of [
    ['src/app.py', 'fixed\n'],
    ['src/b.py', 'fixed, too\n'],
    ['new/one.psd', 'pixels'],
    ['new/one.key', 'a secret'],
    // What an agent makes of the attributes changes nothing.
    ['.gitattributes', '* text\n'],
  ] as const) {
    writeFileSync(join(tree, file), text)
  }
  const claims = { A: ['src/app.py', 'new/one.psd', 'new/one.key', '.gitattributes'], B: ['src/b.py'] }
  const results = CODES.map((code) => ({ issue_code: code, status: 'fixed', file_modified: claims[code as 'A' | 'B'] }))
  const { ref } = await bench.shop.artifacts.put(JSON.stringify({ results }))
  const claim = await bench.store.agentCalls.claim({ session_id: S1, key: 'fix', role: 'fixer', codes: [] })
  await bench.store.agentCalls.finish(claim.call, { reply_ref: ref })
  const batch = { kind: 'backend', label: 'BE 1/1', workload: 2, steps: [CODES] } as const
  const input = { sessionId: S1, stepId: 'fix', head: base, stage: 1, batch, iteration: 1, codes: CODES, start: [] }
  const { work } = await bench.run('fixBatch', { ...input, feedbackStepIds: [] })
  assert.deepEqual(work.violations, [
    'new/one.key (a file of the git filter git-crypt, which is not run here)',
    'new/one.psd (a file of the git filter lfs, which is not run here)',
  ])
  assert.deepEqual(work.outOfScope, ['A'])
  assert.ok(!existsSync(ofTheDead), 'it is looked for where it goes with the workspace')
})

test('a commit is signed off with its author where the operator vouches for it', async (t) => {
  const bench = await setBench(t)
  const git = { ...DEFAULTS.git, sign_off: true, author_name: 'Ada', author_email: 'ada@example.org' }
  await bench.session(S1, { A: 'src/app.py' }, { git })
  const { base, branch = '' } = await bench.run('openSession', { sessionId: S1 })
  const tree = await bench.fixed(S1, 'fix', { 'src/app.py': 'x = 1\n' }, 'A')
  const on = commitOfA(S1, base)
  await bench.run('commitStage', { ...on, tree, verified: 'unverified', at: Date.now() })
  const format = '--format=%an <%ae>%n%(trailers:key=Signed-off-by,valueonly)'
  assert.equal(bench.git(['log', '-1', format, branch]), 'Ada <ada@example.org>\nAda <ada@example.org>')
})
