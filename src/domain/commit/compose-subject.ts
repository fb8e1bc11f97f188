// The subject of a commit, in the manner of its repository. It is never cut inside a word, nor marked as cut.

import type { CommitStyle } from './commit-style.ts'
import {
  type ChangedIssue,
  describeFromSummary,
  describeFromTitle,
  isBalanced,
  lowerFirst,
  upperFirst,
} from './describe-change.ts'
import { formOfVerb } from './verb-forms.ts'

export interface SubjectContent {
  readonly issues: readonly ChangedIssue[]
  readonly files: readonly string[]
  /** All codes of the session: none of them belongs into a subject. */
  readonly codes: readonly string[]
}

/** The subject in the fixer's words; undefined if they can't be one. */
export function composeSubjectFromSummaries(content: SubjectContent, style: CommitStyle): string | undefined {
  const { issues, codes } = content
  const phrases = issues.map((issue) => describeFromSummary(issue, { codes, mood: style.mood }))
  const known = [...new Set(phrases.flatMap((phrase) => phrase ?? []))]
  if (known.length === 0 || phrases.includes(undefined)) return undefined
  if (known.length === 1) return formatSubject(known[0]!, content, style)
  const joined = known.map((phrase, index) => (index === 0 ? phrase : lowerFirst(phrase))).join(' and ')
  return known.length === 2 ? formatWhole(joined, content, style) : undefined
}

/** The subject by the rules, which always works. */
export function composeSubjectFromTitles(content: SubjectContent, style: CommitStyle): string {
  const { issues, files, codes } = content
  const [first] = issues
  if (!first) throw new RangeError('a commit needs at least one issue')
  const fix = formOfVerb('fix', style.mood)
  const own = issues.length === 1 ? describeFromTitle(first, { codes, mood: style.mood }) : undefined
  const count = issues.length === 1 ? 'an issue' : `${issues.length} issues`
  const places = [...new Set(files.map(shortName))]
  return (
    (own && formatSubject(own, content, style)) ??
    formatWhole(`${fix} ${count} in ${joinNames(places)}`, content, style) ??
    (files.length > 1 ? formatWhole(`${fix} ${count} in ${files.length} files`, content, style) : undefined) ??
    assemble(formatPrefix(content, { ...style, scopes: [] }), `${fix} ${count} of a review`, style)
  )
}

/** Words of an agent, or of anybody: undefined if they are no subject. */
export function composeSubjectFromWords(
  words: string,
  content: SubjectContent,
  style: CommitStyle,
): string | undefined {
  const issue = { issue_code: '', title: '', summary: words }
  const phrase = describeFromSummary(issue, { codes: content.codes, mood: style.mood })
  return phrase && formatSubject(phrase, content, style)
}

function formatSubject(phrase: string, content: SubjectContent, style: CommitStyle): string | undefined {
  const whole = formatWhole(phrase, content, style)
  if (whole !== undefined) return whole
  const prefix = formatPrefix(content, { ...style, scopes: style.prefix === 'area' ? style.scopes : [] })
  const cut = cutAtClause(phrase, style.maxLength - prefix.length - (style.hasFullStop ? 1 : 0))
  return cut && assemble(prefix, cut, style)
}

/** Undefined if it does not fit. */
function formatWhole(phrase: string, content: SubjectContent, style: CommitStyle): string | undefined {
  const tries = [formatPrefix(content, style), formatPrefix(content, { ...style, scopes: [] })]
  return tries
    .map((prefix) => assemble(prefix, phrase, style))
    .find((subject) => countLetters(subject) <= style.maxLength)
}

function assemble(prefix: string, phrase: string, style: CommitStyle): string {
  // "fix: fix the sum" says it twice.
  const text = style.prefix === 'type' ? phrase.replace(/^(?:fix|fixes|fixed) (?=\S)/i, '') : phrase
  return `${prefix}${style.isCapitalised ? upperFirst(text) : lowerFirst(text)}${style.hasFullStop ? '.' : ''}`
}

function formatPrefix({ files }: SubjectContent, { prefix, fixType, scopes }: CommitStyle): string {
  const scope = findScope(files, scopes)
  if (prefix === 'type') return scope === undefined ? `${fixType}: ` : `${fixType}(${scope}): `
  return prefix === 'area' && scope !== undefined ? `${scope}: ` : ''
}

/** The scope that names a folder or file of every changed path but tests and documents, the innermost first. */
function findScope(files: readonly string[], scopes: readonly string[]): string | undefined {
  const sources = files.filter((file) => !/(^|[/._-])(tests?|spec|docs?|changelog|changes)([/._-]|$)/i.test(file))
  const paths = (sources.length > 0 ? sources : files).map((file) => `/${file.replace(/\.\w+$/, '')}/`)
  const fitting = scopes.filter((scope) => paths.every((path) => path.includes(`/${scope}/`)))
  const depth = (scope: string): number => paths[0]!.lastIndexOf(`/${scope}/`) + scope.length
  return fitting.sort((a, b) => depth(b) - depth(a))[0]
}

const CLAUSE_START =
  /[\s,]+(?=(?:so|because|since|as|when|where|which|that|while|instead|rather|before|after|until|unless|if|by|to|for|from|in|into|on|and|or|using|via|with|without|via|even|only)\s)|,\s|:\s|\s(?=\()/g
const MIN_CUT_LETTERS = 16
/** A clause that has begun is not cut: "where the lock was released" is another thing without "before the workers ended". */
const OPEN_CLAUSE = /\s(?:so|because|since|as|when|where|which|that|while|unless|until|if|before|after)\s/
const MAY_FOLLOW_CLAUSE = /^(?:[\s,]+(?:and|or|so|because|since|which)\s|,\s)/

/** The longest beginning that ends before a clause and fits. */
function cutAtClause(phrase: string, room: number): string | undefined {
  const ends = [...phrase.matchAll(CLAUSE_START)]
    .filter(({ index }) => !OPEN_CLAUSE.test(phrase.slice(0, index)) || MAY_FOLLOW_CLAUSE.test(phrase.slice(index)))
    .map(({ index }) => phrase.slice(0, index).trim())
  return ends.findLast((text) => {
    const letters = countLetters(text)
    return (
      letters <= room && letters >= MIN_CUT_LETTERS && text.includes(' ') && isBalanced(text) && !ENDS_OPEN.test(text)
    )
  })
}

const ENDS_OPEN =
  /[\s(](?:a|an|the|and|or|of|to|in|on|for|from|with|by|as|if|when|is|are|not|no|instead|rather|even|only|so|that)$/i

function shortName(file: string): string {
  return file.split('/').at(-1) ?? file
}

function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

function countLetters(text: string): number {
  return [...text].length
}
