// Budgets where it takes minutes: the worker killed in every turn of a session that has one, and a session's time that really passes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { kill, QUICK, tokensRead } from '../support/killing.ts'
import { attempts, rightEdit, write } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

describe('kill -9 of the worker while a session with a budget', { concurrency: 2 }, () => {
  for (const [role, nth] of [
    ['fixer', 1],
    ['fixer', 2],
    ['fixer', 3],
    ['fix_challenger', 1],
  ] as const) {
    test(`waits for answer ${nth} to its ${role}: what was used by then counts, once, wherever it is said`, async (t) => {
      const stage = await setMadeStage(t, 1, { environment: QUICK })
      const faults = [{ match: { role, nth }, fault: { kind: 'hold' as const } }]
      stage.model.setScenario({ ...stage.made.scenario, faults })
      const fix = stage.start(stage.made.findings, ['--max-tokens', '500k', '--max-cost', '5'])
      await stage.model.waitFor({ role, nth })
      kill(stage, ['worker'])
      const { status, result, stderr } = await fix.ended
      assert.equal(status, 0, stderr)
      assert.ok(result)
      const { tokens = 0, cost_usd, cost_partial, session_id, results } = result
      const read = tokensRead(stage)
      assert.ok(tokens >= read && tokens < read + 3_000, `${tokens} where ${read} were read`)
      assert.equal(cost_partial, true)
      assert.deepEqual([results[0]?.cost_usd, results[0]?.tokens], [cost_usd, tokens], 'all of it is the one issue’s')
      const totals = (await stage.events(session_id)).map(({ data }) => data.total)
      assert.ok(totals.every((total) => total !== undefined && total.tokens <= tokens))
      assert.equal(totals.at(-1)?.tokens, tokens)
      const said = `${cost_usd.toFixed(2)} + ? of 5.00 USD, ${tokens.toLocaleString('en-US')} of 500,000 tokens`
      for (const command of ['status', 'report']) {
        const { stdout } = await stage.command(command, session_id).ended
        assert.ok(stdout.replaceAll('\\', '').includes(said), `${said}\n${stdout}`)
      }
      await checkInvariants(stage)
    })
  }
})

test('a session whose time is over while a check runs: it is ended, and what had passed is committed', async (t) => {
  const stage = await setMadeStage(t, 2, {
    change: (made) => attempts(made, 'T-002', [rightEdit(made, 'T-002'), write('slow.txt', 'slow')]),
  })
  const args = ['--verify', 'test ! -e slow.txt || sleep 900', '--set', 'limits.max_issues_per_cli_call=1']
  const { result } = await stage.fix(stage.made.findings, { args: [...args, '--max-minutes', '0.75'], status: 1 })
  assert.deepEqual([result?.status, result?.ending?.class, result?.commits.length], ['partial', 'budget', 1])
  assert.match(result?.ending?.reason ?? '', /time is over \(budgets\.session_seconds\): .*the same command again/)
  assert.deepEqual(
    result?.results.map(({ status, error }) => [status, error]),
    [
      ['completed', undefined],
      ['skipped', "the session's time is over (budgets.session_seconds)"],
    ],
  )
  assert.ok((result?.duration_ms ?? 0) >= 45_000)
  await checkInvariants(stage, 'out-of-time')
})
