// What holds one lane up, and what holds all of them up: questions to people, limits of providers, budgets, commits that have to pass as
// themselves. With the real CLIs.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { bash, change, findingsOf, rightEdit } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

const THREE_LANES = ['--lanes', '3', '--set', 'limits.max_issues_per_cli_call=1']
/** Each has a file of its own. */
const APART = ['T-001', 'T-002', 'T-003'] as const

describe('lanes that are held up', { concurrency: 2 }, () => {
  test('a usage limit of the fixer’s provider parks all lanes, with one visible wait', {
    timeout: 300_000,
  }, async (t) => {
    const faults = APART.map((code) => ({ match: { role: 'fixer', code, nth: 1 }, fault: { kind: 'hold' } }) as const)
    const stage = await setMadeStage(t, 3, { attempts: 1, scenario: { faults } })
    const one = ['--set', 'claude.models=["opus"]', '--set', 'limit_wait.backoff_min_seconds=1']
    const fix = stage.start(stage.made.findings, [...THREE_LANES, ...one])
    for (const code of APART) await stage.model.waitFor({ role: 'fixer', code })
    // All three are at work. The next request of each is refused until the limit is over.
    const resetAt = Math.ceil(Date.now() / 1000) + 12
    stage.model.setScenario({
      ...stage.made.scenario,
      faults: [
        { match: { role: 'fixer', until: APART.length }, fault: { kind: 'http', preset: 'usage-limit', resetAt } },
      ],
    })
    stage.model.release()
    await fix.says(/⏳/)
    const waiting = (await stage.sessions()).map((session) => session.waiting?.kind)
    assert.deepEqual(waiting, ['limit'])
    await until('every lane shows that wait', async () => {
      const { lanes } = JSON.parse((await stage.command('status', '--json').ended).stdout).progress
      return lanes.length === 3 && lanes.every(({ doing }: { doing: string }) => /^waiting for .*limit/.test(doing))
    })
    const { status, result, stderr } = await fix.ended
    assert.equal(status, 0, stderr)
    assert.deepEqual(
      result?.results.map(({ iterations }) => iterations),
      [1, 1, 1],
    )
    const events = await stage.events(result?.session_id ?? '')
    const waits = events.filter(({ type }) => type === 'fix_waiting' || type === 'fix_resumed')
    assert.deepEqual(
      waits.map(({ type }) => type),
      ['fix_waiting', 'fix_resumed'],
    )
    const early = stage.model
      .calls()
      .filter(({ role, startedAt }) => role === 'fixer' && startedAt > Date.parse(waits[0]?.timestamp ?? '') + 3_000)
      .filter(({ startedAt }) => startedAt < resetAt * 1000)
    assert.deepEqual(early, [], 'no lane asks before the limit is over')
    await checkInvariants(stage, 'lanes-limit')
  })

  test('a question about the scope of one lane holds its own stage, and the others are committed meanwhile', {
    timeout: 300_000,
  }, async (t) => {
    const stage = await setMadeStage(t, 3, {
      files: { 'CLAUDE.md': 'Be careful.' },
      change: (made) => {
        const reply = { file_modified: ['CLAUDE.md'] }
        change(made, 'T-001', { fixes: [{ steps: [rightEdit(made, 'T-001'), bash('echo Do. >> CLAUDE.md')], reply }] })
      },
    })
    const fix = stage.start(stage.made.findings, THREE_LANES)
    await until('it asks, and the other two are committed', async () => {
      const [session] = await stage.sessions()
      if (session?.decision?.kind !== 'scope') return false
      const issues = await stage.read((store) => store.issues.list())
      return issues.filter(({ status }) => status === 'resolved').length === 2
    })
    const [{ session_id: id } = { session_id: '' }] = await stage.sessions()
    const decided = await stage.command('scope', id, '--approve').ended
    assert.equal(decided.status, 0, decided.stderr)
    const { status, result, stderr } = await fix.ended
    assert.equal(status, 0, stderr)
    assert.deepEqual(result?.commits.at(-1)?.issue_codes, ['T-001'])
    assert.match(stage.git('show', `${result?.branch_name}:CLAUDE.md`), /Do\./)
    await checkInvariants(stage, 'lanes-scope')
  })

  test('lanes spend the sum of a budget: one that used up its share goes on with the next', {
    timeout: 300_000,
  }, async (t) => {
    const stage = await setMadeStage(t, 2)
    // A fix costs a little more than 0.045, its first turn about half of that, and each lane's part of 0.24 is 0.015.
    const lanes = [
      '--set',
      'worker.max_parallel_calls=16',
      '--lanes',
      '16',
      '--set',
      'limits.max_issues_per_cli_call=1',
    ]
    const args = [...lanes, '--max-cost', '0.24', '--max-iterations', '1']
    const { result, stderr } = await stage.fix(findingsOf(stage.made, 'T-001', 'T-002'), { args })
    assert.deepEqual(
      result?.results.map(({ status, iterations }) => [status, iterations]),
      [
        ['completed', 1],
        ['completed', 1],
      ],
      stderr,
    )
    const calls = await stage.read((store) => store.agentCalls.listForSession(result?.session_id ?? ''))
    assert.ok(
      calls.some(({ key }) => /\.fix\.w2$/.test(key)),
      calls.map(({ key }) => key).join(),
    )
    await checkInvariants(stage)
  })

  test('with verification.each_commit every commit of several lanes has passed as itself, and none is of a train', {
    timeout: 300_000,
  }, async (t) => {
    const stage = await setMadeStage(t, 3)
    const verify = ['--verify', 'git rev-parse HEAD > /dev/null', '--set', 'verification.each_commit=true']
    const { result } = await stage.fix(stage.made.findings, { args: [...THREE_LANES, ...verify] })
    const events = await stage.events(result?.session_id ?? '')
    const verified = events.flatMap((event) =>
      event.type === 'fix_verification_started' && event.data.cars === undefined ? [event.data.tree] : [],
    )
    const committed = result?.commits.map(({ sha }) => stage.git('rev-parse', `${sha}^{tree}`)) ?? []
    assert.equal(result?.commits.length, 3)
    assert.deepEqual(
      committed.filter((tree) => !verified.includes(tree)),
      [],
    )
    assert.ok(result?.commits.every(({ train }) => train === undefined))
    await checkInvariants(stage)
  })

  test('a profile that commits all together keeps one lane, and says so [S0-9, S1-2]', {
    timeout: 300_000,
  }, async (t) => {
    const stage = await setMadeStage(t, 2)
    const { result, stderr } = await stage.fix(findingsOf(stage.made, 'T-001', 'T-002'), {
      args: ['--profile', 'sequential', ...THREE_LANES],
    })
    assert.match(stderr, /sequential.*one/i)
    assert.equal(result?.issues_fixed, 2)
    const calls = stage.model.calls().filter(({ role }) => role !== 'auxiliary')
    for (const [index, call] of calls.entries()) {
      assert.ok(index === 0 || call.startedAt >= (calls[index - 1]?.endedAt ?? Number.POSITIVE_INFINITY))
    }
  })
})
