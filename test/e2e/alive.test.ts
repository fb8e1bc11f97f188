// A session that works never looks dead: in terminals of 80 and 100 columns no line is broken, no path loses its file name, and something
// moves at least every second; where there is no terminal, and in `status`, the same is told.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkInvariants } from '../support/invariants.ts'
import { type E2eStage, repositoryOf, setStage } from '../support/session.ts'
import { HAS_TMUX, openWindow } from '../support/tmux.ts'
import { until } from '../support/until.ts'

const FILE =
  'packages/administration-console/src/features/subscriptions/components/reminders/SubscriptionRenewalReminder.tsx'
const NAME = /SubscriptionRenewalReminder\.tsx/
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const FINDINGS = {
  issues: [{ issue_code: 'FE-001', title: 'The reminder is sent twice', file: FILE, severity: 'high' }],
}
const SCENARIO = {
  latencyMs: { fixer: 1_200, challenger: 500 },
  issues: {
    'FE-001': {
      fixes: [
        {
          steps: [
            { tool: 'bash', command: `grep -rn "send(" . # token ${SECRET}` },
            { tool: 'edit', file: FILE, old: 'send()', new: 'sendOnce()' },
          ],
        },
      ],
      proof: [{ file: FILE, adds: 'sendOnce' }],
    },
  },
} as const

const setReminder = (t: Parameters<typeof setStage>[0], latencyMs: Record<string, number> = {}): Promise<E2eStage> =>
  setStage(t, {
    repository: repositoryOf({ [FILE]: 'send()\n', 'README.md': 'A shop.\n' }),
    scenario: { ...SCENARIO, latencyMs: { ...SCENARIO.latencyMs, ...latencyMs } } as never,
  })

describe('a session that works', { concurrency: 2 }, () => {
  for (const columns of [80, 100]) {
    test(`in a terminal of ${columns} columns breaks no line, loses no file name, and moves at least every second`, {
      skip: !HAS_TMUX && 'there is no tmux here',
    }, async (t) => {
      const stage = await setReminder(t)
      const file = `${stage.folder}/findings.json`
      stage.write({ '../findings.json': JSON.stringify(FINDINGS) })
      const window = openWindow(columns, stage, 'fix', file, '--repo', stage.repository)
      const moves: number[] = []
      let before = ''
      let workedFrom: number | undefined
      while (window.status() === undefined) {
        const now = window.wholeLines().join('\n')
        if (/issues · \w+ \d+ s/.test(now)) workedFrom ??= performance.now()
        if (now !== before) moves.push(performance.now())
        before = now
        await delay(100)
      }
      const [status, lines] = [window.status(), window.wholeLines()]
      window.close()
      assert.equal(status, 0, before)
      // The commands at the end are there to be copied as they are.
      const broken = lines.filter((line) => line.length > columns && !/^(commits|report|go on) /.test(line))
      assert.deepEqual(broken, [])
      const tools = lines.filter((line) => line.includes('┊ Edit'))
      assert.ok(tools.length > 0 && tools.every((line) => NAME.test(line)), before)
      assert.match(before, /┊ Bash grep -rn "send\("/)
      assert.doesNotMatch(before, new RegExp(SECRET))
      assert.ok(workedFrom, 'the live line was there')
      // A busy machine may hold up this test as well as the terminal, but not often.
      const gaps = moves.filter((at) => at > (workedFrom ?? 0)).map((at, index, all) => at - (all[index - 1] ?? at))
      const long = gaps.filter((gap) => gap >= 1_000)
      assert.ok(long.length <= gaps.length / 20 && long.every((gap) => gap < 3_000), `nothing moved for ${long} ms`)
      await checkInvariants(stage)
    })
  }

  test('is told of every half minute where there is no terminal, and in status at any time', async (t) => {
    const stage = await setReminder(t, { fixer: 40_000 })
    const fix = stage.start(FINDINGS)
    await stage.model.waitFor({ role: 'fixer' })
    const [session] = await stage.sessions()
    assert.ok(session)
    const { progress, counts } = JSON.parse((await stage.command('status', session.session_id, '--json').ended).stdout)
    assert.deepEqual(
      [progress.agent, progress.codes, progress.batch.number, progress.batch.of],
      ['fixer', ['FE-001'], 1, 1],
    )
    assert.deepEqual([progress.issues.in_work, progress.issues.total, counts.requested], [1, 1, 1])
    const { stdout } = await stage.command('status', session.session_id).ended
    assert.match(stdout, /now +batch 1 of 1 · 0 of 1 issues done · fixer on FE-001 for \d+ s/)
    assert.match(stdout, /under way +1 in work, 0 fixed and not committed yet, 0 to come/)
    const saysMore = (): boolean => /… batch 1 of 1 · .*fixer on FE-001 for \d+ s/.test(fix.stderr())
    await until('a line says what goes on', saysMore)
    await stage.command('cancel', session.session_id).ended
    await fix.ended
  })
})
