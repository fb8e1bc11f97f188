// Commands by comments where an App is the credential and the webhook brings them: what programs, strangers and forks say starts nothing,
// a question is skipped, and whoever may give a command hears why it could not be done.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { listLiveLeases } from '../../src/runtime/instance/leases.ts'
import { type CommandStage, EVE, setCommandStage, WEBHOOK_SECRET } from '../support/commands.ts'
import type { BedToken } from '../support/github/state.ts'
import { BOB } from '../support/github.ts'
import { APP_BOT } from '../support/github-app.ts'
import { keepWorkflowHistory } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { until } from '../support/until.ts'

const ROBOT: BedToken = {
  ...{ token: 'ghs_0123456789abcdefROBOTtoken0123456789', login: 'renovate[bot]', id: 10 },
  ...{ kind: 'installation', contents: 'write', role: 'admin' },
}
/** The same person, with a token that an App has been given. */
const BOB_BY_APP: BedToken = { ...BOB, token: 'ghu_0123456789abcdefBOBbyAPP0123456789', via: 'chat' }

test('an App does what comments ask for, but not what programs, strangers or forks do, and says what it could not do', {
  timeout: 600_000,
}, async (t) => {
  const asks = { clarify: [{ questions: [{ issue_code: 'F001', question: 'May the token be empty?' }] }] }
  const bed = await setCommandStage(t, {
    ...{ scenario: asks, asApp: true, people: [ROBOT, BOB_BY_APP] },
    environment: { FIXWRIGHT_PEOPLE_CLARIFY: 'true' },
  })
  const { stage, github, number, hookUrl, says, replies, outcome } = bed
  await github.setHook({ url: hookUrl, secret: WEBHOOK_SECRET })
  github.git('branch', 'theirs', 'feature')
  const fork = await github.open(EVE, 'theirs', 'main')
  await github.edit(fork, { fork: 'eve/shop' })

  const byProgram = { kind: 'ignored', detail: 'a program wrote it' }
  assert.deepEqual(await outcome(await github.comment(ROBOT, number, '/fix F001')), byProgram)
  assert.deepEqual(await outcome(await github.comment(BOB_BY_APP, number, '/fix F001')), byProgram)
  const strange = await outcome(await github.comment(EVE, fork, '/fix'), fork)
  assert.deepEqual(strange, { kind: 'ignored', detail: 'who wrote it may not write to the repository' })
  const onFork = await outcome(await github.comment(BOB, fork, '/fix F001'), fork)
  assert.equal(onFork.kind, 'refused')
  await says(/Not done\*\*: the pull request comes from a fork, whose code is not run/, fork)
  assert.deepEqual([(await replies()).length, (await stage.sessions()).length], [0, 1], 'nothing but the votes')

  const fix = await github.comment(BOB, number, '/fix F001')
  await says(/Questions[\s\S]*May the token be empty\?[\s\S]*\/skip/)
  assert.deepEqual(await outcome(await github.comment(ROBOT, number, '/skip')), byProgram)
  // The question belongs to the other pull request.
  assert.equal((await outcome(await github.comment(BOB, fork, '/skip'), fork)).kind, 'refused')
  await says(/Not done\*\*: no session of this pull request has an open question/, fork)
  assert.equal((await outcome(await github.comment(BOB, number, '/skip it'))).kind, 'refused')
  await says(/Not done\*\*: \/skip stands alone/)
  const skipped = await github.comment(BOB, number, '/skip')
  assert.equal((await outcome(skipped)).kind, 'answer')
  const ended = await says(/Fixed 1 of 1/)
  const [session] = await stage.sessions()
  assert.ok(session)
  const [given] = (await stage.events(session.session_id)).filter(({ type }) => type === 'fix_clarification_received')
  const { how, by, from } = (given?.data ?? {}) as Readonly<Record<string, unknown>>
  assert.deepEqual([how, by, from], ['skipped', 'github:bob', `${github.slug}#${number}`])

  const cut = await explainUnfetchable(bed)
  assert.match(cut, /write the command again once that is mended; "fixwright github doctor"/)
  await keepWorkflowHistory(stage, bed.commandId(fix), 'pull-command-fetched')
  const unread = await reportUnreadable(bed)
  assert.match(unread, /github doctor/)

  const { items, comments, reactions, statuses, checkRuns, problems } = await github.state()
  assert.deepEqual(problems, [])
  const made = items.filter(({ pull }) => pull?.base === 'feature')
  assert.deepEqual(
    made.map(({ user, pull }) => [user.login, pull?.head]),
    [[APP_BOT, session.branch_name]],
  )
  assert.match(ended, new RegExp(`#${made[0]?.number}`))
  assert.deepEqual(
    reactions.map(({ comment, content, user }) => [comment, content, user.login]),
    [[skipped, '+1', APP_BOT]],
  )
  assert.deepEqual([checkRuns.length, statuses.length], [1, 0], 'the verdict of the votes')
  assert.equal((await replies()).length, 4, 'the answer to /fix, its question, and two refusals')
  assert.equal((await replies(fork)).length, 2)
  assert.deepEqual(new Set(comments.map(({ user }) => user.login)), new Set([APP_BOT, 'renovate[bot]', 'bob', 'eve']))
  assert.equal((await stage.sessions()).length, 2)

  // It is at work without anybody, and no instance ends in the midst of it.
  await github.plan([{ method: 'GET', path: '/issues/comments/\\d+$', fault: { kind: 'hold', after: false } }])
  const held = await github.comment(BOB, number, '/fix F009')
  await until('it is being read', async () => (await github.state()).held > 0)
  const { raw } = await (await stage.client()).workflow.getHandle(bed.commandId(held)).describe()
  assert.equal(raw.pendingActivities?.[0]?.maximumAttempts, 500, 'a GitHub that is down is waited for')
  const instance = findLiveInstance(stage.home)
  const ending = bed.endUp()
  await until('nobody needs the instance', () => listLiveLeases(stage.home).length === 0)
  // Another command comes and goes meanwhile.
  assert.equal((await stage.command('list').ended).status, 0)
  assert.deepEqual(findLiveInstance(stage.home)?.identity, instance?.identity)
  await github.release()
  await says(/Not done[\s\S]*F009/)
  await ending
  await bed.hunt.end()
  await checkInvariants(stage)
})

