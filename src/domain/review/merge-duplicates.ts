// Recognises findings that say the same: the same file, overlapping lines, the same failure. The one with the smaller id stays, with
// everybody who said it; the other is kept as merged into it.

import { toQuoteLines } from './anchor-quote.ts'
import type { FindingVerdict, ReviewFinding } from './finding.ts'
import { mergeSeverity } from './severity.ts'

export interface MergedFindings {
  /** All of them; those that took others in have their experts and severity. */
  readonly findings: readonly ReviewFinding[]
  readonly merged: ReadonlyMap<string, FindingVerdict & { readonly state: 'merged' }>
}

/** `reported`: what the reviewers have merged themselves, by their own ids. */
export function mergeDuplicates(
  findings: readonly ReviewFinding[],
  reported: readonly { readonly id: string; readonly into: string; readonly reason: string }[] = [],
): MergedFindings {
  const merged = new Map<string, FindingVerdict & { readonly state: 'merged' }>()
  const kept: ReviewFinding[] = []
  const reportedInto = new Map(reported.map(({ id, into }) => [id, into]))
  const targets = new Set(reported.map(({ into }) => into))
  const isReported = ({ alias }: ReviewFinding) => reportedInto.has(alias) && !targets.has(alias)
  for (const finding of [...findings.filter((each) => !isReported(each)), ...findings.filter(isReported)]) {
    const into = isReported(finding) ? reportedInto.get(finding.alias) : undefined
    const at = kept.findIndex((other) => (into === undefined ? isSameFinding(finding, other) : other.alias === into))
    const first = kept[at]
    if (!first) {
      kept.push(finding)
      continue
    }
    kept[at] = absorb(first, finding)
    const own = reported.find(({ id }) => into !== undefined && id === finding.alias)?.reason
    merged.set(finding.id, { state: 'merged', into: first.id, reason: own || 'the same place and the same failure' })
  }
  const byId = new Map(kept.map((each) => [each.id, each]))
  return { findings: findings.map((each) => byId.get(each.id) ?? each), merged }
}

type Comparable = Pick<ReviewFinding, 'file' | 'side' | 'anchor' | 'quote' | 'failure'>

export function isSameFinding(one: Comparable, other: Comparable): boolean {
  return one.file === other.file && one.side === other.side && isSamePlace(one, other) && isSameFailure(one, other)
}

export function isSamePlace(one: Comparable, other: Comparable): boolean {
  if (one.anchor.kind === 'unanchored' || other.anchor.kind === 'unanchored') return isSameQuote(one, other)
  return one.anchor.line <= other.anchor.end_line && other.anchor.line <= one.anchor.end_line
}

export function isSameQuote(one: Pick<Comparable, 'quote'>, other: Pick<Comparable, 'quote'>): boolean {
  return toQuoteLines(one.quote).join('\n') === toQuoteLines(other.quote).join('\n')
}

/** By its words, whatever their case and punctuation. */
export function isSameFailure(one: Pick<Comparable, 'failure'>, other: Pick<Comparable, 'failure'>): boolean {
  const [a, b] = [toWords(one.failure), toWords(other.failure)]
  return a === b || (a !== '' && b !== '' && (a.startsWith(`${b} `) || b.startsWith(`${a} `)))
}

function toWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ')
}

function absorb(first: ReviewFinding, other: ReviewFinding): ReviewFinding {
  return {
    ...first,
    severity: mergeSeverity(first.severity, other.severity),
    experts: [...new Set([...first.experts, ...other.experts])],
    // Two who disagree about its age have not shown that it is old.
    origin: first.origin === other.origin ? first.origin : 'introduced',
  }
}
