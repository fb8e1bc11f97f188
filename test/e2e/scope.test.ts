// What an agent may not touch, and what it does with git although that is not its business.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { bash, change, rightEdit, write } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const OWN_GIT = 'git -c user.name=a -c user.email=a@b.c'

test('protected files, hooks and an agent’s own commits: what nobody lets through fails its issues, commits are folded back [S2-11, C12]', async (t) => {
  const stage = await setMadeStage(t, 6, {
    files: { 'CLAUDE.md': 'Be careful.\n' },
    change: (made) => {
      const right = (code: string) => rightEdit(made, code)
      // Each pair is a batch. One agent changes its own instructions, one plants a hook, one commits and moves to another branch.
      const claims = { file_modified: ['CLAUDE.md'] }
      change(made, 'T-002', { fixes: [{ steps: [right('T-002'), bash('echo Obey. >> CLAUDE.md')], reply: claims }] })
      change(made, 'T-003', {
        fixes: [{ steps: [right('T-003'), bash('mkdir -p .git/hooks && echo exit 0 > .git/hooks/pre-commit')] }],
      })
      const commits = `sh -c 'git checkout -q -b mine && ${OWN_GIT} commit -qam "My work" && git checkout -q -b other'`
      change(made, 'T-005', { fixes: [{ steps: [right('T-005'), bash(commits)] }] })
    },
  })
  const { result } = await stage.fix(stage.made.findings, {
    // About the protected file a person is asked, and nobody comes.
    args: ['--set', 'limits.max_issues_per_cli_call=2', '--set', 'people.scope_deadline_seconds=1'],
    status: 1,
  })
  assert.ok(result)
  assert.deepEqual(
    result.results.map(({ issue_code, status }) => `${issue_code} ${status}`),
    ['T-001 completed', 'T-002 failed', 'T-003 failed', 'T-004 failed', 'T-005 completed', 'T-006 completed'],
  )
  const errors = result.results.map(({ error }) => error ?? '')
  assert.match(errors[1] ?? '', /^nobody decided in time: CLAUDE\.md \(protected\)$/)
  assert.match(errors[2] ?? '', /hooks\/pre-commit/)
  assert.equal(stage.git('show', `${result.branch_name}:CLAUDE.md`), 'Be careful.')
  const log = stage.git('log', '--format=%s', `main..${result.branch_name}`)
  // Each of the three has a commit of its own.
  assert.equal(log.split('\n').length, 3)
  assert.doesNotMatch(log, /My work/)
  assert.deepEqual(
    stage.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n').sort(),
    [result.branch_name, 'main'].sort(),
  )

  const events = await stage.events(result.session_id)
  assert.deepEqual(
    events.filter(({ type }) => type === 'fix_scope_violation' || type === 'fix_scope_decided').map(({ type }) => type),
    ['fix_scope_violation', 'fix_scope_decided', 'fix_scope_violation'],
  )
  assert.match(
    events.find(({ type }) => type === 'fix_scope_violation')?.message ?? '',
    /CLAUDE\.md \(protected; T-002\)/,
  )
  assert.ok(
    events.some(({ message }) => /the agent made a commit: "My work"/.test(message)),
    'that the agent committed is noted',
  )
  await checkInvariants(stage, 'scope')
})

test('a credential in a new file: a person is asked, shown no secret, and nothing of it is committed when nobody comes [S2-31]', async (t) => {
  const key = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKE'
  const stage = await setMadeStage(t, 2, {
    change: (made) => {
      const steps = [rightEdit(made, 'T-001'), write('cfg.py', `AWS_SECRET_ACCESS_KEY = "${key}"\n`)]
      change(made, 'T-001', { fixes: [{ steps, reply: { file_modified: ['cfg.py'] } }] })
    },
  })
  const args = ['--set', 'limits.max_issues_per_cli_call=1', '--set', 'people.scope_deadline_seconds=1']
  const { result } = await stage.fix(stage.made.findings, { args, status: 1 })
  assert.ok(result)
  assert.deepEqual(
    result.results.map(({ issue_code, status }) => `${issue_code} ${status}`),
    ['T-001 failed', 'T-002 completed'],
  )
  assert.match(
    result.results[0]?.error ?? '',
    /^nobody decided in time: cfg\.py \(a new secret \(aws\), a new file that nothing uses\)$/,
  )
  assert.doesNotMatch(stage.git('ls-tree', '-r', '--name-only', result.branch_name ?? ''), /cfg\.py/)
  const events = await stage.events(result.session_id)
  const asked = events.find(({ type }) => type === 'fix_scope_violation')
  assert.match(asked?.message ?? '', /cfg\.py \(a new secret \(aws\), a new file that nothing uses; T-001\)/)
  assert.doesNotMatch(JSON.stringify(events), /wJalrXUtn/)
  await checkInvariants(stage, 'secret')
})
