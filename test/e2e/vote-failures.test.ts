// Every way in which a voter can fail. None of them is an approval, and the report of each says which it was. Two ways share a session: each
// voter fails in one.
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, globSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { checkInvariants } from '../support/invariants.ts'
import { castVotes, setVoteStage } from '../support/votes.ts'

/** What a reviewer that has not looked sends back: the form that it was shown. */
const TEMPLATE =
  '{"head":"<commit>","reviewed":["path"],"not_reviewed":[{"path":"path","why":"why"}],"findings":[],"feedback":"…","verdict_text":"…","vote":100}'

const LOST_DATA = {
  id: 'V1',
  file: 'src/login.js',
  line: '2',
  quote: 'const token = user.token',
  issue: 'It deletes the users.',
  failure: 'With any user, all users are deleted.',
  effect: 'data_loss',
  reach: 'normal',
}

interface Ways {
  readonly args?: readonly string[]
  readonly scenario?: ScenarioInput
  /** By the voter's name, as the report has it. */
  readonly reasons: readonly [claude: RegExp, gemini: RegExp]
}

test('twelve ways in which a voter can fail: no verdict, exit status 3, and the report says which it was [S0-19]', {
  timeout: 600_000,
}, async (t) => {
  const stage = await setVoteStage(t)
  const program = (name: string, text: string): string => {
    const path = join(stage.folder, name)
    writeFileSync(path, text)
    chmodSync(path, 0o755)
    return path
  }
  const text = (role: string, said: string) => ({ match: { role }, fault: { kind: 'text', text: said } }) as const
  const inAWeek = Math.floor(Date.now() / 1000) + 7 * 86_400
  const ways: readonly Ways[] = [
    {
      args: [
        ...['--set', `claude.command=${program('claude', '#!/bin/sh\nexit 7\n')}`],
        ...[
          '--set',
          `gemini.command=${program('gemini', '#!/bin/sh\necho "Unknown argument: skip-trust" >&2\nexit 52\n')}`,
        ],
      ],
      reasons: [/^claude crashed: /, /^gemini could not be started: gemini does not take our options/],
    },
    {
      scenario: {
        faults: [
          { match: { role: 'voter_claude' }, fault: { kind: 'http', preset: 'usage-limit', resetAt: inAWeek } },
          { match: { role: 'voter_gemini' }, fault: { kind: 'http', preset: 'unauthorized' } },
        ],
      },
      reasons: [/^claude stayed at its limit for too long: .*gave up waiting/, /^gemini was refused by its provider: /],
    },
    {
      args: ['--set', 'votes.timeout_seconds=3'],
      scenario: { faults: [{ match: {}, fault: { kind: 'hang' } }] },
      reasons: [/^claude took too long: no answer within 3 s/, /^gemini took too long: no answer within 3 s/],
    },
    {
      scenario: {
        faults: [
          { match: { role: 'voter_claude', at: 'reply' }, fault: { kind: 'text', preset: 'empty' } },
          { match: { role: 'voter_gemini' }, fault: { kind: 'text', preset: 'prose' } },
        ],
      },
      reasons: [/^claude answered nothing: /, /^gemini answered without a vote that can be read: .*no JSON object/],
    },
    {
      scenario: {
        faults: [text('voter_gemini', TEMPLATE)],
        votes: { claude: { head: 'b'.repeat(40), vote: 100 } },
      },
      reasons: [/^claude voted on another commit: /, /^gemini repeated the form of the answer/],
    },
    {
      scenario: {
        votes: {
          claude: { reviewed: ['src/login.js'], vote: 100 },
          gemini: { findings: [LOST_DATA], vote: 95 },
        },
      },
      reasons: [
        /^claude did not say of every changed file .*AGENTS\.md, src\/new-name\.js/,
        /^gemini approves beside a critical finding of its own: /,
      ],
    },
  ]
  for (const { args = [], scenario = {}, reasons } of ways) {
    stage.model.setScenario(scenario)
    const { report } = await castVotes(stage, { status: 3, args })
    assert.deepEqual([report.verdict, report.mean, report.status], ['no_verdict', null, 'failed'])
    assert.equal(report.reasons.length, 2, report.reasons.join('\n'))
    for (const [index, reason] of reasons.entries()) assert.match(report.reasons[index] ?? '', reason)
    assert.match((await stage.sessions())[0]?.ending?.code ?? '', /no_verdict/)
  }
  // A voter has no tool for sub-agents, so none can be cut off.
  const offered = stage.model.calls().flatMap(({ provider, body }) => {
    const { tools = [] } = body as { tools?: readonly { name?: string }[] }
    return provider === 'anthropic' ? tools.flatMap(({ name }) => name ?? []) : []
  })
  assert.ok(offered.includes('Read') && !offered.some((name) => /Agent|Task|Edit|Write/.test(name)), offered.join())

  const missing = ['--set', 'gemini.command=nowhere-to-be-found']
  const unable = await stage.command('review-pr', '--repo', stage.repository, '--head', 'feature', ...missing).ended
  assert.equal(unable.status, 3)
  assert.match(unable.stderr, /nowhere-to-be-found/)
  const sameVendor = ['--set', 'votes.gemini_models=["claude-sonnet-5"]']
  const before = stage.model.calls().length
  const refused = await stage.command('review-pr', '--repo', stage.repository, '--head', 'feature', ...sameVendor).ended
  assert.equal(refused.status, 2)
  assert.match(refused.stderr, /both voters have models of one vendor, Anthropic/)
  assert.equal(stage.model.calls().length, before)
  await checkInvariants(stage)
})

test('a voter that has changed what it was to read has no vote', async (t) => {
  const stage = await setVoteStage(t, { faults: [{ match: { role: 'voter_claude' }, fault: { kind: 'hold' } }] })
  const voting = castVotes(stage, { status: 3 })
  await stage.model.waitFor({ role: 'voter_claude' })
  const [login = ''] = globSync(join(stage.home.sessions, '*', 'voters', 'claude', '**', 'login.js'))
  appendFileSync(login, '// I was here\n')
  for (const name of ['1', '2', '3', '4', '5']) writeFileSync(join(dirname(login), name), '')
  stage.model.release()
  const { report } = await voting
  assert.deepEqual(report.reasons, [
    'claude changed what it was to read: src/login.js, src/1, src/2, src/3, src/4 and 1 more',
  ])
  await checkInvariants(stage)
})
