// The message of a commit: what was done, then what was wrong and how it is right now, then trailers for tools.

import type { CommitStyle } from './commit-style.ts'
import {
  composeSubjectFromSummaries,
  composeSubjectFromTitles,
  composeSubjectFromWords,
  type SubjectContent,
} from './compose-subject.ts'
import type { ChangedIssue } from './describe-change.ts'
import { toParagraph } from './neutralize-text.ts'
import { type CommitTrailers, formatTrailers } from './trailers.ts'

export interface DescribedIssue extends ChangedIssue {
  readonly description: string
}

export interface DescribedCommit extends SubjectContent {
  readonly issues: readonly DescribedIssue[]
}

export interface MessageParts {
  readonly commit: DescribedCommit
  readonly style: CommitStyle
  readonly trailers: CommitTrailers
  /** An agent's words for the subject. */
  readonly proposed?: string | undefined
}

const LINE_LENGTH = 72
/** As much of a finding as a reader of the log needs. */
const MAX_DESCRIPTION = 400
const MAX_SUMMARY = 800

export function composeCommitMessage({ commit, style, trailers, proposed }: MessageParts): string {
  const content = neutralizeContent(commit)
  const subject =
    composeSubjectFromSummaries(content, style) ??
    (proposed === undefined
      ? undefined
      : composeSubjectFromWords(toParagraph(proposed.trim().split('\n', 1)[0] ?? ''), content, style)) ??
    composeSubjectFromTitles(content, style)
  const paragraphs = [subject, composeBody(commit.issues, subject), formatTrailers(trailers).join('\n')]
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')
}

/** Whether the fixer's words make a subject, so that no agent needs to be asked. */
export function hasOwnSubject(commit: DescribedCommit, style: CommitStyle): boolean {
  return composeSubjectFromSummaries(neutralizeContent(commit), style) !== undefined
}

function neutralizeContent({ issues, ...content }: DescribedCommit): SubjectContent {
  return {
    ...content,
    issues: issues.map(({ issue_code, title, summary }) => ({
      issue_code,
      title: toParagraph(title),
      // Its first line counts.
      summary: summary.split('\n').map(toParagraph).join('\n'),
    })),
  }
}

function composeBody(issues: readonly DescribedIssue[], subject: string): string {
  const [only, ...others] = issues
  if (!only) return ''
  if (others.length === 0) {
    // A title that made the subject says nothing twice.
    const paragraphs = describeIssue(only).filter((text) => !toLetters(subject).endsWith(toLetters(text)))
    return paragraphs.flatMap((text) => wrap(text, '')).join('\n\n')
  }
  return issues.flatMap((issue) => wrap(`- ${describeIssue(issue).filter(Boolean).join(' ')}`, '  ')).join('\n')
}

function describeIssue({ title, description, summary }: DescribedIssue): readonly [why: string, how: string] {
  const [what, more, how] = [
    toParagraph(title),
    takeSentences(toParagraph(description.trim().split(/\n\s*\n/, 1)[0] ?? ''), MAX_DESCRIPTION),
    takeSentences(toParagraph(summary), MAX_SUMMARY),
  ]
  const isRepeated = more.toLowerCase().startsWith(what.toLowerCase())
  const why = [isRepeated ? '' : endSentence(what), endSentence(more)].filter(Boolean).join(' ')
  return [why, how === what ? '' : endSentence(how)]
}

function toLetters(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** As many whole sentences as fit; none is cut. */
function takeSentences(text: string, most: number): string {
  if (text.length <= most) return text
  const end = /^.*[.!?](?=\s)/s.exec(text.slice(0, most + 1))?.[0]
  return end ?? ''
}

function endSentence(text: string): string {
  return text === '' || /[.!?:)…]$/.test(text) ? text : `${text}.`
}

/** Words longer than a line stay whole. */
function wrap(text: string, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && [...line].length + 1 + [...word].length > LINE_LENGTH) {
      lines.push(line)
      line = `${indent}${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [[...lines, line].join('\n')]
}
