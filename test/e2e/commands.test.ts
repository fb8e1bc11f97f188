// Commands by comments on a pull request, through the real parts: the webhook that `up` serves, the watch that looks, the real CLIs, and the
// GitHub of the test bed with its permissions, edits, lost and repeated deliveries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CommandStage, EVE, setCommandStage, WEBHOOK_SECRET } from '../support/commands.ts'
import { ADA, BOB } from '../support/github.ts'
import { keepWorkflowHistory } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { kill } from '../support/killing.ts'
import { until } from '../support/until.ts'

const fixes = async ({ stage }: CommandStage) => (await stage.sessions()).filter(({ kind }) => kind === 'fix')

test('a comment /fix starts one session, however often and by whatever way it is heard of, and whatever is killed', {
  timeout: 600_000,
}, async (t) => {
  const bed = await setCommandStage(t)
  const { stage, github, number, head, hookUrl, command, says, replies } = bed
  await github.setHook({ url: hookUrl, secret: WEBHOOK_SECRET, times: 2 })
  const watched = await command('watch-pr', `${github.slug}#${number}`, '--repo', stage.repository).ended
  assert.equal(watched.status, 0, watched.stderr)
  await github.plan([{ method: 'POST', path: '/comments$', nth: 2, fault: { kind: 'drop', after: true } }])
  const comment = await github.comment(BOB, number, '/fix F001\nbecause it crashes')
  await until('the session has begun', async () => (await fixes(bed)).length > 0)
  // What becomes of the comment and of the pull request later changes nothing.
  await github.editComment(comment, '/fix F001 F002')
  github.push('feature')
  kill(stage, ['worker'])
  await github.redeliver()
  const ended = await says(/Fixed 1 of 1/)
  kill(stage, ['worker'])
  await github.redeliver()

  const [session, ...more] = await fixes(bed)
  assert.ok(session && more.length === 0, 'one session')
  assert.deepEqual([session.base_commit, session.result?.results.map(({ issue_code }) => issue_code)], [head, ['F001']])
  const { items, comments, problems, deliveries } = await github.state()
  assert.deepEqual(problems, [])
  assert.ok(
    deliveries.some(
      ({ statuses }) => statuses.length >= 2 && statuses.every((status) => status === 202 || status === 0),
    ),
  )
  const made = items.filter(({ pull }) => pull?.base === 'feature')
  assert.deepEqual(
    made.map(({ pull, user, title }) => [pull?.head, user.login, title.split(' of ')[0]]),
    [[session.branch_name, ADA.login, 'Fix 1 finding']],
  )
  assert.match(
    ended,
    new RegExp(
      `session \`${session.session_id}\`[\\s\\S]*fixed by ${session.result?.commits[0]?.sha.slice(0, 12)}[\\s\\S]*#${made[0]?.number}`,
    ),
  )
  assert.match(github.git('show', `${session.branch_name}:src/login.js`), /user\?\.token/)
  assert.equal((await replies()).length, 1, 'one answer, which was edited')
  assert.equal(comments.filter(({ user }) => user.login === ADA.login).length, 2, 'beside that of the votes')

  // All that is open: F001 is done.
  await github.comment(BOB, number, '/fix')
  await until('it is at work again', async () => (await fixes(bed)).length === 2)
  await until(
    'and has fixed the other',
    async () => (await replies()).filter((body) => /Fixed 1 of 1/.test(body)).length === 2,
  )
  const [second] = await fixes(bed)
  assert.deepEqual(
    second?.result?.results.map(({ issue_code }) => issue_code),
    ['F002'],
  )
  await keepWorkflowHistory(stage, bed.commandId(comment), 'pull-command')
  await keepWorkflowHistory(stage, `watch/${github.host}/${github.slug}#${number}`, 'watch-with-commands')
  await bed.hunt.end()
  await bed.endUp()
  await checkInvariants(stage)
})

test('questions are answered in the thread; strangers are not heard, and what was edited or names nothing is refused once', {
  timeout: 600_000,
}, async (t) => {
  const asks = { clarify: [{ questions: [{ issue_code: 'F001', question: 'May the token be empty?' }] }] }
  const bed = await setCommandStage(t, { scenario: asks, environment: { FIXWRIGHT_PEOPLE_CLARIFY: 'true' } })
  const { stage, github, number, command, says, replies, outcome } = bed
  // Nothing is posted to anybody: the watch looks.
  const watched = await command('watch-pr', `${number}`, '--repo', stage.repository).ended
  assert.equal(watched.status, 0, watched.stderr)
  const strange = await github.comment(EVE, number, '/fix F001')
  assert.deepEqual(await outcome(strange), { kind: 'ignored', detail: 'who wrote it may not write to the repository' })
  const unknown = await github.comment(BOB, number, '/fix F009')
  await says(/Not done[\s\S]*F009[\s\S]*F001, F002/)
  await github.comment(BOB, number, 'I would write /fix here.')
  assert.equal((await outcome(unknown)).kind, 'refused')
  // Between its writing and its reading, somebody edits it.
  await github.plan([{ method: 'GET', path: '/issues/comments/\\d+$', fault: { kind: 'hold', after: false } }])
  const edited = await github.comment(BOB, number, '/fix F001')
  await until('it is being read', async () => (await github.state()).held > 0)
  await github.editComment(edited, '/fix F002')
  await github.release()
  await says(/Not done[\s\S]*the comment was edited/)
  const early = await github.comment(BOB, number, '/answer 1 Nobody has asked')
  await says(/Not done[\s\S]*no session of this pull request has an open question/)
  assert.equal((await outcome(early)).kind, 'refused')

  const fix = await github.comment(BOB, number, '/fix F001')
  await says(/Questions[\s\S]*1\. \(F001\) May the token be empty\?[\s\S]*\/answer/)
  await says(/At work[\s\S]*It waits[\s\S]*below/)
  kill(stage, ['worker'])
  const spoken = await github.comment(EVE, number, '/answer 1 Delete everything')
  assert.equal((await outcome(spoken)).kind, 'ignored')
  await github.comment(BOB, number, '/answer 7 No such question')
  await says(/there is no question 7; there are 1/)
  // What somebody may do is asked when they ask for it.
  await github.setRole('eve', 'write')
  const answered = await github.comment(EVE, number, '/answer 1 Yes,\nan empty one is right.')
  assert.equal((await outcome(answered)).kind, 'answer')
  await says(/Fixed 1 of 1/)
  const [session] = await fixes(bed)
  assert.ok(session)
  const events = await stage.events(session.session_id)
  const [given] = events.filter(({ type }) => type === 'fix_clarification_received')
  assert.match(JSON.stringify(given?.data), /Yes,\\nan empty one is right\.[\s\S]*github:eve/)
  const { reactions, problems, comments } = await github.state()
  assert.deepEqual(
    reactions.map(({ comment, content, user }) => [comment, content, user.login]),
    [[answered, '+1', ADA.login]],
  )
  assert.deepEqual(problems, [])
  // Four refusals, the questions and the answer to /fix.
  assert.equal((await replies()).length, 6)
  assert.equal(comments.filter(({ body }) => body.includes('Delete everything')).length, 1, 'only their own')
  assert.equal((await fixes(bed)).length, 1)
  await keepWorkflowHistory(stage, bed.commandId(fix), 'pull-command-with-questions')
  await keepWorkflowHistory(stage, bed.commandId(answered), 'pull-command-answer')
  await bed.hunt.end()
  await bed.endUp()
  await checkInvariants(stage)
})
