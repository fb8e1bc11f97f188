// Two votes on a change, through the terminal with the real CLIs: what each voter is shown, and what the votes come to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptOf, type RecordedCall } from '../../rehearsal/calls.ts'
import { checkInvariants } from '../support/invariants.ts'
import { kill, QUICK } from '../support/killing.ts'
import { until } from '../support/until.ts'
import { CHANGED_FILES, castVotes, setVoteStage } from '../support/votes.ts'

const CRASH = {
  id: 'V1',
  file: 'src/login.js',
  line: '2',
  quote: 'const token = user.token',
  issue: 'A user without a token crashes the login.',
  failure: 'With an undefined user, the login throws a TypeError.',
  effect: 'crash',
  reach: 'realistic',
}

test('both voters vote at the same time, neither sees the other, and a mean of 80 approves [S0-18, S0-19, S0-20]', async (t) => {
  const stage = await setVoteStage(t, {
    votes: {
      claude: { vote: 85, verdict_text: 'Claude would merge it.' },
      gemini: { vote: 78, verdict_text: 'Gemini is in doubt.' },
    },
    faults: [
      { match: { role: 'voter_claude', nth: 1 }, fault: { kind: 'hold' } },
      { match: { role: 'voter_gemini', nth: 1 }, fault: { kind: 'hold' } },
    ],
  })
  const voting = castVotes(stage, { status: 0 })
  // Neither gets an answer before both have asked.
  await Promise.all([stage.model.waitFor({ role: 'voter_claude' }), stage.model.waitFor({ role: 'voter_gemini' })])
  stage.model.release()
  const { report } = await voting
  const head = stage.git('rev-parse', 'feature')
  assert.deepEqual(
    [report.verdict, report.mean, report.subject.head.commit, report.votes.map(({ voter, vote }) => [voter, vote])],
    [
      'approved',
      81.5,
      head,
      [
        ['claude', 85],
        ['gemini', 78],
      ],
    ],
  )

  const calls = stage.model.calls().filter(({ role }) => role.startsWith('voter_'))
  const [claude, gemini] = (['voter_claude', 'voter_gemini'] as const).map((role) => {
    const own = calls.filter((call) => call.role === role)
    return { own, sent: JSON.stringify(own.map(({ body }) => body)), prompt: promptOf(own[0] as RecordedCall) ?? '' }
  })
  assert.ok(claude && gemini)
  for (const [one, other] of [
    [claude, 'Gemini'],
    [gemini, 'Claude'],
  ] as const) {
    assert.ok(!one.sent.includes(`${other} would`) && !one.sent.includes(`${other} is in doubt`))
    assert.match(one.prompt, /You are one of two voters/)
    assert.match(one.prompt, /House rule: every function has a test/)
    assert.match(one.prompt, /feat: name the token/)
    // The lanes that the change concerns.
    assert.match(one.prompt, /Your lane is what a person at the screen meets/)
    assert.match(one.prompt, /Your lane is the structure of the frontend/)
    for (const file of CHANGED_FILES) assert.ok(one.prompt.includes(`"${file}"`), file)
  }
  const common = (text: string) => text.slice(text.indexOf('# The vote'), text.indexOf('in neither.'))
  assert.equal(common(claude.prompt), common(gemini.prompt))
  // Claude is given a command and has run it in its checkout; Gemini the lines with their numbers.
  assert.ok(!claude.prompt.includes('const token'))
  assert.match(claude.sent, /\+ {2}const token = user\.token/)
  assert.match(gemini.prompt, /^ +2 \+ {3}const token = user\.token$/m)
  assert.match(gemini.prompt, /^ +-2 - {3}return user\.token/m)
  assert.ok(claude.own.every(({ model }) => /opus/.test(model)) && gemini.own.every(({ model }) => /pro/.test(model)))
  await checkInvariants(stage, 'votes')
})

