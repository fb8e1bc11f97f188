// The manner of a repository's commits, read from the subjects in its log. Numbers of tickets and pull requests are not imitated.

import { findVerb, type Mood } from './verb-forms.ts'

export interface CommitStyle {
  /** `type`: "fix(parser): …"; `area`: "parser: …". */
  readonly prefix: 'type' | 'area' | 'none'
  /** The type of a fix, in the log's spelling. */
  readonly fixType: string
  /** Scopes or areas of the log; empty where they are not usual. */
  readonly scopes: readonly string[]
  readonly isCapitalised: boolean
  readonly mood: Mood
  readonly maxLength: number
  readonly hasFullStop: boolean
}

export const MAX_SUBJECT_LENGTH = 72
const MIN_SUBJECT_LIMIT = 50
/** Fewer commits don't show a manner. */
const MIN_COMMITS = 5

export const DEFAULT_STYLE: CommitStyle = {
  prefix: 'type',
  fixType: 'fix',
  scopes: [],
  isCapitalised: false,
  mood: 'imperative',
  maxLength: MAX_SUBJECT_LENGTH,
  hasFullStop: false,
}

const TYPES =
  /^(feat|feature|fix|fixes|bugfix|bug|hotfix|docs?|style|refactor|perf|tests?|build|ci|chore|revert|deps|release|security|types)$/i
const FIX_TYPES = /^(fix|fixes|bugfix|bug|hotfix)$/i

export function readCommitStyle(log: readonly string[]): CommitStyle {
  const subjects = log.filter((subject) => !isMechanical(subject))
  if (subjects.length < MIN_COMMITS) return DEFAULT_STYLE
  const parts = subjects.map((subject) => splitSubject(stripNumbers(subject)))
  const typed = parts.filter(({ type }) => type !== undefined)
  const placed = parts.filter(({ area }) => area !== undefined)
  const isTyped = isMost(typed.length, parts.length)
  const isPlaced = !isTyped && isMost(placed.length, parts.length)
  return {
    prefix: isTyped ? 'type' : isPlaced ? 'area' : 'none',
    fixType: findFixType(typed.flatMap(({ type }) => type ?? [])),
    scopes: isTyped ? listUsualScopes(typed) : isPlaced ? listDistinct(placed.flatMap(({ area }) => area ?? [])) : [],
    isCapitalised: isMostlyCapitalised(parts.map(({ text }) => text)),
    mood: findMood(parts.map(({ text }) => text)),
    maxLength: findLengthLimit(subjects.map(stripNumbers)),
    hasFullStop: share(subjects, (subject) => /[^.]\.$/.test(subject.trim())) >= 0.6,
  }
}

/** Merges, reverts, releases and the like are written by tools. */
function isMechanical(subject: string): boolean {
  return /^(merge\b|revert\b|fixup!|squash!|(release|bump version|version)?[\s:v]*\d+(\.\d+)+\S*\s*$)/i.test(subject)
}

/** `[ABC-12] Fix it (#34)` → `Fix it` */
export function stripNumbers(subject: string): string {
  return subject
    .replace(/^\P{L}*(\[?(?:[A-Z][A-Z0-9]+-\d+|(?:gh|bpo|issue|bug)?[-\s]?#\d+|(?:gh|bpo)-\d+)\]?\s*[:–-]?\s*)+/iu, '')
    .replace(/\s*\(?(#\d+|GH-\d+|[A-Z][A-Z0-9]+-\d+)\)?\s*$/, '')
    .replace(/^[^\p{L}\p{N}`'"([]+/u, '')
    .trim()
}

interface SubjectParts {
  readonly type?: string | undefined
  readonly scope?: string | undefined
  readonly area?: string | undefined
  readonly text: string
}

function splitSubject(subject: string): SubjectParts {
  const [, type = '', scope, text = ''] = /^([A-Za-z]+)(?:\(([^()]*)\))?!?:\s+(.+)$/.exec(subject) ?? []
  if (TYPES.test(type)) return { type, scope, text: stripNumbers(text) }
  const [, area, rest = ''] = /^([\w.][\w./{},*+-]*):\s+(.+)$/.exec(subject) ?? []
  return area === undefined ? { text: subject } : { area, text: stripNumbers(rest) }
}

function findFixType(types: readonly string[]): string {
  const own = listDistinct(types.filter((type) => FIX_TYPES.test(type)))[0]
  return own ?? (share(types, (type) => /^[A-Z]/.test(type)) > 0.5 ? 'Fix' : 'fix')
}

function listUsualScopes(typed: readonly SubjectParts[]): string[] {
  const fixes = typed.filter(({ type }) => FIX_TYPES.test(type ?? ''))
  const asked = fixes.length >= MIN_COMMITS ? fixes : typed
  const isUsual = share(asked, ({ scope }) => scope !== undefined) > 0.5
  return isUsual ? listDistinct(typed.flatMap(({ scope }) => scope || [])) : []
}

function isMostlyCapitalised(texts: readonly string[]): boolean {
  const letters = texts.flatMap((text) => /^\p{L}/u.exec(text)?.[0] ?? [])
  return share(letters, (letter) => letter !== letter.toLowerCase()) > 0.5
}

function findMood(texts: readonly string[]): Mood {
  const forms = texts.flatMap((text) => findVerb(/^\p{L}+/u.exec(text)?.[0] ?? '')?.form ?? [])
  if (forms.length < MIN_COMMITS) return 'imperative'
  return (['past', 'present'] as const).find((mood) => share(forms, (form) => form === mood) >= 0.6) ?? 'imperative'
}

/** Nine of ten subjects are no longer. */
function findLengthLimit(subjects: readonly string[]): number {
  const lengths = subjects.map((subject) => [...subject].length).sort((a, b) => a - b)
  const usual = lengths[Math.floor(lengths.length * 0.9)] ?? MAX_SUBJECT_LENGTH
  return Math.min(MAX_SUBJECT_LENGTH, Math.max(MIN_SUBJECT_LIMIT, usual))
}

function isMost(some: number, all: number): boolean {
  return some * 2 > all
}

function share<T>(all: readonly T[], has: (one: T) => boolean): number {
  return all.length === 0 ? 0 : all.filter(has).length / all.length
}

/** Each once, the most frequent first. */
function listDistinct(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name)
}
