// What is found in repositories of every kind before a session begins, and what is made of it. Real git; nothing is started.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Settings } from '../../src/domain/settings/schema.ts'
import type { StartInput } from '../../src/preflight/check-start.ts'
import type { Sandbox } from '../platform/git/support.ts'
import { type Ready, setDesk } from '../runtime/support.ts'

interface Look extends Partial<StartInput> {
  readonly file?: string
}

async function setNeedsDesk(t: TestContext) {
  const desk = await setDesk(t)
  const orderFor = ({ file = 'src/app.py', ...more }: Look): Partial<StartInput> => {
    desk.find([{ issue_code: 'A', title: 'One', file }])
    return more
  }
  return {
    ...desk,
    problems: (given: Look = {}) => desk.problems(orderFor(given)),
    async ready(given: Look = {}): Promise<Ready> {
      const found = await desk.ready(orderFor(given))
      assert.equal(found.obstacle, undefined)
      return found
    },
    commit(files: Readonly<Record<string, string>>, message = 'more'): void {
      desk.write(files)
      desk.git(['add', '.'])
      desk.git(['commit', '-q', '-m', message])
    },
  }
}

/** Commands of filters that leave a trace. */
function trapFilter({ home, git }: Sandbox, name: string): string {
  const trace = join(home, 'a-filter-ran')
  for (const way of ['clean', 'smudge']) git(['config', `filter.${name}.${way}`, `touch '${trace}'; cat`])
  return trace
}

const WITHOUT_FILTERS = { 'repository.without': ['filters'] }
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0a'.repeat(32)}\nsize 12345\n`

test('a file that is kept through a filter is not fixed, wherever the attributes stand; others are, once it is agreed', async (t) => {
  const desk = await setNeedsDesk(t)
  desk.commit({
    'art/.gitattributes': '*.psd filter=lfs\n*.txt -filter\n*.odd filter=odd=name\n',
    'art/a.psd': POINTER,
    'art/a.txt': 'a\n',
    'art/a.odd': 'o\n',
  })
  mkdirSync(join(desk.repository, '.git/info'), { recursive: true })
  writeFileSync(join(desk.repository, '.git/info/attributes'), '*.key filter=git-crypt\n')
  desk.commit({ 'one.key': '\0GITCRYPT\0\u0001\u0002' })
  const trace = trapFilter(desk, 'lfs')
  trapFilter(desk, 'git-crypt')
  trapFilter(desk, 'odd=name')
  assert.match(
    await desk.problems(),
    /needs filters: git passes art\/a\.odd, art\/a\.psd, one\.key through the filter git-crypt, lfs, odd=name/,
  )
  const flags = WITHOUT_FILTERS
  assert.match(await desk.problems({ file: 'art/a.psd', flags }), /^A is about art\/a\.psd, .* git filter lfs/)
  assert.match(await desk.problems({ file: 'one.key', flags }), /^A is about one\.key, .* git filter git-crypt/)
  const { session } = await desk.ready({ file: 'art/a.txt', flags })
  assert.equal(session.options.filters, true)
  // A file that may have changed is looked into, which git does through its filter.
  for (const file of ['art/a.psd', 'art/a.odd', 'one.key']) utimesSync(join(desk.repository, file), 1, 1)
  await desk.ready({ flags })
  assert.equal(existsSync(trace), false)
})

test('a pointer that nobody’s attributes name is no file to fix either', async (t) => {
  const desk = await setNeedsDesk(t)
  desk.commit({ '.gitattributes': '* text=auto\n', 'stray.bin': POINTER })
  assert.match(
    await desk.problems({ file: 'stray.bin' }),
    /^A is about stray\.bin, which is kept through the git filter lfs/,
  )
  assert.equal((await desk.ready()).session.options.filters, undefined)
})

test('checks before a commit are found where they are written down and where they are installed', async (t) => {
  const desk = await setNeedsDesk(t)
  const hook = (folder: string, name: string, mode = 0o755): void => {
    mkdirSync(join(desk.repository, folder), { recursive: true })
    writeFileSync(join(desk.repository, folder, name), '#!/bin/sh\nexit 1\n', { mode })
  }
  hook('.git/hooks', 'post-rewrite')
  hook('.git/hooks', 'commit-msg', 0o644)
  assert.equal(await desk.problems(), '')
  hook('.git/hooks', 'pre-commit')
  assert.match(await desk.problems(), /needs hooks: .*\(\.git\/hooks\/pre-commit\)/)
  const linked = join(desk.home, 'linked')
  desk.git(['worktree', 'add', '-q', '-b', 'other', linked])
  assert.match(await desk.problems({ repository: linked }), /\(\.git\/hooks\/pre-commit\)/)
  hook('.own', 'commit-msg')
  desk.git(['config', 'core.hooksPath', '.own'])
  assert.match(await desk.problems(), /\(\.own\/commit-msg\)/)
  desk.git(['config', 'core.hooksPath', '/nonexistent'])
  assert.equal(await desk.problems(), '')
  hook('.githooks', 'pre-commit')
  desk.git(['add', '.githooks'])
  desk.git(['commit', '-qm', 'hooks'])
  for (const folder of ['.githooks', './.githooks/']) {
    desk.git(['config', 'core.hooksPath', folder])
    assert.match(await desk.problems(), /\(\.githooks\/pre-commit\)/, 'once, though it is both in the tree and in use')
  }
  desk.git(['config', 'core.hooksPath', '/nonexistent'])
  desk.git(['rm', '-qrf', '.githooks'])
  desk.git(['commit', '-qm', 'no hooks'])
  desk.git(['config', 'hook.style.event', 'pre-commit'])
  assert.match(await desk.problems(), /\(hook\.style\.event=pre-commit\)/)
  desk.git(['config', '--unset', 'hook.style.event'])
  for (const file of ['.pre-commit-config.yaml', 'lefthook.yml', 'packages/web/.husky/commit-msg', '.overcommit.yml']) {
    desk.commit({ [file]: 'x\n' })
    assert.ok((await desk.problems()).includes(`(${file})`), file)
    desk.git(['rm', '-q', file])
    desk.git(['commit', '-q', '-m', 'less'])
  }
})

