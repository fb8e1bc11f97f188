// The scripted challenger. Its score comes from the diff in its prompt, never from what the fixer claims: all proofs of an issue
// found = proven, some = partly, the file touched without proof = wrong, the file not touched = nothing done.

import { type Call, findBlock, issuesOf } from './conversation.ts'
import type { ListedIssue } from './prompt.ts'
import { atIteration, type IssueScript, type Proof, type Scenario } from './scenario.ts'

const PARTLY = 70
const WRONG = 45
const UNTOUCHED = 20

export interface FileDiff {
  readonly added: string
  readonly removed: string
}

interface Finding {
  readonly score: number
  readonly feedback: string
  readonly improvements: readonly string[]
}

/** The lines that a unified diff adds and removes, by path. A renamed file counts under both its names. */
export function readDiff(diff: string): Map<string, FileDiff> {
  const files = new Map<string, FileDiff>()
  for (const section of diff.split(/^(?=diff --git )/m)) {
    const head = section.split(/^@@/m, 1)[0] ?? ''
    const names = [...head.matchAll(/^(?:---|\+\+\+|rename from|rename to) "?(?:[ab]\/)?([^"\t\n]+)/gm)].map(
      (match) => match[1] ?? '',
    )
    const lines = section.slice(head.length).split('\n')
    const taken = (sign: string) =>
      lines
        .filter((line) => line.startsWith(sign))
        .map((line) => line.slice(1))
        .join('\n')
    for (const name of new Set(names)) files.set(name, { added: taken('+'), removed: taken('-') })
  }
  files.delete('/dev/null')
  return files
}

export function challengerReply(scenario: Scenario, call: Call): Record<string, unknown> {
  const { codes, iteration, whole } = call.call
  const diff = readDiff(findBlock(call, 'diff') ?? '')
  const listed = issuesOf(call)
  const verdicts = codes.map((code) => {
    const issue = listed.find((candidate) => candidate.issue_code === code)
    return [code, verdict(scenario.issues[code], issue, diff, iteration)] as const
  })
  const mean = verdicts.reduce((sum, [, { score }]) => sum + score, 0) / Math.max(verdicts.length, 1)
  const wholeScore = atIteration(scenario.wholeScores, iteration) ?? Math.round(mean * 10) / 10
  return {
    issues: Object.fromEntries(verdicts),
    ...(whole ? { whole: { score: wholeScore, feedback: `The diff changes ${diff.size} file(s).` } } : {}),
  }
}

function verdict(
  script: IssueScript | undefined,
  issue: ListedIssue | undefined,
  diff: ReadonlyMap<string, FileDiff>,
  iteration: number,
): { score: number } & Record<string, unknown> {
  const found = judge(script, issue, diff)
  const score = atIteration(script?.scores, iteration) ?? found.score
  return {
    score,
    status: score >= 90 ? 'SOLVED' : 'IN_PROGRESS',
    feedback: found.feedback,
    quality_scores: {
      correctness: score,
      safety: Math.max(score, 60),
      minimality: Math.max(score, 70),
      style_consistency: Math.max(score, 75),
    },
    improvements_needed: found.improvements,
    points: [],
    ...(found.score >= 90 && issue && !diff.has(issue.file)
      ? { why_elsewhere: 'What proves it stands elsewhere.' }
      : {}),
    ...atIteration(script?.verdicts, iteration),
  }
}

function judge(
  script: IssueScript | undefined,
  issue: ListedIssue | undefined,
  diff: ReadonlyMap<string, FileDiff>,
): Finding {
  const proofs: readonly Proof[] = script?.proof.length ? script.proof : [{ file: issue?.file ?? '' }]
  const untouched = proofs.filter((proof) => !diff.has(proof.file))
  const held = proofs.filter((proof) => holds(proof, diff.get(proof.file)))
  if (held.length === proofs.length) {
    return {
      score: script?.scoreWhenProven ?? 97,
      feedback: 'The cause is gone and nothing else changed.',
      improvements: [],
    }
  }
  const missing = proofs.filter((proof) => !held.includes(proof)).map(missingProof)
  if (untouched.length === proofs.length) {
    return {
      score: UNTOUCHED,
      feedback: `The diff does not touch ${proofs.map(({ file }) => file).join(', ')}.`,
      improvements: missing,
    }
  }
  const feedback = script?.feedback ?? `The change to ${proofs[0]?.file} does not remove the cause.`
  return { score: held.length > 0 ? PARTLY : WRONG, feedback, improvements: missing }
}

function holds(proof: Proof, file: FileDiff | undefined): boolean {
  if (!file) return false
  const shows = (pattern: string | undefined, text: string) =>
    pattern === undefined || new RegExp(pattern, 'm').test(text)
  return shows(proof.adds, file.added) && shows(proof.removes, file.removed)
}

function missingProof(proof: Proof): string {
  const parts = [
    proof.adds && `a line like /${proof.adds}/ added`,
    proof.removes && `a line like /${proof.removes}/ gone`,
  ]
  return `${proof.file}: expected ${parts.filter(Boolean).join(' and ') || 'a change'}`
}
