// Recognises what another tool has reported before: the same weakness at the same place.
import type { Finding } from '../issue/parse-findings.ts'
import type { IssueRecord } from '../session/store-records.ts'
import type { FoundOrigin, FoundResult, KnownIssue } from './import-record.ts'

type First = FoundResult | IssueRecord

/** The answers hold in the order of the questions: each result that is asked about may be the first for later ones. */
export function createDuplicateFinder(others: readonly KnownIssue[]): (found: FoundResult) => First | undefined {
  const candidates = others
    .filter(({ issue }) => !['duplicate', 'resolved', 'merged'].includes(issue.status))
    .sort((one, two) => compareTexts(one.issue.created_at, two.issue.created_at))
    .map(({ issue, origin }) => toCandidate(issue, origin, issue))
  const byFile = Map.groupBy(candidates, ({ file }) => file)
  return (found) => {
    const { finding, origin } = found
    const place = toPlace(finding)
    const near = byFile.get(place.file) ?? []
    const match = near.find(
      (each) =>
        each.tool !== origin.tool &&
        place.from <= each.to &&
        each.from <= place.to &&
        each.weaknesses.some((weakness) => origin.weaknesses.includes(weakness)),
    )
    if (!match) byFile.set(place.file, [...near, toCandidate(finding, origin, found)])
    return match?.first
  }
}

/** The names by which tools call one weakness: those of CWE, and the numbers that Ruff has from Bandit. */
export function listWeaknesses(tool: string, rule: string, cwes: readonly string[]): string[] {
  const [, number] = (tool === 'ruff' ? /^S(\d{3})$/ : /^B(\d{3})$/).exec(rule) ?? []
  const alias = number !== undefined && (tool === 'ruff' || tool === 'bandit') ? [`bandit-${number}`] : []
  return [...new Set([...cwes, ...alias])].sort()
}

function toCandidate(place: PlacedFinding, { tool, weaknesses }: FoundOrigin, first: First) {
  return { ...toPlace(place), tool, weaknesses, first }
}

type PlacedFinding = Pick<Finding, 'file' | 'line'>

interface Place {
  readonly file: string
  readonly from: number
  readonly to: number
}

/** A finding without a line is nowhere near another. */
function toPlace({ file, line = '' }: PlacedFinding): Place {
  const [from = Number.NaN, to = from] = line.split('-').map(Number)
  return { file, from, to }
}

function compareTexts(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0
}
