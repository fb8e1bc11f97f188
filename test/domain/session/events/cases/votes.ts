// One event of every kind: two votes on a change.
import { fixVoteCast, fixVotesCounted, fixVotesStarted } from '../../../../../src/domain/session/events/vote-events.ts'
import type { Case } from './case.ts'

export const VOTE_CASES: readonly Case[] = [
  [
    fixVotesStarted({
      repository: '/work/app',
      base: 'main',
      base_commit: 'a'.repeat(40),
      head: 'feature',
      head_commit: 'b'.repeat(40),
      files: 3,
      sandbox: 'none',
    }),
    'session/started',
    'two votes on feature (bbbbbbbbbb) against main: 3 changed file(s); voters in no sandbox',
  ],
  [
    fixVoteCast('vote.claude', {
      ballot: { kind: 'vote', voter: 'claude', vendor: 'Anthropic', model: 'opus', vote: 85 },
    }),
    'vote.claude/cast',
    'claude votes 85',
  ],
  [
    fixVoteCast('vote.gemini', {
      ballot: { kind: 'none', voter: 'gemini', reason: 'timeout', detail: 'no answer within 900 s' },
    }),
    'vote.gemini/cast',
    'gemini took too long: no answer within 900 s',
  ],
  [
    fixVotesCounted({ verdict: 'approved', mean: 81.5, reasons: [], findings: 2 }),
    'votes/counted',
    'approved · mean 81.5 · 2 finding(s)',
  ],
  [
    fixVotesCounted({ verdict: 'no_verdict', reasons: ['gemini has not voted'], findings: 0 }),
    'votes/counted',
    'no_verdict · gemini has not voted · 0 finding(s)',
  ],
]
