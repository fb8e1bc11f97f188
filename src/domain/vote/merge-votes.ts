// Findings that several voters report are one finding: same file, same place, same failure in their words. Each stays on record with who
// reported it, so nothing is lost, and what all report comes first.
// Gap: two voters that describe one failure without a word in common are taken for two findings.
import type { ReviewFinding } from '../review/finding.ts'
import { isSamePlace } from '../review/merge-duplicates.ts'
import { compareSeverity, mergeSeverity } from '../review/severity.ts'
import { formatFindingId } from '../review/take-in-findings.ts'
import type { Voter } from './ballot.ts'
import type { CastVote, FindingReport, MergedFinding } from './vote-record.ts'

/** The share of the shorter description's words that the other one has, too. */
const SAME_WORDS = 0.5
const MIN_WORD_LENGTH = 4

export function mergeVotes(votes: readonly Pick<CastVote, 'voter' | 'findings'>[]): MergedFinding[] {
  const merged: [FindingReport, ...FindingReport[]][] = []
  const reports = votes.flatMap(({ voter, findings }) => findings.map((finding) => ({ voter, finding })))
  for (const report of reports.sort(comparePlaces)) {
    const same = merged.find(([first]) => describesSameFailure(first.finding, report.finding))
    if (same) same.push(report)
    else merged.push([report])
  }
  return merged
    .map((each) => ({ severity: each.map(({ finding }) => finding.severity).reduce(mergeSeverity), reports: each }))
    .sort(
      (one, other) =>
        listVoters(other).length - listVoters(one).length ||
        compareSeverity(other.severity, one.severity) ||
        comparePlaces(one.reports[0], other.reports[0]),
    )
    .map((each, index) => ({ id: formatFindingId(index + 1), ...each }))
}

export function listVoters({ reports }: Pick<MergedFinding, 'reports'>): Voter[] {
  return [...new Set(reports.map(({ voter }) => voter))]
}

export function describesSameFailure(one: ReviewFinding, other: ReviewFinding): boolean {
  if (one.file !== other.file || one.side !== other.side || !isSamePlace(one, other)) return false
  const [words, otherWords] = [listWords(one.failure), listWords(other.failure)]
  const fewer = Math.min(words.size, otherWords.size)
  // Without words there is nothing to tell them apart but their place.
  if (fewer === 0) return words.size === otherWords.size
  return [...words].filter((word) => otherWords.has(word)).length / fewer >= SAME_WORDS
}

/** Without their endings, so that "returns" and "returned" are one word. */
function listWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const long = words.filter(({ length }) => length >= MIN_WORD_LENGTH)
  return new Set(long.map((word) => word.replace(/(?:ing|ed|es|s)$/, '')))
}

function comparePlaces(one: FindingReport, other: FindingReport): number {
  const [a, b] = [one.finding, other.finding]
  return (
    compareTexts(a.file, b.file) ||
    toLine(a) - toLine(b) ||
    compareTexts(one.voter, other.voter) ||
    compareTexts(a.id, b.id)
  )
}

function toLine({ anchor }: ReviewFinding): number {
  return anchor.kind === 'unanchored' ? Number.MAX_SAFE_INTEGER : anchor.line
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
