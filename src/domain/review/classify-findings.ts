// Gives each finding the one state in which it ends: merged into another, refuted, confirmed or unverified. A verifier's word counts
// only with a place that holds what it quotes; a finding that nobody judged is unverified, never gone.
import type { ClassifiedFinding, FindingVerdict, ReviewFinding } from './finding.ts'
import { hashLines } from './hash-lines.ts'
import type { DisproofReply } from './replies.ts'
import type { ReviewSummary } from './review-record.ts'
import { findPlace, type PinnedFiles } from './reviewed-files.ts'

type Disproof = DisproofReply['verdicts'][number]

/** `decided`: the states of findings that need no verifier, by id. `whyNot`: why a finding was given to none. */
export function classifyFindings(
  findings: readonly ReviewFinding[],
  verdicts: readonly Disproof[],
  files: PinnedFiles,
  {
    decided = new Map(),
    whyNot = new Map(),
  }: {
    readonly decided?: ReadonlyMap<string, FindingVerdict>
    readonly whyNot?: ReadonlyMap<string, string>
  } = {},
): ClassifiedFinding[] {
  return findings.map((finding) => {
    const { id } = finding
    const own = verdicts.filter((each) => each.id === id)
    const verdict = decided.get(id) ?? decideVerdict(own, files, whyNot.get(id) ?? 'the verifier did not report on it')
    return { ...finding, verdict, ...hashPlace(finding, files) }
  })
}

function decideVerdict(own: readonly Disproof[], files: PinnedFiles, otherwise: string): FindingVerdict {
  const [first] = own
  if (!first) return { state: 'unverified', reason: otherwise }
  if (own.some(({ verdict }) => verdict !== first.verdict))
    return {
      state: 'unverified',
      reason: `the verifier contradicts itself: ${own.map(({ verdict }) => verdict).join(', ')}`,
    }
  const { verdict: state, reason } = first
  if (state === 'unverified') return { state, reason }
  const evidence = own.flatMap((each) => each.evidence).filter((each) => isThere(each, files))
  if (evidence.length > 0) return { state, reason, evidence }
  return { state: 'unverified', reason: `${state} without evidence that stands in the tree: ${reason}` }
}

function isThere(evidence: Disproof['evidence'][number], files: PinnedFiles): boolean {
  return (['new', 'old'] as const).some((side) => findPlace({ ...evidence, side }, files).anchor.kind !== 'unanchored')
}

function hashPlace({ anchor, side, file }: ReviewFinding, files: PinnedFiles): Pick<ClassifiedFinding, 'line_hash'> {
  const content = files.new.get(file)
  if (anchor.kind === 'unanchored' || side === 'old' || content?.kind !== 'text') return {}
  const hash = hashLines(content.text)[anchor.line - 1]
  return hash === undefined ? {} : { line_hash: hash }
}

export function countFindings(
  findings: readonly ClassifiedFinding[],
): Pick<ReviewSummary, 'confirmed' | 'refuted' | 'unverified' | 'merged'> {
  const count = (state: FindingVerdict['state']) => findings.filter(({ verdict }) => verdict.state === state).length
  return {
    confirmed: count('confirmed'),
    refuted: count('refuted'),
    unverified: count('unverified'),
    merged: count('merged'),
  }
}
