// Secrets in everything that a session is given, and nowhere in what it writes.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import { OF_THE_DETECTOR, OURS, secretPart } from '../platform/masking/tokens.ts'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, change, rightWith, scriptOf } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const { github = '', npm = '', stripe = '', gitlab = '', slack = '', privatekey = '' } = OF_THE_DETECTOR
const { anthropic = '', 'url-password': address = '' } = OURS
const OPERATORS = 'the-operators-own-words'

test('a secret that a finding, a file, a command, a reply or the environment holds is in no prompt, event, artifact, result or message [S4-17]', async (t) => {
  const stage = await setMadeStage(t, 1, {
    server: 'own',
    environment: { DEPLOY_SECRET: OPERATORS },
    files: {
      'CLAUDE.md': `Deploy with ${npm}.\n`,
      'deploy.env': `${address}\n${privatekey}\n${OPERATORS}\n`,
      'check.sh': 'cat deploy.env; if grep -q FLAWED ledger/part_000.py; then exit 1; fi\n',
    },
    change: (made) => {
      const flawed = rightWith(made, 'T-001', `FLAWED ${stripe}`)
      const mended = { ...flawed, old: flawed.new, new: rightWith(made, 'T-001', `fine ${stripe}`).new }
      attempts(made, 'T-001', [flawed], [mended])
      const { fixes = [] } = scriptOf(made, 'T-001')
      change(made, 'T-001', {
        fixes: fixes.map((fix) => ({ ...fix, summary: `it said "${gitlab}"` })),
        verdicts: [{ feedback: `why is there\n${slack}?` }],
      })
    },
  })
  const [finding] = stage.made.findings.issues
  const findings = {
    issues: [{ ...finding, title: `Token ${github} is logged`, description: `It logs "${github}" and ${anthropic}.` }],
  }
  const args = [
    ...['--verify', 'sh check.sh', '--notes', `not ${anthropic}`],
    // The challenger's words count, too, and a person has allowed the secret that the fix adds.
    ...['--set', 'fix_challenger.when_checks_fail=ask', '--set', 'scope.additions.secrets.decision=allow'],
  ]
  const { result, stdout, stderr } = await stage.fix(findings, { args })
  assert.deepEqual([result?.issues_fixed, result?.results[0]?.iterations], [1, 2])
  await stage.quiet()

  const secrets = [github, npm, stripe, gitlab, slack, privatekey, anthropic, address].map(secretPart)
  const leaksIn = (text: string) => [...secrets, OPERATORS].filter((secret) => text.includes(secret))
  const message = stage.git('log', '-1', '--format=%B', `${result?.branch_name}`)
  assert.match(message, /«secret:github:\w{4}»/)
  assert.deepEqual(leaksIn(message), [])
  assert.deepEqual(leaksIn(stdout + stderr), [])
  const root = join(stage.folder, 'home')
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const path = join(root, name)
    if (statSync(path, { throwIfNoEntry: false })?.isFile())
      assert.deepEqual(leaksIn(readFileSync(path, 'latin1')), [], name)
  }

  const prompts = stage.model.calls().map((call) => promptOf(call) ?? '')
  for (const prompt of prompts) assert.deepEqual(leaksIn(prompt), [])
  const told = prompts.join('\n')
  for (const kind of [
    'github',
    'anthropic',
    'npm',
    'stripe',
    'slack',
    'private-key',
    'url-password',
    'env-deploy-secret',
  ])
    assert.match(told, new RegExp(`«secret:${kind}:\\w{4}»`), `${kind} was to be told of`)
  assert.match(told, /stands for a secret that was masked/)
  // What is committed is the fixer's own work, to the byte.
  assert.match(stage.git('show', `${result?.branch_name}:ledger/part_000.py`), new RegExp(stripe))
  await checkInvariants(stage)
})
