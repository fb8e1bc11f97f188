// Words for git by agents, where the settings ask for that: real calls without a single tool, checked, with the rules behind them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import { readCallBlock } from '../../rehearsal/prompt.ts'
import type { DryPlan } from '../../src/domain/session/dry-run.ts'
import { checkInvariants } from '../support/invariants.ts'
import { change } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

test('an agent finds the name of the branch and the words of the commit [S1-15, S1-16, S2-15, S2-16]', async (t) => {
  const scenario = { branch: 'fix/people-count', subjects: { 'T-001': 'Counts people right (T-001)' } }
  const stage = await setMadeStage(t, 1, {
    scenario,
    // The fixer's own words are no subject.
    change: (made) =>
      change(made, 'T-001', {
        fixes: (made.scenario.issues?.['T-001']?.fixes ?? []).map((fix) => ({ ...fix, summary: 'Fixed it.' })),
      }),
  })
  const args = ['--set', 'git.naming=agent', '--verify', 'test -d ledger']
  const dry = await stage.fix(stage.made.findings, { args: [...args, '--dry-run'] })
  const { result } = await stage.fix(stage.made.findings, { args })
  assert.equal(result?.branch_name, 'fix/people-count')
  assert.match(result?.commits[0]?.message ?? '', /^fix: count people right\n\n[\s\S]*\n\nFixwright-Issue/)
  const tools = stage.model
    .calls()
    .filter(({ role }) => role.startsWith('git-'))
    .map(({ body }) => (body as { tools?: { name: string }[] }).tools?.map(({ name }) => name) ?? [])
  assert.ok(tools.length >= 2)
  for (const tool of ['Write', 'Edit', 'Bash', 'Read']) assert.ok(!tools.flat().includes(tool), tool)
  const foretold = (JSON.parse(dry.stdout) as DryPlan).prompts.filter(({ role }) => role.startsWith('git-'))
  const asked = stage.model.calls().filter(({ role, step }) => role.startsWith('git-') && step === 0)
  assert.deepEqual(
    foretold.map(({ prompt }) => readCallBlock(prompt)),
    asked.map((call) => readCallBlock(promptOf(call) ?? '')),
    'a dry run tells of both calls',
  )
  const { session_id = '' } = result ?? {}
  const events = await stage.events(session_id)
  const verified = events.findIndex(({ type }) => type === 'fix_verification_result')
  const called = events.findIndex(({ data }) => 'role' in data && data.role === 'git-branch-creator')
  assert.ok(verified >= 0 && verified < called, 'the base is verified before a name is paid for')
  await checkInvariants(stage, 'named-by-agent')
})
