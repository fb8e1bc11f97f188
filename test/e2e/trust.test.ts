// A repository that names its own checks, and asks for more than findings: from the refusal, over the operator's word, to a commit that
// those checks vouch for. What an agent makes of the settings file on the way takes no effect.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { openFixwright } from '../../src/app/index.ts'
import { checkInvariants } from '../support/invariants.ts'
import { change, rightEdit, write } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

test('a repository’s own checks decide once they are trusted, as they are in the base commit, whatever an agent writes there', async (t) => {
  const settings = (command: string): string => `profile: verify\nverification:\n  commands: ["${command}"]\n`
  const canary = 'a-canary-sang'
  const stage = await setMadeStage(t, 2, {
    files: { '.fixwright.yaml': settings('python3 -B -m compileall -q ledger'), '.husky/pre-commit': 'exit 1\n' },
    change: (made) => {
      const evil = write('.fixwright.yaml', settings(`touch ../../../${canary}`))
      const reply = { file_modified: ['.fixwright.yaml'] }
      change(made, 'T-002', { fixes: [{ steps: [rightEdit(made, 'T-002'), evil], reply }] })
    },
  })
  const { made, repository } = stage
  const fixwright = await openFixwright({ env: stage.environment })
  t.after(() => fixwright.close())
  const refused = await fixwright.start({ findings: made.findings, repository })
  assert.ok(refused.kind === 'refused')
  assert.match(refused.problems.join('\n'), /sets profile, verification\.commands, which counts only[\s\S]*needs hooks/)
  assert.deepEqual(await stage.sessions(), [])

  assert.equal((await stage.command('trust', '--repo', repository, '--yes').ended).status, 0)
  assert.equal((await stage.command('trust', '--repo', repository, '--without', 'hooks', '--yes').ended).status, 0)
  const args = ['--set', 'people.scope_deadline_seconds=1', '--set', 'gemini.command=no-such-gemini']
  const { result } = await stage.fix(made.findings, { args, status: 1 })
  const { branch_name: branch, session_id: id } = result ?? {}
  assert.deepEqual(
    result?.results.map(({ issue_code, status }) => [issue_code, status]),
    [
      ['T-001', 'completed'],
      ['T-002', 'failed'],
    ],
  )
  assert.match(
    stage.git('log', '-1', '--format=%B', `${branch}`),
    /^Fixwright-Verified: python3 -B -m compileall -q ledger/m,
  )
  assert.equal(stage.git('diff', '--name-only', 'main', `${branch}`), 'ledger/part_000.py')
  assert.deepEqual(globSync(`**/${canary}`, { cwd: stage.folder }), [])
  const { stdout } = await stage.command('status', `${id}`).ended
  assert.match(stdout, /its settings +\.fixwright\.yaml of \w{10}, trusted\n/)
  await checkInvariants(stage, 'trusted')
})