test('a commit is signed by nobody and signed off only by somebody: where either is asked for, it is said', async (t) => {
  const desk = await setNeedsDesk(t)
  for (const [value, isOn] of [
    ['true', true],
    ['off', false],
    ['1', true],
  ] as const) {
    desk.git(['config', 'commit.gpgSign', value])
    assert.equal(/needs signing: commit\.gpgSign is set \(local/.test(await desk.problems()), isOn, value)
  }
  desk.git(['config', '--unset', 'commit.gpgSign'])
  desk.git(['config', 'format.signOff', 'yes'])
  assert.match(await desk.problems(), /needs sign-off: format\.signOff asks/)
  await desk.ready({ flags: { 'git.sign_off': false } })
  desk.git(['config', 'user.name', ''])
  assert.match(await desk.problems({ flags: { 'git.sign_off': true } }), /^git\.sign_off is true, but nobody is named/)
  await desk.ready({ flags: { 'git.sign_off': true, 'git.author_name': 'Ada', 'git.author_email': 'a@example.org' } })
  desk.git(['config', '--unset', 'format.signOff'])
  const signOffOf = (ready: Ready) => (ready.session.settings as Settings).git.sign_off
  for (const name of ['one', 'two', 'three'])
    desk.commit({ [name]: name }, `${name}\n\nSigned-off-by: Ada <a@example.org>`)
  assert.deepEqual([signOffOf(await desk.ready()), (await desk.ready()).notes], [null, []])
  desk.commit({ four: 'four' }, 'four\n\nSigned-off-by: Ada <a@example.org>')
  assert.match((await desk.ready()).notes.join('\n'), /^4 of the latest 5 commits are signed off, and so are/)
  assert.equal(signOffOf(await desk.ready()), null, 'nobody is named to vouch')
  desk.git(['config', 'user.name', 'Ada'])
  assert.equal(signOffOf(await desk.ready()), true)
  assert.equal(signOffOf(await desk.ready({ flags: { 'repository.without': ['sign-off'] } })), null)
  const refused = await desk.ready({ flags: { 'git.sign_off': false } })
  assert.deepEqual([signOffOf(refused), refused.notes], [false, []])
})

test('submodules stay empty and are told; a finding in one belongs to its own repository', async (t) => {
  const desk = await setNeedsDesk(t)
  const head = desk.git(['rev-parse', 'HEAD'])
  desk.git(['update-index', '--add', '--cacheinfo', `160000,${head},vendor/lib`])
  desk.git(['commit', '-q', '-m', 'a submodule'])
  mkdirSync(join(desk.repository, 'vendor/lib'), { recursive: true })
  assert.match((await desk.ready()).notes.join('\n'), /^submodules stay empty in a session \(vendor\/lib\)/)
  assert.match(
    await desk.problems({ file: 'vendor/lib/a.c' }),
    /^A is about vendor\/lib\/a\.c, which lies in the submodule vendor\/lib/,
  )
})

test('a partial clone is begun with only where it has all of the commit; a sparse checkout is no matter', async (t) => {
  const desk = await setNeedsDesk(t)
  desk.git(['config', 'uploadpack.allowFilter', 'true'])
  const [partial, whole] = [join(desk.home, 'partial'), join(desk.home, 'whole')]
  for (const [clone, more] of [
    [partial, ['--no-checkout']],
    [whole, []],
  ] as const) {
    desk.git(['clone', '-q', '--filter=blob:none', ...more, `file://${desk.repository}`, clone])
  }
  desk.git(['reset', '-q'], partial)
  assert.match(
    await desk.problems({ repository: partial, allowDirty: true }),
    /is a partial clone without \d+ of the objects .* --refetch/,
  )
  desk.git(['sparse-checkout', 'set', 'src'], whole)
  assert.deepEqual((await desk.ready({ repository: whole })).notes, [
    'this checkout is sparse; a session has all files',
  ])
})
