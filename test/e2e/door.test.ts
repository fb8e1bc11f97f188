// What is refused at the door, with nothing changed and nothing started, and what is worked on although it is unusual.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fingerprintRepository } from '../support/fingerprint-repository.ts'
import { checkInvariants } from '../support/invariants.ts'
import { findingsOf } from '../support/scripting.ts'
import { type E2eStage, gitAt, repositoryOf, setMadeStage, setStage } from '../support/session.ts'

const FINDING = { issue_code: 'F-1', title: 'A bug', file: 'app.py' }

async function refuses(
  stage: E2eStage,
  findings: unknown,
  reason: RegExp,
  repository = stage.repository,
): Promise<void> {
  const { status, stdout, stderr } = await stage.start(findings, ['--repo', repository]).ended
  assert.equal(status, 2, `${reason}: ${stderr}`)
  assert.match(stderr, reason)
  assert.match(stderr, /nothing was changed/)
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string } }
  assert.match(error.code, /^[a-z_]+$/)
  assert.match(`${error.message}\n`, reason)
  assert.deepEqual(await stage.sessions(), [], 'no session was made')
  assert.ok(!existsSync(stage.home.instanceFile), 'nothing was started')
}

test('findings that can’t be trusted are refused as a whole, with all that is wrong with them', async (t) => {
  const stage = await setStage(t, { repository: repositoryOf({ 'app.py': 'x = 1\n' }) })
  await refuses(stage, [{ ...FINDING, severity: 'terrible' }], /severity: "terrible" is none of critical, high/)
  await refuses(stage, [FINDING, { ...FINDING, issue_code: 'f-1' }], /f-1 is already the code of \[0\]/)
  await refuses(stage, [{ ...FINDING, file: '../other/app.py' }], /\.\.\/other\/app\.py/)
  await refuses(stage, [{ ...FINDING, file: '/etc/passwd' }, { title: 'no code' }], /\[1\]\.issue_code: is missing/)
  writeFileSync(join(stage.folder, 'broken.json'), '[{')
  await refuses(stage, join(stage.folder, 'broken.json'), /is not JSON/)
  await refuses(stage, join(stage.folder, 'missing.json'), /can't be read: there is no such file\n/)
  await checkInvariants(stage)
})

test('repositories that can’t be worked on are refused, and a finding on a locally changed file', async (t) => {
  const stage = await setStage(t, { repository: repositoryOf({ 'app.py': 'x = 1\n' }) })
  const at = (name: string) => join(stage.folder, name)
  gitAt(stage.folder, ['init', '--quiet', at('empty')])
  gitAt(stage.folder, ['clone', '--quiet', '--bare', stage.repository, at('bare.git')])
  await refuses(stage, [FINDING], /has no commits yet/, at('empty'))
  await refuses(stage, [FINDING], /is a bare repository/, at('bare.git'))
  await refuses(stage, [FINDING], /is no git repository/, at('nowhere'))
  stage.write({ 'app.py': 'x = 2\n' })
  await stage.lookAgain()
  await refuses(stage, [FINDING], /F-1 is about app\.py, which has changes that are not committed/)
  await checkInvariants(stage)
})

test('a shallow, detached, otherwise dirty checkout is worked on from its own commit [S2-5]', async (t) => {
  const stage = await setMadeStage(t, 1)
  const { made } = stage
  stage.write({ 'README.md': 'Later.\n' })
  gitAt(stage.repository, ['add', '.'])
  gitAt(stage.repository, ['commit', '--quiet', '-m', 'Later'])
  gitAt(stage.repository, ['commit', '--quiet', '--allow-empty', '-m', 'Latest'])
  await stage.lookAgain()
  const clone = join(stage.folder, 'clone')
  gitAt(stage.folder, ['clone', '--quiet', '--depth', '2', `file://${stage.repository}`, clone])
  gitAt(clone, ['checkout', '--quiet', '--detach', 'HEAD~1'])
  writeFileSync(join(clone, 'README.md'), 'A note of mine.\n')
  writeFileSync(join(clone, 'new.py'), 'mine = 1\n')
  const before = await fingerprintRepository(clone)
  const there: E2eStage = { ...stage, repository: clone, git: (...args) => gitAt(clone, args), before: () => before }
  const head = gitAt(clone, ['rev-parse', 'HEAD'])

  const { result } = await stage.fix(made.findings, { args: ['--repo', clone] })
  assert.ok(result?.branch_name)
  const [session] = await stage.sessions()
  assert.deepEqual([result.repository_id, session?.repository], [session?.repository_id, clone])
  assert.equal(there.git('rev-parse', `${result.branch_name}^`), head)
  assert.equal(there.git('rev-parse', 'HEAD'), head)
  assert.equal(there.git('diff', '--name-only', 'HEAD', result.branch_name), made.findings.issues[0]?.file)
  assert.equal(readFileSync(join(clone, 'README.md'), 'utf8'), 'A note of mine.\n')
  assert.equal(there.git('status', '--porcelain').trim(), 'M README.md\n?? new.py')
  await checkInvariants(there)
})

test('a finding on a locally changed file is worked on with --allow-dirty, as it is committed', async (t) => {
  const stage = await setMadeStage(t, 1)
  const [file = ''] = stage.made.findings.issues.map((issue) => issue.file)
  const mine = `${readFileSync(join(stage.repository, file), 'utf8')}\n\nmine = 1\n`
  stage.write({ [file]: mine })
  await stage.lookAgain()
  await stage.fix(findingsOf(stage.made, 'T-001'), { status: 2 })
  const { result } = await stage.fix(findingsOf(stage.made, 'T-001'), { args: ['--allow-dirty'] })
  assert.equal(result?.issues_fixed, 1)
  assert.doesNotMatch(stage.git('show', `${result?.branch_name}:${file}`), /mine/)
  assert.equal(readFileSync(join(stage.repository, file), 'utf8'), mine)
  await checkInvariants(stage)
})

test('a list without findings is nothing to do: status 0, and the result says skipped [C20]', async (t) => {
  const stage = await setStage(t, { repository: repositoryOf({ 'app.py': 'x = 1\n' }) })
  const { result } = await stage.fix([])
  assert.deepEqual([result?.status, result?.issues_requested, result?.results], ['skipped', 0, []])
  assert.ok(!existsSync(stage.home.instanceFile), 'nothing was started for it')
  await checkInvariants(stage)
})
