// Commits as a maintainer takes them: each issue by itself, in the words and the manner of the project, with or without trailers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { change, findingsOf } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const SUMMARIES: Readonly<Record<string, string>> = {
  'T-001': 'T-001: Counted the last page, too. It was dropped when it was not full.',
  'T-002': 'Includes the birthday itself.',
  'T-005': 'Fixed it.',
}

test('each issue becomes a commit in the manner of the log, its subject says what was done, and no local path is in it [S2-15]', async (t) => {
  const stage = await setMadeStage(t, 6, {
    change: (made) => {
      for (const [code, summary] of Object.entries(SUMMARIES)) {
        const fixes = made.scenario.issues?.[code]?.fixes ?? []
        change(made, code, { fixes: fixes.map((fix) => ({ ...fix, summary })) })
      }
    },
  })
  for (const subject of [
    'Added a ledger.',
    'Fixed the sums.',
    'Removed a page.',
    'Used one name.',
    'Fixed ABC-1.',
    'Moved it.',
  ])
    stage.git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-q', '--allow-empty', '-m', subject)
  await stage.lookAgain()
  const check = `test -d ${stage.repository}/ledger && /usr/bin/env true`
  const three = findingsOf(stage.made, 'T-001', 'T-002', 'T-005')
  const { result, stderr } = await stage.fix(three, { args: ['--verify', check] })
  assert.ok(result, stderr)
  assert.deepEqual(
    result.commits.map(({ message, issue_codes, train }) => [message.split('\n')[0], issue_codes, train?.place]),
    [
      ['Counted the last page, too.', ['T-001'], 1],
      ['Included the birthday itself.', ['T-002'], 2],
      ['Fixed age limit excludes the birthday.', ['T-005'], 3],
    ],
  )
  const [first, , last] = result.commits
  assert.match(first?.message ?? '', /^Fixwright-Verified: test -d ledger && env true$/m)
  assert.equal(stage.git('rev-parse', `${last?.sha}^{tree}`), first?.train?.tree, 'the last tree was judged')
  for (const { message } of result.commits) assert.ok(!message.includes(stage.repository), message)
  const { stdout: report } = await stage.command('report', result.session_id).ended
  assert.match(report, /commit 1 of 3, judged as tree/)

  const bare = await stage.fix(findingsOf(stage.made, 'T-003'), { args: ['--set', 'git.trailers=none'] })
  assert.deepEqual(
    bare.result?.commits.map(({ sha, message, issue_codes }) => [sha, message.includes('Fixwright'), issue_codes]),
    [[stage.git('rev-parse', bare.result?.branch_name ?? ''), false, ['T-003']]],
  )
  await checkInvariants(stage, 'commits-by-issue')
})