/** A person pushes, and nobody can fetch it: the comment is answered when the tries are over. */
async function explainUnfetchable({ stage, github, number, says, commandId }: CommandStage): Promise<string> {
  const head = github.push('feature')
  github.git('config', 'http.uploadpack', 'false')
  const comment = await github.comment(BOB, number, '/fix F002')
  const { workflow, workflowService } = await stage.client()
  const workflowId = commandId(comment)
  await until('it can not be fetched', async () => {
    const described = await workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined)
    const pending = described?.raw.pendingActivities ?? []
    return pending.some(({ activityType, lastFailure }) => activityType?.name === 'fetchPullCommits' && lastFailure)
  })
  // Its tries take two minutes.
  await workflowService.updateActivityOptions({
    ...{ namespace: 'fixwright', execution: { workflowId }, type: 'fetchPullCommits' },
    activityOptions: { retryPolicy: { maximumAttempts: 2 } },
    updateMask: { paths: ['retry_policy.maximum_attempts'] },
  })
  const said = await says(new RegExp(`Not done[\\s\\S]*${head.slice(0, 12)} could not be fetched`))
  assert.doesNotMatch(said, /git fetch|sessions/)
  github.git('config', 'http.uploadpack', 'true')
  await keepWorkflowHistory(stage, workflowId, 'pull-command-unfetched')
  return said
}

/** Whoever can't be looked up has no answer in the thread. The log has it. */
async function reportUnreadable({ stage, github, number, outcome }: CommandStage): Promise<string> {
  await github.plan([{ method: 'GET', path: '/permission$', fault: { kind: 'forbidden' } }])
  const comment = await github.comment(BOB, number, '/fix F001')
  assert.equal((await outcome(comment)).kind, 'failed')
  let line: string | undefined
  await until('the log says so', () => {
    const lines = readFileSync(join(stage.home.logs, 'instance.log'), 'utf8').split('\n')
    line = lines.find((each) => each.includes('could not be read') && each.includes(`${comment}`))
    return line !== undefined
  })
  return line ?? ''
}
