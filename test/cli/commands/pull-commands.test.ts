// What is said of pull requests before anything is started: names that mean none, and whether comments give commands.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ADA, startGitHub, TOKEN } from '../../support/github.ts'
import { repositoryOf } from '../../support/session.ts'
import { setDesk } from '../support.ts'

test('watch-pr names the repository that it knows nothing of as it was typed, and how a pull request is named', async (t) => {
  const desk = await setDesk(t)
  const here = await desk.run('watch-pr', 'acme/shop#1')
  assert.deepEqual([here.status, /the repository "\.": give .*repo list/.test(here.stderr)], [2, true], here.stderr)
  const elsewhere = await desk.run('watch-pr', '12', '--repo', './ship')
  assert.deepEqual([elsewhere.status, /"\.\/ship": give/.test(elsewhere.stderr)], [2, true], elsewhere.stderr)
  for (const typed of ['nonsense', 'acme/shop#', 'acme/shop/pull/12']) {
    const { status, stderr } = await desk.run('watch-pr', typed)
    assert.equal(status, 2, typed)
    assert.match(stderr, /owner\/name#12, as the address of its page, or as a number, such as 12/, typed)
    assert.ok(stderr.includes(typed), stderr)
  }
  assert.match((await desk.run('watch-pr')).stderr, /owner\/name#12, the address of its page, or 12/)
})

test('watch-pr takes a number alone for a pull request of the repository, where that is on the GitHub of the home', async (t) => {
  const desk = await setDesk(t)
  const repository = join(desk.folder, 'repository')
  repositoryOf({ 'a.txt': 'a\n' })(repository)
  assert.equal((await desk.run('repo', 'add', repository)).status, 0)
  const watch = (typed: string) => desk.run('watch-pr', typed, '--stop', '--repo', repository)
  const { stderr } = await watch('12')
  assert.match(stderr, /has no remote: add one with "git remote add"/)
  assert.doesNotMatch(stderr, /--remote/, 'watch-pr has no such option')
  execFileSync('git', ['-C', repository, 'remote', 'add', 'origin', 'https://forge.example/acme/shop.git'])
  assert.match((await watch('12')).stderr, /forge\.example\/acme\/shop, which is not on github\.com.*owner\/name#12/)
})

test('github doctor says whether comments give commands, how they are heard of, and what is missing', async (t) => {
  const desk = await setDesk(t)
  const repository = join(desk.folder, 'repository')
  repositoryOf({ 'a.txt': 'a\n' })(repository)
  const github = await startGitHub(t, { from: repository, tokens: [ADA] })
  execFileSync('git', ['-C', repository, 'remote', 'add', 'origin', github.remote])
  const doctor = async (settings: Readonly<Record<string, string>>) => {
    const args = Object.entries(settings).flatMap(([name, value]) => ['--set', `github.${name}=${value}`])
    const host = ['--set', `github.host=${github.host}`]
    const command = ['github', 'doctor', '--repo', repository, '--json', ...host, ...args]
    const { stdout, stderr } = await desk.runWith({ GH_ENTERPRISE_TOKEN: TOKEN }, ...command)
    assert.notEqual(stdout, '', stderr)
    const { checks } = JSON.parse(stdout) as {
      checks: { what: string; state: string; found: string; advice?: string }[]
    }
    return checks.at(-1)
  }
  assert.deepEqual((await doctor({}))?.found, 'start nothing: github.commands is false')
  const alone = await doctor({ commands: 'true' })
  assert.deepEqual([alone?.state, alone?.found], ['note', 'start sessions, by watches alone'])
  assert.match(`${alone?.advice}`, /github\.webhook_secret_file.*POST \/api\/github\/webhook/)
  const file = join(desk.folder, 'secret')
  writeFileSync(file, 'a secret\n')
  const both = await doctor({ commands: 'true', webhook_secret_file: file })
  assert.deepEqual(
    [both?.state, both?.found],
    ['ok', `start sessions, by the webhook (its secret: ${file}) and by watches`],
  )
  const gone = await doctor({ commands: 'true', webhook_secret_file: join(desk.folder, 'none') })
  assert.deepEqual([gone?.state, /webhook_secret_file.*none/.test(`${gone?.found}`)], ['missing', true])
  await github.plan([{ method: 'GET', path: '/permission$', fault: { kind: 'unauthorised' } }])
  assert.equal((await doctor({ commands: 'true' }))?.state, 'missing')
})
