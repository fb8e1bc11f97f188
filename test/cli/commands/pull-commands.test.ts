// What is said of pull requests before anything is started: names that mean none, and whether comments give commands.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ADA, startGitHub, TOKEN } from '../../support/github.ts'
import { repositoryOf } from '../../support/session.ts'
import { setDesk } from '../support.ts'

test('watch-pr names the folder that it knows nothing of, and how a pull request is named', async (t) => {
  const desk = await setDesk(t)
  const unknown = await desk.run('watch-pr', 'acme/shop#1')
  assert.deepEqual(
    [unknown.status, unknown.stderr.includes(`the repository ${desk.folder}: `)],
    [2, true],
    unknown.stderr,
  )
  const nonsense = await desk.run('watch-pr', 'nonsense')
  assert.equal(nonsense.status, 2)
  assert.match(nonsense.stderr, /nonsense[\s\S]*owner\/name#12/)
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