test('a limit is waited out, an unreadable vote asked for once more, and a mean below 80 does not approve [S0-19, S0-23]', async (t) => {
  const resetAt = Math.ceil(Date.now() / 1000) + 8
  const stage = await setVoteStage(
    t,
    {
      faults: [
        { match: { role: 'voter_claude', nth: 1 }, fault: { kind: 'http', preset: 'usage-limit', resetAt } },
        { match: { role: 'voter_gemini', nth: 1 }, fault: { kind: 'text', preset: 'prose' } },
      ],
      votes: {
        claude: { vote: 60, findings: [CRASH] },
        gemini: {
          vote: 90,
          findings: [
            { ...CRASH, id: 'G1', line: '2-3', failure: 'The login throws a TypeError if the user is undefined.' },
            { ...CRASH, id: 'G2', line: '99', quote: 'no such line', failure: 'Something else.', effect: 'degraded' },
          ],
          not_reviewed: [{ path: 'AGENTS.md', why: 'for agents' }],
          reviewed: ['src/login.js', 'src/new-name.js'],
        },
      },
    },
    { attempts: 1 },
  )
  // With another model in the chain, that one would simply be asked.
  const args = ['--set', 'votes.claude_models=["opus"]', '--set', 'limit_wait.backoff_min_seconds=1']
  const { report } = await castVotes(stage, { status: 1, args })
  assert.deepEqual([report.verdict, report.mean], ['not_approved', 75])
  assert.deepEqual(
    report.findings.map(({ id, severity, voters, reports: [first] }) => [
      id,
      severity,
      voters,
      first.finding.anchor.kind,
    ]),
    [
      ['F001', 'high', ['claude', 'gemini'], 'anchored'],
      ['F002', 'medium', ['gemini'], 'unanchored'],
    ],
  )
  const events = (await stage.events(report.session_id)).map(({ type }) => type)
  assert.deepEqual(
    events.filter((type) => type === 'fix_waiting' || type === 'fix_resumed'),
    ['fix_waiting', 'fix_resumed'],
  )
  const keys = (await stage.read((store) => store.agentCalls.listForSession(report.session_id))).map(({ key }) => key)
  assert.deepEqual(keys.sort(), ['vote.claude', 'vote.claude.w2', 'vote.gemini', 'vote.gemini.repair'])
  const printed = async (format: string) =>
    (await stage.command('report', report.session_id, '--format', format).ended).stdout
  const md = await printed('md')
  assert.match(md, /^# Not approved: mean 75 of 80 needed/)
  assert.match(md, /F001 high.*src\/login\.js:2.*both voters/)
  assert.match(md, /AGENTS\.md.*was not reviewed: for agents/)
  const sarif = JSON.parse(await printed('sarif'))
  assert.deepEqual(
    sarif.runs[0].results.map((result: { level: string; locations: unknown[] }) => [
      result.level,
      result.locations.length,
    ]),
    [
      ['error', 1],
      ['warning', 1],
    ],
  )
  assert.equal(sarif.runs[0].properties.verdict, 'not_approved')
  await checkInvariants(stage, 'votes-at-a-limit')
})

test('kill -9 of the worker while both voters work, after one vote and after both: the same verdict, and no answer paid twice', async (t) => {
  const stage = await setVoteStage(
    t,
    {
      votes: { claude: { vote: 85 }, gemini: { vote: 78 } },
      faults: [
        { match: { role: 'voter_claude', nth: 1 }, fault: { kind: 'hold' } },
        { match: { role: 'voter_gemini', nth: 1 }, fault: { kind: 'hold' } },
        { match: { role: 'voter_claude', nth: 2 }, fault: { kind: 'hold', name: 'second' } },
      ],
    },
    { environment: QUICK },
  )
  const voting = castVotes(stage, { status: 0 })
  voting.catch(() => undefined)
  const isCast = (voter: string) =>
    until(`the vote of ${voter} is cast`, async () => {
      const [session] = await stage.sessions()
      const events = session ? await stage.events(session.session_id) : []
      return events.some(({ type, data }) => type === 'fix_vote_cast' && data.ballot.voter === voter)
    })
  await Promise.all([stage.model.waitFor({ role: 'voter_claude' }), stage.model.waitFor({ role: 'voter_gemini' })])
  kill(stage, ['worker'])
  stage.model.release()
  await Promise.all([stage.model.waitFor({ role: 'voter_claude', nth: 2 }), isCast('gemini')])
  kill(stage, ['worker'])
  stage.model.release('second')
  await isCast('claude')
  kill(stage, ['worker'])

  const { report } = await voting
  assert.deepEqual([report.verdict, report.mean], ['approved', 81.5])
  const answers = stage.model.calls().filter(({ outcome }) => outcome?.said === 'reply' && outcome.ended === 'whole')
  assert.deepEqual(answers.map(({ role }) => role).sort(), ['voter_claude', 'voter_gemini'])
  assert.equal((await stage.sessions()).length, 1)
  await checkInvariants(stage)
})
