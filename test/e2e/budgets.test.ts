// Budgets through the terminal, with the real CLIs: what passed is committed, the rest stays open and says why, and what was spent
// is said wherever somebody looks.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { kill, QUICK, tokensRead } from '../support/killing.ts'
import { amends, attempts, wrongEdit } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const EACH_ALONE = ['--set', 'limits.max_issues_per_cli_call=1']
const PRICES = ['--set', 'prices=[{"model":"gemini-2.5-*","input":0.1,"output":0.4}]']

describe('budgets', { concurrency: 2 }, () => {
  test('a session that has spent its dollars commits what passed, leaves the rest open, and says what it did not see', async (t) => {
    const stage = await setMadeStage(t, 3)
    // A fix costs a little more than 0.045.
    const { result, stderr } = await stage.fix(stage.made.findings, {
      args: [...EACH_ALONE, '--max-cost', '0.07'],
      status: 1,
    })
    assert.ok(result)
    assert.deepEqual([result.status, result.ending?.class, result.cost_partial], ['partial', 'budget', true])
    assert.ok(result.cost_usd >= 0.07 && result.cost_usd < 0.07 + 0.03, `${result.cost_usd}: at most one turn over`)
    const said = /the session has spent 0\.\d\d \+ \? of 0\.07 USD \(budgets\.session_usd\): .*the same command again/
    assert.match(result.ending?.reason ?? '', said)
    // What to do next is said once.
    const spent = /^the session has spent 0\.\d\d \+ \? of 0\.07 USD \(budgets\.session_usd\)$/
    assert.deepEqual(
      result.results.map(({ status, error }) => [status, error === undefined || spent.test(error)]),
      [
        ['completed', true],
        ['skipped', true],
        ['skipped', true],
      ],
    )
    assert.match(stderr, /does not see what gemini-2\.5-flash and gemini-2\.5-pro cost/)
    const issues = await stage.read((store) => store.issues.list())
    assert.deepEqual(issues.map(({ status }) => status).sort(), ['open', 'open', 'resolved'])

    const shares = result.results.map(({ cost_usd = 0 }) => cost_usd)
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - result.cost_usd) < 1e-9)
    const events = await stage.events(result.session_id)
    const totals = events.flatMap(({ data }) => data.total ?? [])
    assert.ok(totals.length >= 8 && totals.every(({ tokens }, index) => tokens >= (totals[index - 1]?.tokens ?? 0)))
    assert.deepEqual(totals.at(-1), { cost_usd: result.cost_usd, cost_partial: true, tokens: result.tokens })
    assert.match(events.at(-1)?.message ?? '', said)
    for (const command of ['status', 'report']) {
      const shown = await stage.command(command, result.session_id).ended
      assert.match(shown.stdout, /0\.\d\d \\?\+ \? of 0\.07 USD/, command)
    }
    const { stdout } = await stage.command('logs', result.session_id, 'T-001').ended
    assert.match(stdout, /fix_challenger · gemini-2\.5-flash · .*\? USD/)
    await checkInvariants(stage, 'budget')

    const again = await stage.fix(stage.made.findings)
    assert.deepEqual([again.result?.issues_fixed, again.result?.status], [2, 'completed'])
  })

  for (const { title, limit, name, scenario } of [
    {
      title: 'while the fixer works on another issue',
      // Time is left: it only adds its steps to the history that is kept.
      limit: ['--max-cost', '0.11', '--max-minutes', '5', '--set', 'verification.prove=true'],
      name: 'session_usd',
      scenario: 'fixer-at-a-limit',
    },
    {
      // It is passed by the fixer's last turn, whose answer still counts.
      title: 'before the challenger is asked about another issue',
      limit: ['--max-tokens', '76k'],
      name: 'session_tokens',
      scenario: 'challenger-at-a-limit',
    },
  ]) {
    test(`a limit that is reached ${title} takes no fix away: what had passed is judged without the rest, and no fixer is asked any more`, async (t) => {
      const stage = await setMadeStage(t, 2, {
        change: (made) => {
          attempts(made, 'T-002', [wrongEdit(made, 'T-002')], amends(made, 'T-002'))
        },
      })
      const args = ['--verify', 'test -d ledger', ...limit]
      const { result, stderr } = await stage.fix(stage.made.findings, { args, status: 1 })
      assert.ok(result)
      const [first, second] = result.results
      assert.deepEqual([first?.status, second?.status, result.commits.length], ['completed', 'skipped', 1], stderr)
      assert.match(result.ending?.reason ?? '', new RegExp(`${name}.: what had passed is committed; the same command`))
      assert.deepEqual([first?.fix_gemini_score, second?.fix_gemini_score], [97, 45], 'what each was worth is told')
      const calls = await stage.read((store) => store.agentCalls.listForSession(result.session_id))
      assert.deepEqual(
        calls.map(({ role, key }) => `${role} ${key}`),
        [
          'fixer s1.i1.b1.fix',
          'fix_challenger s1.i1.challenge',
          're_fixer s1.i2.b1.fix',
          'fix_challenger s1.select1.challenge',
        ],
      )
      await checkInvariants(stage, scenario)

      const again = await stage.fix(stage.made.findings)
      assert.deepEqual([again.result?.issues_fixed, again.result?.status], [1, 'completed'])
    })
  }

  test('an issue that has spent its share gets no further attempt, says so, and the others go on', async (t) => {
    const stage = await setMadeStage(t, 2, {
      change: (made) => {
        attempts(made, 'T-001', [wrongEdit(made, 'T-001')], amends(made, 'T-001'))
      },
    })
    const { result } = await stage.fix(stage.made.findings, {
      args: [...EACH_ALONE, ...PRICES, '--set', 'budgets.issue_usd=0.06'],
      status: 1,
    })
    const [first, second] = result?.results ?? []
    assert.deepEqual([first?.status, second?.status, result?.status], ['skipped', 'completed', 'partial'])
    assert.match(first?.error ?? '', /^T-001 has spent 0\.0\d of 0\.06 USD \(budgets\.issue_usd\): no further attempt/)
    assert.ok((first?.cost_usd ?? 0) >= 0.06 && (first?.cost_usd ?? 1) < 0.06 + 0.03, `${first?.cost_usd}`)
    assert.equal(result?.ending, undefined)
    assert.equal(result?.cost_partial, undefined, 'with prices all of it is known')
    await checkInvariants(stage, 'budget-of-issue')
  })

  test('kill -9 of the worker gives nothing back: what the call had used by then counts, once, and the limit holds', async (t) => {
    const held = (nth: number) => ({ match: { role: 'fixer', nth }, fault: { kind: 'hold' as const } })
    const stage = await setMadeStage(t, 1, { environment: QUICK })
    // A turn reads about 9,100 tokens: one of them before the worker dies, and two after. A third one never comes to an end.
    stage.model.setScenario({ ...stage.made.scenario, faults: [held(2), held(5)] })
    const fix = stage.start(stage.made.findings, ['--max-tokens', '23k'])
    await stage.model.waitFor({ role: 'fixer', nth: 2 })
    const before = await stage.sessions()
    kill(stage, ['worker'])
    const { status, result, stderr } = await fix.ended
    assert.deepEqual([status, result?.ending?.class, result?.commits], [1, 'budget', []], stderr)
    assert.ok(result)
    const { tokens: spent = 0, session_id: id, cost_partial } = result
    assert.equal(id, before[0]?.session_id)
    assert.ok(spent > 23_000 && spent < 23_000 + 10_000, `${spent}: at most one turn over`)
    const [read, calls] = [tokensRead(stage), await stage.read((store) => store.agentCalls.listForSession(id))]
    assert.ok(spent >= read && spent < read + 3_000, `${spent} where ${read} were read`)
    assert.deepEqual(
      calls.map(({ attempt, state, tokens: { input = 0 } = {} }) => [attempt, state, Math.round(input / 9_100)]),
      [
        [1, 'lost', 1],
        [2, 'finished', 2],
      ],
    )
    assert.equal(cost_partial, true, 'nobody knows what the lost turn cost')
    const { stdout } = await stage.command('status', id).ended
    assert.ok(stdout.includes(`${spent.toLocaleString('en-US')} of 23,000 tokens`), stdout)
    await checkInvariants(stage)
  })
})
