// `fixwright trust`, and what its yes and no mean to `fix`, `config` and `doctor`. Nothing is started: without the CLIs, a `fix` that
// has nothing against the repository ends with 3.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { repositoryOf } from '../../support/session.ts'
import { atTerminal, ENTER } from '../../support/terminal.ts'
import { setDesk } from '../support.ts'

const CHECKS = 'verification:\n  commands: ["npm test"]\n'

async function setTrustDesk(t: TestContext, files: Readonly<Record<string, string>> = { '.fixwright.yaml': CHECKS }) {
  const desk = await setDesk(t)
  const repo = join(desk.folder, 'repo')
  repositoryOf({ 'a.py': 'x = 1\n', ...files })(repo)
  const findings = join(desk.folder, 'findings.json')
  writeFileSync(findings, JSON.stringify([{ issue_code: 'A-1', title: 'x is wrong', file: 'a.py' }]))
  const git = (...args: string[]): string => {
    const own = ['-C', repo, '-c', 'user.name=x', '-c', 'user.email=x@y']
    return execFileSync('git', [...own, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  return {
    ...desk,
    repo,
    git,
    fix: (...more: string[]) => desk.run('fix', findings, '--repo', repo, ...more),
    trust: (...more: string[]) => desk.run('trust', '--repo', repo, ...more),
    commands: async () => (await desk.run('config', 'verification.commands', '--repo', repo)).stdout,
    commit(text: string): void {
      writeFileSync(join(repo, '.fixwright.yaml'), text)
      git('commit', '-qam', 'settings')
    },
  }
}

describe('trust', { concurrency: 3 }, () => {
  test('a repository names its own checks once its file is trusted, to the byte, in this home', async (t) => {
    const desk = await setTrustDesk(t)
    const stopped = await desk.fix()
    assert.equal(stopped.status, 2)
    assert.match(
      stopped.stderr,
      /nothing was changed: \s+\.fixwright\.yaml of \w{10} sets verification\.commands, which counts only/,
    )
    assert.match(stopped.stderr, /fixwright trust --repo \S+\/repo; .* --ignore-untrusted\n/)
    assert.deepEqual([await desk.store.sessions.list(), await desk.store.issues.list()], [[], []])
    assert.equal(await desk.commands(), 'verification.commands  []  default\n')

    const asked = await desk.trust()
    assert.equal(asked.status, 2)
    assert.match(asked.stdout, /1 {2}verification:\n2 {4}commands: \["npm test"\]/)
    assert.match(asked.stdout, /it would set:\n {2}verification\.commands {2}\["npm test"\]/)
    assert.equal(existsSync(desk.home.trustFolder), false, 'nobody has said yes')

    assert.equal((await desk.trust('--yes')).status, 0)
    const [file = ''] = readdirSync(desk.home.trustFolder)
    assert.deepEqual(
      [desk.home.trustFolder, join(desk.home.trustFolder, file)].map((path) => statSync(path).mode & 0o777),
      [0o700, 0o600],
    )
    assert.match(
      await desk.commands(),
      /^verification\.commands {2}\["npm test"\] {2}trusted \.fixwright\.yaml of \w{10}:2\n$/,
    )
    const begun = await desk.fix()
    assert.deepEqual([begun.status, /not found|install/.test(begun.stderr)], [3, true], begun.stderr)
    const elsewhere = await desk.runWith({ FIXWRIGHT_HOME: join(desk.folder, 'other') }, 'config', '--repo', desk.repo)
    assert.match(elsewhere.stderr, /verification\.commands does not count: the file is not trusted\n/)
  })

  test('a change of one byte needs a new yes; the work tree, and what was revoked, count for nothing', async (t) => {
    const desk = await setTrustDesk(t)
    await desk.trust('--yes')
    writeFileSync(join(desk.repo, '.fixwright.yaml'), CHECKS.replace('test', 'evil'))
    assert.match(await desk.commands(), /npm test.*trusted/)
    desk.commit(`${CHECKS}\n`)
    const changed = await desk.fix()
    assert.equal(changed.status, 2)
    assert.match(changed.stderr, /\(it is not the content that you trusted before\) sets verification\.commands/)
    assert.match(await desk.commands(), /\[\] {2}default/)
    desk.commit(CHECKS)
    assert.match(await desk.commands(), /npm test.*trusted/, 'the same content as before')

    assert.match(
      (await desk.run('trust', '--list')).stdout,
      /^\S+\/repo {2}\.fixwright\.yaml \w{10} {2}\d{4}-\d\d-\d\dT[\d:.]+Z\n$/,
    )
    assert.match((await desk.trust('--revoke')).stdout, /is trusted with nothing any more/)
    assert.match((await desk.run('trust', '--list')).stdout, /^nothing is trusted\n$/)
    assert.match(await desk.commands(), /\[\] {2}default/)
  })

  test('who does not trust it may go on without what it says, and sees so; the doctor says how it stands', async (t) => {
    const desk = await setTrustDesk(t, { '.fixwright.yaml': `${CHECKS}max_iterations: 1\n` })
    assert.equal((await desk.fix('--ignore-untrusted')).status, 3)
    assert.equal((await desk.fix('--set', 'repository.untrusted=ignore')).status, 3)
    const [iterations, doctor] = await Promise.all([
      desk.run('config', 'max_iterations', '--repo', desk.repo),
      desk.run('doctor', '--repo', desk.repo),
    ])
    assert.match(iterations.stdout, /^max_iterations {2}1 {2}\.fixwright\.yaml of \w{10}:3\n/)
    assert.match(iterations.stderr, /:2: verification\.commands does not count: the file is not trusted\nto look at it/)
    assert.match(
      doctor.stdout,
      /✗ repository +\S+\/repo, .* not trusted: verification\.commands does not count\n +look at it/,
    )
    await desk.trust('--yes')
    assert.match(
      (await desk.run('doctor', '--repo', desk.repo)).stdout,
      /✓ repository +\S+\/repo, \.fixwright\.yaml of \w{10}, trusted\n/,
    )
  })

  test('on a terminal it asks, and what was shown is what is trusted, whatever is committed meanwhile', async (t) => {
    const desk = await setTrustDesk(t, { '.fixwright.yaml': `${CHECKS}# \x1b[8mhidden \u202e\n` })
    const no = atTerminal(t, desk, 'trust', '--repo', desk.repo)
    await no.shows(/# \\x1b\[8mhidden \\u\{202e\}/)
    await no.shows(/trust this content for .*\/repo\?[\s\S]*> /)
    no.types(`no${ENTER}`)
    assert.equal(await no.ended, 1)
    assert.equal(existsSync(desk.home.trustFolder), false)

    const yes = atTerminal(t, desk, 'trust', '--repo', desk.repo)
    await yes.shows(/trust this content for .*\/repo\?[\s\S]*> /)
    const seen = desk.git('rev-parse', 'HEAD').trim()
    desk.commit('verification:\n  commands: ["evil"]\n')
    yes.types(`yes${ENTER}`)
    assert.equal(await yes.ended, 0)
    assert.match(await desk.commands(), /\[\] {2}default/)
    const then = await desk.run('config', 'verification.commands', '--repo', desk.repo, '--base', seen)
    assert.match(then.stdout, /npm test.*trusted/)
  })

  test('what nobody can look at, or no repository may set, is not trusted; nor is it an agent that trusts', async (t) => {
    const desk = await setTrustDesk(t)
    const token = ['ghp', 'a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8'].join('_')
    const refused: (readonly [string, RegExp])[] = [
      [`${CHECKS}claude: { command: ./evil }\n`, /claude\.command: a repository may not set this/],
      [`${CHECKS}# ${token}\n`, /holds what looks like a secret/],
      [`${CHECKS}${'#\n'.repeat(600)}`, /longer than 500 lines/],
    ]
    for (const [text, why] of refused) {
      desk.commit(text)
      const { status, stdout, stderr } = await desk.trust('--yes')
      assert.equal(status, 2, text)
      assert.match(stderr, why)
      assert.ok(!`${stdout}${stderr}`.includes(token))
    }
    desk.commit(CHECKS)
    const agent = await desk.runWith({ FIXWRIGHT_CALL: 's/c/1/n' }, 'trust', '--repo', desk.repo, '--yes')
    assert.match(agent.stderr, /an agent can trust nothing/)
    desk.git('rm', '-q', '.fixwright.yaml')
    writeFileSync(join(desk.repo, 'real.yaml'), CHECKS)
    symlinkSync('real.yaml', join(desk.repo, '.fixwright.yaml'))
    desk.git('add', '.')
    desk.git('commit', '-qm', 'a link')
    assert.match((await desk.trust('--yes')).stderr, /\.fixwright\.yaml of \w{10} is a symbolic link: only a file/)
    assert.match((await desk.fix()).stderr, /: it is a symbolic link, so nothing of it counts; .* --ignore-untrusted\n/)
    assert.match(await desk.commands(), /\[\] {2}default/)
    assert.equal(existsSync(desk.home.trustFolder), false)
  })
})
