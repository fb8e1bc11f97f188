import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { StartInput } from '../../src/preflight/check-start.ts'
import { lockFolder } from '../platform/git/support.ts'
import { NO_SANDBOX } from '../platform/sandbox/support.ts'
import { FINDINGS, setDesk } from '../runtime/support.ts'
import { insertIssues, insertSession } from '../support/store.ts'

test('work that was left unfinished goes on from where its branch is, also with what a person committed on it', async (t) => {
  const desk = await setDesk(t)
  const main = desk.git(['rev-parse', 'HEAD'])
  const first = await desk.ready()
  assert.equal(first.session.base_commit, main)
  await insertIssues(desk.store, first.session.repository, first.session.task_id, first.findings)
  await insertSession(desk.store, { ...first.session, branch_name: 'fix/one' })
  await desk.store.sessions.update(first.session.session_id, { status: 'partial' })
  assert.equal((await desk.ready()).session.base_commit, main, 'it never committed')

  desk.git(['checkout', '-q', '-b', 'fix/one'])
  desk.write({ 'src/app.py': 'by hand\n' })
  desk.git(['commit', '-qam', 'by hand'])
  const head = desk.git(['rev-parse', 'HEAD'])
  desk.git(['checkout', '-q', 'main'])
  // One that never got as far as a branch says nothing about where the work stands.
  const second = await desk.ready()
  await insertSession(desk.store, second.session)
  const third = await desk.ready()
  assert.deepEqual([second.session.base_commit, third.session.base_commit], [head, head])
  assert.equal(third.session.key, first.session.key)

  desk.write({ 'README.md': 'main moved on\n' })
  desk.git(['commit', '-qam', 'main moves on'])
  const moved = desk.git(['rev-parse', 'HEAD'])
  assert.equal((await desk.ready()).session.base_commit, moved, 'another base begins anew')
})

test('a branch that other work made meanwhile, under the name that this work never made use of, is not gone on with', async (t) => {
  const desk = await setDesk(t)
  const main = desk.git(['rev-parse', 'HEAD'])
  const branch_name = 'fix/one'
  const one = await desk.ready({ task: 'one' })
  await insertIssues(desk.store, one.session.repository, 'one', one.findings)
  await insertSession(desk.store, { ...one.session, branch_name })
  await desk.store.sessions.update(one.session.session_id, { status: 'failed' })
  const other = await desk.ready({ task: 'other' })
  await insertIssues(desk.store, other.session.repository, 'other', other.findings)
  await insertSession(desk.store, { ...other.session, branch_name })
  await desk.store.sessions.update(other.session.session_id, { status: 'partial' })
  desk.git(['checkout', '-q', '-b', branch_name])
  desk.write({ 'src/app.py': 'of the other\n' })
  desk.git(['commit', '-qam', 'of the other'])
  const head = desk.git(['rev-parse', 'HEAD'])
  desk.git(['checkout', '-q', 'main'])

  assert.equal((await desk.ready({ task: 'one' })).session.base_commit, main)
  assert.equal((await desk.ready({ task: 'other' })).session.base_commit, head)
  assert.match(await desk.obstacle({ task: 'one', branch: branch_name }), /exists already/)
})

test('that a setup will have no network before a commit is told before anything is spent', {
  skip: NO_SANDBOX,
}, async (t) => {
  const desk = await setDesk(t)
  const flags = { 'sandbox.mode': 'require', 'verification.commands': ['true'], 'verification.setup': ['npm ci'] }
  const notes = async (more = {}) => (await desk.ready({ flags: { ...flags, ...more } })).notes.join('\n')
  assert.match(await notes(), /has no network.*set sandbox\.commands_network/)
  assert.equal(await notes({ 'sandbox.commands_network': true }), '')
  assert.equal(await notes({ 'sandbox.mode': 'auto' }), '')
})

