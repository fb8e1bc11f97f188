// What a prompt says besides the task: the code, from the tree that the call starts on and from the reviewed change, without what is secret;
// the review and the branches, from the record of the session and its artifacts, on whatever host.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadSession } from '../../../src/activities/context.ts'
import { buildFixPrompts } from '../../../src/activities/fix/fixer-prompt-input.ts'
import { loadBounds } from '../../../src/activities/fix/load-bounds.ts'
import { classifyFile } from '../../../src/domain/issue/code-kind.ts'
import { batchOf, blocksIn, fixInput } from '../plan/support.ts'
import { type Bench, setBench } from '../support.ts'

const numbered = (count: number, change: Readonly<Record<number, string>> = {}) =>
  `${Array.from({ length: count }, (_, index) => change[index + 1] ?? `line ${index + 1}`).join('\n')}\n`

async function promptOf(bench: Bench, id: string, more: Parameters<typeof fixInput>[3] = {}, tree?: string) {
  const opened = await bench.run('openSession', { sessionId: id })
  const session = await loadSession(bench.shop, id)
  const input = fixInput(
    id,
    opened,
    session.issues.map(({ issue_code }) => issue_code),
    more,
  )
  const start = {
    tree: tree ?? opened.base,
    owners: {},
    parts: new Map(),
    unclaimed: [],
    lost: [],
    overlaps: [],
    claims: {},
    fromSnapshots: [],
  }
  const bounds = await loadBounds(bench.shop, session, bench.workspace(id), input)
  return await buildFixPrompts(bench.shop, session, bench.workspace(id), { input, start, bounds })
}

test('guidelines name a framework where the base commit requires it, and for code of its kind alone [S0-4]', async (t) => {
  const bench = await setBench(t)
  const headings = async (id: string, file: string) => {
    await bench.session(id, { A: file })
    const batch = batchOf(['A'], { kind: classifyFile(file) })
    return (await promptOf(bench, id, { batch })).prompt.match(/^### .+/gm) ?? []
  }
  // What is not committed does not count.
  bench.write({ 'requirements.txt': 'fastapi\n', 'web/package.json': '{"dependencies":{"react":"19","next":"15"}}' })
  assert.deepEqual(await headings('s1', 'src/app.py'), [])
  bench.git(['add', '.'])
  bench.git(['commit', '-qm', 'frameworks'])
  assert.deepEqual(await headings('s2', 'src/app.py'), ['### FastAPI'])
  assert.deepEqual(await headings('s3', 'web/page.tsx'), ['### React', '### Next.js'])
})

test('a fixer sees the lines around its findings as its tree has them, and the hunks of the reviewed change near them [S4-7]', async (t) => {
  const bench = await setBench(t)
  bench.write({ 'src/big.py': numbered(200), 'src/other.py': numbered(50) })
  bench.git(['add', '.'])
  bench.git(['commit', '-qm', 'main'])
  const main = bench.git(['rev-parse', 'HEAD'])
  bench.write({
    'src/big.py': numbered(200, { 100: 'reviewed', 190: 'far away' }),
    'src/other.py': numbered(50, { 5: 'not asked about' }),
  })
  bench.git(['commit', '-qam', 'feature'])
  const options = { against: { name: 'main', commit: main } }
  const files = { A: 'src/big.py', B: 'gone.py', C: 'link.md', D: 'src' }
  await bench.session('s1', files, {}, { options })
  const at = (issue: { issue_code: string }) => (issue.issue_code === 'A' ? { ...issue, line: '101' } : issue)
  const lined = {
    ...bench.shop,
    store: { ...bench.store, sessions: { ...bench.store.sessions, listIssues: withLines } },
  }
  async function withLines(id: string) {
    return (await bench.store.sessions.listIssues(id)).map(({ issue, ...rest }) => ({
      ...rest,
      issue: at(issue) as typeof issue,
    }))
  }
  const first = await promptOf({ ...bench, shop: lined }, 's1')
  const blocks = blocksIn(first.prompt)
  const code = blocks.get('code') ?? ''
  assert.match(code, /^src\/big\.py, lines 81 to 121 of 200 \(A at 101\)\n81 {2}line 81\n/)
  assert.match(code, /\n100 {2}reviewed\n/)
  for (const none of ['gone.py (B)', 'link.md (C)', 'src (D)'])
    assert.ok(code.includes(`${none}: there is no such file`), none)
  const change = blocks.get('change') ?? ''
  assert.match(
    change,
    /^src\/big\.py \(A\)\n97 {3}line 97\n98 {3}line 98\n99 {3}line 99\n100 - line 100\n100 \+ reviewed\n/,
  )
  assert.doesNotMatch(change, /far away|not asked about/)

  const tree = await bench.fixed(
    's1',
    's1.i1.b1.fix',
    { 'src/big.py': numbered(200, { 102: 'fixed by an earlier call' }) },
    'A',
  )
  const later = blocksIn((await promptOf({ ...bench, shop: lined }, 's1', {}, tree)).prompt)
  assert.match(later.get('code') ?? '', /\n102 {2}fixed by an earlier call\n/)

  // A conversation has seen them; one that turns out to be gone is told again.
  const resumed = await promptOf({ ...bench, shop: lined }, 's1', { resume: { id: 'c1' } })
  assert.deepEqual(
    ['code', 'change'].map((name) => blocksIn(resumed.prompt).has(name)),
    [false, false],
  )
  const afresh = blocksIn((await resumed.buildFullPrompt?.()) ?? '')
  assert.deepEqual(
    ['code', 'change'].map((name) => afresh.has(name)),
    [true, true],
  )
})

test('of a key in the code a prompt shows nothing, also where only the middle of it would be shown, and the lines below keep their numbers [S4-7, S4-17]', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim()
  const length = key.split('\n').length
  const bench = await setBench(t)
  const main = bench.git(['rev-parse', 'HEAD'])
  bench.write({ 'key.py': `${key}\nafter\n` })
  bench.git(['add', '.'])
  bench.git(['commit', '-qm', 'feature'])
  await bench.session('s1', { A: 'key.py' }, {}, { options: { against: { name: 'main', commit: main } } })
  const at = (line: number) => async (id: string) =>
    (await bench.store.sessions.listIssues(id)).map(({ issue, ...rest }) => ({
      ...rest,
      issue: { ...issue, line: `${line}` },
    }))
  const store = { ...bench.store, sessions: { ...bench.store.sessions, listIssues: at(length - 19) } }
  const { prompt } = await promptOf({ ...bench, shop: { ...bench.shop, store } }, 's1')
  for (const line of key.split('\n').slice(1, -1)) assert.ok(!prompt.includes(line), 'a piece of the key')
  const blocks = blocksIn(prompt)
  assert.equal((blocks.get('code') ?? '').split('\n').at(-1), `${length + 1}  after`)
  assert.match(blocks.get('change') ?? '', /^key\.py \(A\)\n\d+ \+ /)
})

