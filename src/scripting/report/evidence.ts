// The evidence for one issue, as a part of a document: who says what about it, what the commands say, and what was changed.
import type { Comparison, Effect } from '../../domain/evidence.ts'
import { silencedWords } from '../../domain/silencing.ts'
import { dollars } from '../../domain/spending.ts'
import type { Challenge, IssueReport, IssueState } from './record.ts'
import { beginning, cut, ending } from './text.ts'

/** Words, or what is shown as code, or as a label. */
export type Inline = string | { readonly code: string } | { readonly strong: string }
export type Line = readonly Inline[]

export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: Line }
  | { readonly kind: 'paragraph'; readonly text: Line }
  | { readonly kind: 'list'; readonly items: readonly Line[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly Line[])[] }
  | { readonly kind: 'fold'; readonly title: Line; readonly language: 'diff' | 'text'; readonly text: string }

/** How much of it there is room for: characters of each text, issues in the table, issues with their evidence. */
export interface Room {
  readonly diff: number
  readonly output: number
  readonly words: number
  readonly rows: number
  readonly evidence: number
}

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

/** What was shown already, with the code of the issue where it stands: issues that were verified together have their outputs in common. */
export type ShownOutputs = Map<string, string>

export function evidenceOf(issue: IssueReport, session: string, room: Room, shown: ShownOutputs): Block[] {
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
    ...(verification?.commands ?? []).flatMap((run) => [runLine(run), ...testLines(run)]),
    ...say('verification', verification && `${verification.verdict}, on the tree ${verification.tree.slice(0, 10)}`),
    ...say(`regression test (${proof?.verdict.replace('_', ' ')})`, proof?.why),
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
    ...diffOf(issue, room),
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

const EFFECTS: Readonly<Record<Effect, string>> = {
  passes: 'passes',
  fixed: 'fixed by us: it failed before',
  broken: 'broken by us: it passed before',
  no_worse: 'broken before, and still; none of its tests is newly broken',
  unproven: 'broken before, and still: it proves nothing',
  fails: 'fails; how it was before is not known',
  not_run: 'not run: another had failed',
}

function runLine({ command, before, after, effect, tests }: Comparison): Line {
  const runs = `before: ${before ?? 'not run'}, after: ${after ?? 'not run'}`
  const isByTest = effect === 'broken' && tests !== undefined && (before !== 'passed' || after === 'passed')
  return [{ strong: 'check' }, ' ', { code: command }, ` ${isByTest ? 'broken by us' : EFFECTS[effect]} (${runs})`]
}

function testLines({ tests }: Comparison): Line[] {
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

function outputOf(
  { command, after, effect, output }: Comparison,
  room: Room,
  { issue, shown }: { issue: IssueReport; shown: ShownOutputs },
): Block[] {
  const isGood = after === 'passed' && effect !== 'broken'
  if (room.output === 0 || after === null || isGood || output.trim() === '') return []
  const key = JSON.stringify([command, effect, output])
  const known = shown.get(key)
  if (known !== undefined) {
    return [{ kind: 'paragraph', text: ['What ', { code: command }, ` printed stands at ${known}: it is the same.`] }]
  }
  shown.set(key, issue.issue_code)
  const { text, isCut } = ending(output, room.output)
  const title = [`${isCut ? 'the end of what' : 'what'} `, { code: command }, ` printed (${EFFECTS[effect]})`]
  return [{ kind: 'fold', title, language: 'text', text }]
}

const SOURCES = {
  commit: 'the diff',
  attempt: 'what the last attempt changed: it is not committed',
  glimpse: 'the beginning of the diff: the commit is gone',
} as const

function diffOf({ diff }: IssueReport, room: Room): Block[] {
  if (!diff || diff.text === '' || room.diff === 0) return []
  const { text, isCut } = beginning(diff.text, room.diff)
  const more = isCut || diff.is_cut ? ', cut' : ''
  return [{ kind: 'fold', title: [`${SOURCES[diff.source]}${more}`], language: 'diff', text }]
}

function listed(all: readonly string[]): string {
  const shown = all.slice(0, 10).join(', ')
  return all.length > 10 ? `${shown} and ${all.length - 10} more` : shown
}