test('that a model can’t be reached from the sandbox is told before anything is begun', {
  skip: NO_SANDBOX,
}, async (t) => {
  const desk = await setDesk(t)
  const flags = { 'sandbox.mode': 'require', 'sandbox.endpoints': ['localhost:80'] }
  assert.match(await desk.problems({ flags }), /^sandbox\.mode is require, and localhost:80 can't be reached/)
  assert.equal(await desk.problems({ flags: { ...flags, 'sandbox.mode': 'auto' } }), '')
})

test('that strict checks may fail every batch is told before anything is spent, where there are several', async (t) => {
  const desk = await setDesk(t)
  const strict = { 'verification.commands': ['npm test'], 'verification.strict': true }
  const notes = async (flags: Record<string, unknown>) => (await desk.ready({ flags })).notes.join('\n')
  assert.equal(await notes(strict), '', 'one batch')
  desk.addFile('web/page.ts')
  desk.find([...FINDINGS, { issue_code: 'B', title: 'Two', file: 'web/page.ts' }])
  assert.match(
    await notes(strict),
    /^if a check fails on the base already, no fix passes but in .* each of the 2 batches/,
  )
  assert.equal(await notes({ ...strict, profile: 'sequential' }), '')
  assert.equal(await notes({ ...strict, profile: 'verify' }), '')
  assert.equal(await notes({ 'verification.commands': ['npm test'] }), '')
  assert.match(
    await notes({ 'verification.strict': true }),
    /^verification is strict, and no command is set: .*give --verify$/,
  )
})

test('what is wrong is told at once: settings, findings and files that are not committed', async (t) => {
  const desk = await setDesk(t)
  desk.write({ 'src/app.py': 'changed\n' })
  writeFileSync(desk.findings, JSON.stringify([...FINDINGS, { issue_code: 'constructor', title: 'x', file: 'x' }]))
  const flags = { 'gemini.models': ['claude-sonnet-5'] }
  const bad = await desk.prepare({ flags })
  assert.ok(bad.kind === 'refused')
  assert.match(bad.problems.join('\n'), /"constructor" must not be a name that every object/)
  assert.match(bad.problems.join('\n'), /claude-sonnet-5 comes from the fixer's own vendor/)
  assert.equal(bad.code, 'bad_input', 'of several kinds')

  writeFileSync(desk.findings, JSON.stringify(FINDINGS))
  const dirty = await desk.prepare()
  assert.ok(dirty.kind === 'refused' && /not committed/.test(dirty.problems[0] ?? ''))
  assert.equal(dirty.code, 'uncommitted_changes')
  await desk.ready({ allowDirty: true })
})

test('of a review only some findings may be chosen; they stay the same issues, of the same task [S2-35]', async (t) => {
  const desk = await setDesk(t)
  const issues = ['A', 'B', 'C'].map((issue_code) => ({ issue_code, title: issue_code, file: 'src/app.py' }))
  writeFileSync(desk.findings, JSON.stringify({ issues }))
  const whole = await desk.ready()
  const some = await desk.ready({ only: ['C', 'A'] })
  assert.deepEqual(
    some.findings.map(({ issue_code }) => issue_code),
    ['A', 'C'],
  )
  assert.equal(some.session.task_id, whole.session.task_id)
  assert.deepEqual(some.session.issue_ids, [whole.session.issue_ids[0], whole.session.issue_ids[2]])
  assert.notEqual(some.session.key, whole.session.key)
  const unknown = await desk.prepare({ only: ['A', 'D'] })
  assert.ok(unknown.kind === 'refused' && /there is no finding D to choose/.test(unknown.problems.join()))
})

test('the same work has one key: in whatever order its issues come, and by whatever path its repository is named [S2-32]', async (t) => {
  const desk = await setDesk(t)
  const issues = ['A', 'B', 'C'].map((issue_code) => ({ issue_code, title: issue_code, file: 'src/app.py' }))
  writeFileSync(desk.findings, JSON.stringify({ issues }))
  const { session } = await desk.ready()
  const link = join(desk.home, 'link')
  symlinkSync(desk.repository, link)
  mkdirSync(join(desk.repository, 'empty'))
  const places = [
    `${desk.repository}/`,
    link,
    `${link}//`,
    join(desk.repository, 'src'),
    join(link, 'src/lib'),
    join(link, 'empty'),
  ]
  for (const repository of places) {
    const same = (await desk.ready({ repository })).session
    assert.deepEqual([same.key, same.repository], [session.key, desk.repository])
  }
  writeFileSync(desk.findings, JSON.stringify({ issues: issues.toReversed() }))
  assert.equal((await desk.ready()).session.key, session.key)

  const others = [{ task: 'another' }, { findings: join(desk.home, 'fewer.json') }]
  writeFileSync(join(desk.home, 'fewer.json'), JSON.stringify({ issues: issues.slice(1) }))
  for (const other of others) assert.notEqual((await desk.ready(other)).session.key, session.key)
})

test('a branch that a person has is gone on with from its head, and is kept for the session from its first moment', async (t) => {
  const desk = await setDesk(t)
  desk.git(['checkout', '-q', '-b', 'mine'])
  desk.write({ 'src/app.py': 'mine\n' })
  desk.git(['commit', '-qam', 'mine'])
  const head = desk.git(['rev-parse', 'HEAD'])
  desk.git(['checkout', '-q', 'main'])
  const { session, obstacle } = await desk.ready({ branch: 'mine', useExistingBranch: true })
  assert.deepEqual([session.base_commit, session.branch_name, obstacle], [head, 'mine', undefined])

  const fresh = await desk.ready({ branch: 'topic/new' })
  assert.deepEqual(
    [fresh.session.base_commit, fresh.session.branch_name, fresh.obstacle],
    [desk.git(['rev-parse', 'main']), 'topic/new', undefined],
  )
  assert.equal(desk.git(['branch', '--list', 'topic/*']), '', 'nothing was made yet')
})

test('a branch that is missing, checked out, another name of one, behind or no branch at all is told before anything begins, with what to do [S2-37]', async (t) => {
  const desk = await setDesk(t)
  const use = (branch: string, more: Partial<StartInput> = {}) =>
    desk.obstacle({ branch, useExistingBranch: true, ...more })
  for (const name of ['fix/typing-a', 'fix/typing-b', 'quite-another']) desk.git(['branch', name])
  const missing = await use('fix/typing')
  assert.match(missing, /there is no branch fix\/typing: did you mean fix\/typing-[ab], fix\/typing-[ab]\?/)
  assert.match(await use('xyzxyz'), /there is no branch xyzxyz: the latest are .*main/)
  desk.git(['update-ref', 'refs/remotes/origin/fix/far', 'main'])
  assert.match(
    await use('fix/far'),
    /only origin\/fix\/far: make one of it first \(git branch fix\/far origin\/fix\/far\)/,
  )

  const linked = join(desk.home, 'a checkout')
  desk.git(['worktree', 'add', '-q', linked, 'quite-another'])
  assert.match(await use('quite-another'), /quite-another is checked out at .*a checkout.*git -C '.*a checkout' switch/)
  assert.match(await use('main'), /main is checked out at/)
  desk.git(['symbolic-ref', 'refs/heads/master', 'refs/heads/main'])
  assert.match(await use('master'), /master is another name of main, and .*: give --branch the name of one of its own/)

  for (const text of ['one', 'two']) {
    desk.write({ 'README.md': text })
    desk.git(['commit', '-qam', text])
  }
  assert.match(await use('fix/typing-a'), /is 2 commits behind main.*git rebase main fix\/typing-a/)
  assert.match(await use('fix/typing-a', { base: 'main~1' }), /is 1 commit behind main~1/)
  assert.equal(await use('fix/typing-a', { base: 'fix/typing-b' }), '')

  for (const branch of ['two words', 'a..b', '-f', 'HEAD', 'x.lock']) {
    const refused = await desk.prepare({ branch, useExistingBranch: true })
    assert.ok(refused.kind === 'refused', branch)
    assert.match(refused.problems.join(), /is not a branch name/)
  }
  const nameless = await desk.prepare({ useExistingBranch: true })
  assert.ok(nameless.kind === 'refused' && /without --branch/.test(nameless.problems.join()))
})

test('a new branch whose name is taken, or can not be beside another, is told with the way out; its own session goes on there [S2-37]', async (t) => {
  const desk = await setDesk(t)
  desk.git(['branch', 'fix/there'])
  assert.match(
    await desk.obstacle({ branch: 'fix/there' }),
    /exists already: give --use-existing-branch .*, or another name/,
  )
  assert.match(await desk.obstacle({ branch: 'fix' }), /can't keep a branch fix beside fix\/there/)
  assert.match(await desk.obstacle({ branch: 'fix/there/below' }), /beside fix\/there: give another name/)
  assert.match(await desk.obstacle({ branch: 'Fix/There' }), /beside fix\/there/)

  const { session, findings } = await desk.ready({ branch: 'fix/new' })
  await desk.store.createSession({ ...session, run_id: 'run' }, findings)
  assert.equal(await desk.obstacle({ branch: 'fix/new' }), '', 'the same work joins it')
  const other = await desk.obstacle({ branch: 'fix/new', task: 'another' })
  assert.match(other, new RegExp(`session ${session.session_id} is committing onto the branch fix/new`))
  desk.git(['branch', 'fix/new'])
  await desk.store.sessions.update(session.session_id, { status: 'partial' })
  assert.equal(await desk.obstacle({ branch: 'fix/new' }), '', 'it made the branch itself')
  assert.match(await desk.obstacle({ branch: 'fix/new', task: 'another' }), /exists already/)
})

test("work that stopped on a person's branch is not gone on with there unless they say so again", async (t) => {
  const desk = await setDesk(t)
  desk.git(['branch', 'mine'])
  const { session, findings } = await desk.ready({ branch: 'mine', useExistingBranch: true })
  await desk.store.createSession(session, findings)
  await desk.store.sessions.update(session.session_id, { status: 'partial' })
  desk.git(['checkout', '-q', 'mine'])
  desk.git(['commit', '-q', '--allow-empty', '-m', 'more'])
  desk.git(['checkout', '-q', 'main'])
  const again = await desk.ready({ branch: 'mine', useExistingBranch: true })
  assert.equal(again.session.base_commit, desk.git(['rev-parse', 'mine']))
  const without = await desk.ready()
  assert.deepEqual(
    [without.session.base_commit, without.session.branch_name],
    [desk.git(['rev-parse', 'main']), undefined],
  )
})

test('a repository that commits could not be written into is told before anybody is asked to fix anything [S2-37]', async (t) => {
  const desk = await setDesk(t)
  desk.git(['branch', 'fix/other'])
  for (const name of ['objects', 'refs/heads', 'refs/heads/fix']) {
    const unlock = lockFolder(join(desk.repository, '.git', name))
    if (unlock === undefined) return t.skip('this machine has no folder that the superuser may not write into')
    const expected = name === 'refs/heads' ? ['topic/new', 'topic'] : ['fix/new', undefined]
    try {
      for (const branch of expected) {
        const obstacle = await desk.obstacle(branch === undefined ? {} : { branch })
        assert.match(
          obstacle,
          new RegExp(`could not be written into .*\\.git/${name} \\(E\\w+\\): give the user`),
          `${branch}`,
        )
      }
    } finally {
      unlock()
    }
  }
  assert.equal(await desk.obstacle(), '')
})