test('a file without end, a link and a shallow clone cost a prompt nothing but their excerpt', async (t) => {
  const bench = await setBench(t)
  bench.write({ 'huge.txt': 'x\n'.repeat(400_000) })
  rmSync(join(bench.repository, 'link.md'))
  symlinkSync('/etc/passwd', join(bench.repository, 'link.md'))
  bench.git(['add', '.'])
  bench.git(['commit', '-qm', 'huge'])
  const options = { against: { name: 'main', commit: '0'.repeat(40) } }
  await bench.session('s1', { A: 'huge.txt', B: 'link.md' }, {}, { options })
  const blocks = blocksIn((await promptOf(bench, 's1')).prompt)
  assert.equal(
    blocks.get('code'),
    'huge.txt (A): a file of 800000 bytes, which is not shown\n\nlink.md (B): there is no such file',
  )
  assert.equal(blocks.has('change'), false)
})

test('the review and the branches of a session stand in its prompts; an older session has neither and is none the worse for it [S4-2]', async (t) => {
  const bench = await setBench(t)
  const { ref: review } = await bench.shop.artifacts.put('# Review\n\nThe discount is wrong.')
  const against = { name: 'main', commit: bench.git(['rev-parse', 'HEAD']) }
  await bench.session('new', { A: 'src/app.py' }, {}, { options: { base_name: 'feature', against, review } })
  await bench.session('old', { A: 'src/app.py' })
  const told = async (id: string, resume?: { id: string }) => {
    const opened = await bench.run('openSession', { sessionId: id })
    const session = await loadSession(bench.shop, id)
    const start = {
      tree: opened.base,
      owners: {},
      parts: new Map(),
      unclaimed: [],
      lost: [],
      overlaps: [],
      claims: {},
      fromSnapshots: [],
    }
    const input = fixInput(id, opened, ['A'], resume ? { resume } : {})
    const bounds = await loadBounds(bench.shop, session, bench.workspace(id), input)
    const asked = { input, start, bounds }
    const { prompt, buildFullPrompt } = await buildFixPrompts(bench.shop, session, bench.workspace(id), asked)
    return { blocks: blocksIn(prompt), afresh: blocksIn((await buildFullPrompt?.()) ?? '') }
  }
  const { blocks } = await told('new')
  assert.equal(blocks.get('review'), '# Review\n\nThe discount is wrong.')
  const { base, against: other } = JSON.parse(blocks.get('call') ?? '')
  assert.deepEqual([base, other], ['feature', 'main'])
  const resumed = await told('new', { id: 'c1' })
  assert.deepEqual([resumed.blocks.has('review'), resumed.afresh.has('review')], [false, true])
  const old = await told('old')
  assert.deepEqual([old.blocks.has('review'), 'base' in JSON.parse(old.blocks.get('call') ?? '')], [false, false])
})
