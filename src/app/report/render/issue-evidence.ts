// The evidence for one issue, as a part of a document: who says what about it, what the commands say, and what was changed.

import { dollars } from '../../../domain/budget/spending.ts'
import { silencedWords } from '../../../domain/tampering/detect.ts'
import { listed } from '../../../domain/text/join-list.ts'
import type { Comparison, RegressionProof } from '../../../domain/verification/compare-runs.ts'
import type { Challenge, IssueReport, IssueState } from '../report-model.ts'
import type { Block, Line, Room } from './blocks.ts'
import { diffOf, effectWords, outputOf, type Shown } from './collapsible.ts'
import { cut } from './text.ts'

export const STATES: Readonly<Record<IssueState, string>> = {
  fixed: '✔ fixed',
  failed: '✗ failed',
  skipped: '– skipped',
  settled: '– settled before',
  false_positive: '– false positive',
  open: '… open',
}

/** Nothing where there is nothing to say. */
export function labelled({ words }: Room, label: string, text: string | null | undefined): Line[] {
  return text?.trim() ? [[{ strong: label }, ' ', cut(text, words)]] : []
}

export function placeOf({ file, line }: Pick<IssueReport, 'file' | 'line'>): string {
  return line === undefined ? file : `${file}:${line}`
}

export function evidenceOf(issue: IssueReport, session: string, room: Room, shown: Shown): Block[] {
  const { issue_code, title, state, reason, claim, verification, outside_files, silenced, diff, proof } = issue
  const say = (label: string, text: string | null | undefined) => labelled(room, label, text)
  const { confidence, risks = [] } = claim?.self_evaluation ?? {}
  const sure = confidence === undefined ? '' : `, confidence ${confidence}`
  const items = [
    summaryOf(issue),
    ...say(state === 'failed' ? 'failed because' : 'because', state === 'fixed' ? null : reason),
    ...say('unproven', issue.unproven ? 'neither a challenger nor a command has looked at it' : null),
    ...say(`the fixer says (${claim?.status}${sure})`, claim?.changes_summary),
    ...say(
      'no changes applied',
      issue.no_changes_applied ? 'the fixer calls it fixed, and changed nothing for it' : null,
    ),
    ...risks.slice(0, 5).flatMap((risk) => say('a risk, says the fixer', risk)),
    ...challengeLines(issue, room),
    ...(verification?.commands ?? []).flatMap((run) => [runLine(run), ...testLines(run), ...rewriteLine(run)]),
    ...say('verification', verification && `${verification.verdict}, on the tree ${verification.tree.slice(0, 10)}`),
    ...say(`regression test (${proof?.verdict.replace('_', ' ')})`, proof && proofWords(proof, issue_code)),
    ...silenced.slice(0, 10).map((flag): Line => {
      return [{ strong: 'may silence a check' }, ` ${silencedWords(flag)}: `, { code: flag.text }]
    }),
    ...say('and more that may', silenced.length > 10 ? `${silenced.length - 10} place(s)` : null),
    ...say('also changed, though no finding names it', listed(outside_files)),
    ...say('shares files with', listed(diff?.shared_with ?? [])),
    [{ strong: 'calls' }, ' ', { code: `fixwright logs ${session} ${issue_code}` }],
  ]
  return [
    { kind: 'heading', level: 3, text: [`${issue_code} ${cut(title, 200)}`] },
    { kind: 'list', items },
    ...(verification?.commands ?? []).flatMap((run) => outputOf(run, room, { issue, shown })),
    ...diffOf(issue, room, shown),
  ]
}

function summaryOf(issue: IssueReport): Line {
  const { severity, iterations, outcome, state } = issue
  const sha = state === 'fixed' ? outcome?.commit_sha : undefined
  return [
    { strong: STATES[state] },
    ...(sha ? [' in ', { code: sha.slice(0, 10) }] : []),
    ' · ',
    { code: placeOf(issue) },
    ` · ${severity} · ${iterations} attempt(s) · ${dollars(issue)}`,
  ]
}

/** Issues that share files are proven, or not, as one. */
function proofWords({ codes, why }: RegressionProof, code: string): string {
  const others = codes.filter((each) => each !== code)
  return others.length > 0 ? `together with ${listed(others)}: ${why}` : why
}

/** Of its verdict on what was committed, where it was; else of the last one. */
function challengeLines({ challenges, verification, outcome }: IssueReport, room: Room): Line[] {
  const scored = challenges.filter(({ score }) => score === outcome?.fix_gemini_score)
  const shown: Challenge | undefined =
    scored.findLast(({ tree }) => tree === verification?.tree) ?? scored.at(-1) ?? challenges.at(-1)
  if (!shown) return []
  const { score, quality_scores, feedback, improvements_needed, points } = shown
  const qualities = Object.entries(quality_scores ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : `${name.replace('_', ' ')} ${value}`,
  )
  const scores = [score === undefined ? 'no score' : `score ${score}`, ...qualities].join(', ')
  return [
    [{ strong: `the challenger says (${scores})` }, ' ', cut(feedback, room.words)],
    ...improvements_needed.slice(0, 10).flatMap((text) => labelled(room, 'to improve', text)),
    ...points.slice(0, 10).flatMap(({ id, text, blocker, settled }) => {
      const label = `${settled ? 'settled' : 'open'} ${blocker ? 'blocker' : 'point'}`
      return labelled(room, label, `${id}: ${text}`)
    }),
  ]
}

function runLine(comparison: Comparison): Line {
  const { command, before, after } = comparison
  const runs = `before: ${before ?? 'not run'}, after: ${after ?? 'not run'}`
  return [{ strong: 'check' }, ' ', { code: command }, ` ${effectWords(comparison)} (${runs})`]
}

function testLines({ tests, unseen }: Comparison): Line[] {
  if (unseen) return [[{ strong: 'tests no longer seen' }, ` ${unseen} that passed before: the results can't be read`]]
  if (!tests) return []
  const lists = {
    'tests broken by us': tests.broken,
    'tests no longer run': tests.gone,
    'tests fixed by us': tests.fixed,
    'tests broken before': tests.broken_before,
  }
  return Object.entries(lists).flatMap(([what, names]) =>
    names.length > 0 ? [[{ strong: what }, ` ${listed(names)}`]] : [],
  )
}

function rewriteLine({ rewrote }: Comparison): Line[] {
  return rewrote
    ? [[{ strong: 'what it said is about files that it changed, and that were put back' }, ` ${listed(rewrote)}`]]
    : []
}
