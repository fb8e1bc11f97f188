// Repositories that want more of a commit than Fixwright does by itself: told before anything is created, and gone on without only where
// the operator has agreed. Without the CLIs, a `fix` that has nothing against the repository ends with 3.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { repositoryOf } from '../support/session.ts'
import { setDesk } from './support.ts'

async function setNeedy(t: TestContext, files: Readonly<Record<string, string>>) {
  const desk = await setDesk(t)
  const repo = join(desk.folder, 'repo')
  repositoryOf({ 'a.py': 'x = 1\n', ...files })(repo)
  const findings = join(desk.folder, 'findings.json')
  writeFileSync(findings, JSON.stringify([{ issue_code: 'A-1', title: 'x is wrong', file: 'a.py' }]))
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', repo, '-c', 'user.name=x', '-c', 'user.email=x@y', ...args], { stdio: 'pipe' })
  }
  return {
    ...desk,
    repo,
    git,
    fix: (...more: string[]) => desk.run('fix', findings, '--repo', repo, ...more),
    trust: (...more: string[]) => desk.run('trust', '--repo', repo, '--yes', ...more),
  }
}

describe('what a repository needs', { concurrency: 3 }, () => {
  test('filters, hooks, signing and sign-off stop a start with their reasons, until somebody has agreed', async (t) => {
    const desk = await setNeedy(t, {
      '.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n',
      'art/a.psd': 'version https://git-lfs.github.com/spec/v1\n',
      '.husky/pre-commit': 'npx lint-staged\n',
      '.github/dco.yml': 'require: true\n',
    })
    writeFileSync(join(desk.folder, '.gitconfig'), '[commit]\n\tgpgSign\n[gpg]\n\tprogram = /nonexistent\n')
    const stopped = await desk.fix()
    assert.equal(stopped.status, 2)
    assert.match(stopped.stderr, /needs filters: git passes art\/a\.psd through the filter lfs/)
    assert.match(stopped.stderr, /needs hooks: .*\(\.husky\/pre-commit\).* verification\.commands/)
    assert.match(stopped.stderr, /needs signing: commit\.gpgSign is set \(global configuration of git\)/)
    assert.match(stopped.stderr, /needs sign-off: \.github\/dco\.yml asks .* git\.sign_off/)
    assert.match(stopped.stderr, /fixwright trust --repo \S+\/repo --without filters,hooks,signing,sign-off\n/)
    assert.deepEqual([await desk.store.sessions.list(), await desk.store.issues.list()], [[], []])

    assert.equal((await desk.trust('--without', 'filters,hooks')).status, 0)
    const left = await desk.fix('--set', 'git.sign_off=false')
    assert.equal(left.status, 2)
    assert.match(
      left.stderr,
      /^fixwright: nothing was changed: \n {2}\S+ needs signing: .*\n {2}to go on .*--without signing\n {2}claude/,
    )
    assert.equal((await desk.fix('--set', 'git.sign_off=false', '--set', 'repository.without=signing')).status, 3)
    assert.equal((await desk.trust('--without', 'signing', '--without', 'sign-off')).status, 0)
    assert.equal((await desk.fix()).status, 3)

    // Who agreed to one filter has not agreed to the next.
    desk.git('config', 'core.hooksPath', '.husky/_')
    writeFileSync(join(desk.repo, '.gitattributes'), '*.psd filter=lfs\na.py filter=evil\n')
    desk.git('commit', '-qam', 'another filter')
    const again = await desk.fix()
    assert.match(again.stderr, /A-1 is about a\.py, which is kept through the git filter evil: .* \(--only\)/)
    assert.match(again.stderr, /through the filter evil, lfs/)
    assert.match((await desk.trust('--without', 'coffee')).stderr, /--without coffee: must be one of filters, hooks/)
  })

  test('a repository with nothing special needs nothing, and can be told so', async (t) => {
    const desk = await setNeedy(t, { '.gitattributes': '* text=auto eol=lf\n*.png binary\n' })
    assert.equal((await desk.fix()).status, 3)
    const { status, stdout } = await desk.trust()
    assert.deepEqual([status, /^there is no \.fixwright\.yaml of \w{10}\n$/.test(stdout)], [0, true], stdout)
    assert.match((await desk.trust('--without', 'hooks')).stderr, /nothing was changed: \S+\/repo needs no hooks\n/)
  })
})
