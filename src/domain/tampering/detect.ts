import { isAssertion, parseTestName } from './assertions.ts'
import { findEmptiedTests, findListItems, findSwallowedErrors, type TamperingMatch } from './line-pairs.ts'
import {
  COMMAND_PATTERNS,
  classifyFileRole,
  DEMAND_LIST,
  DEMAND_PATTERN,
  EXCEPTION_LIST,
  findThresholds,
  listTamperingPatterns,
  MAX_READABLE_LENGTH,
  STRICTNESS_PATTERNS,
  TAMPERING_DESCRIPTIONS,
  type TamperingFlag,
  type TamperingKind,
} from './patterns.ts'
import { findLoosenedAssertions, findLoweredThresholds } from './replaced-lines.ts'
import { type FileDiff, type Hunk, parseDiff } from './unified-diff.ts'

const MOST_OF_A_LINE = 200
/** Of one file's diff. */
const MOST_OF_A_FILE = 2_000_000
/** Of all files together: whoever has this looked at does nothing else for as long as it takes, a few seconds at most. */
const MOST_OF_ALL = 6_000_000
const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|cs|php|swift|cc?|cpp|hp?p?|scala|sh|ya?ml|toml|ini|cfg|sql|vue|svelte|exs?|lua|pl|dart)$/i

/** `told` says how a line may be shown. */
export function detectTampering(
  diff: string | readonly FileDiff[],
  isTest: (path: string) => boolean,
  told: (line: string) => string = (line) => line,
): TamperingFlag[] {
  const files = dropOversized(typeof diff === 'string' ? parseDiff(diff) : diff)
  const deleted = new Set(files.flatMap(({ kind, path }) => (kind === 'deleted' && isTest(path) ? [path] : [])))
  const flags: FlagWithCounts[] = [
    ...files.flatMap((file) => flagFile(file, isTest)),
    ...differences(files, (side, file) => findMarks(side, file, isTest(file.path)), 'text').come,
    ...differences(files, findTests, 'mark').gone.filter(({ file }) => !deleted.has(file)),
    ...differences(files, findStrictness, 'text').gone,
    ...flagLostAssertions(files, isTest),
  ]
  const seen = new Set<string>()
  const placed = new Set(
    flags.flatMap(({ file, line, kind }) => (kind === 'changed_check' ? [] : [`${file}\n${line}`])),
  )
  // That a check is called otherwise goes without saying where it is said how.
  const telling = flags.filter(({ file, line, kind }) => kind !== 'changed_check' || !placed.has(`${file}\n${line}`))
  // Whoever has room for some of them has it for what could be read.
  const ordered = telling.toSorted((one, other) => Number(isUnseen(one)) - Number(isUnseen(other)))
  return ordered.flatMap(({ file, line, kind, text, counts = '' }) => {
    const place = JSON.stringify([file, line, kind, line === null ? text : ''])
    if (seen.has(place)) return []
    seen.add(place)
    return [{ file, line, kind, text: truncateLine(counts + told(text).trim()) }]
  })
}

interface FlagWithCounts extends TamperingFlag {
  /** What is said before the line. */
  readonly counts?: string
}

/** What is longer is not looked at, and flagged for that: the longest first, for an agent may have added a folder of packages. */
function dropOversized(files: readonly FileDiff[]): FileDiff[] {
  const looked = new Set<FileDiff>()
  let room = MOST_OF_ALL
  for (const file of files.toSorted((one, other) => one.text.length - other.text.length)) {
    room -= file.text.length
    if (room < 0 || file.text.length > MOST_OF_A_FILE) break
    looked.add(file)
  }
  return files.map((file) => (looked.has(file) ? file : { ...file, hunks: [], isBinary: true }))
}

function isUnseen({ kind, line }: TamperingFlag): boolean {
  return kind === 'unreadable' && line === null
}

/** `src/a.py:4 tells a check to look away` */
export function describeTampering({ file, line, kind }: TamperingFlag): string {
  return `${file}${line === null ? '' : `:${line}`} ${TAMPERING_DESCRIPTIONS[kind]}`
}

function truncateLine(text: string): string {
  const plain = text.trim()
  return (plain.length <= MOST_OF_A_LINE ? plain : `${plain.slice(0, MOST_OF_A_LINE - 1)}…`).toWellFormed()
}

function flagFile(file: FileDiff, isTest: (path: string) => boolean): TamperingFlag[] {
  const { path, from, kind, isBinary, hunks } = file
  const flag = (line: number | null, of: TamperingKind, text: string) => ({ file: path, line, kind: of, text })
  if (kind === 'deleted') {
    const gone = isTest(path) ? 'deleted_test' : isForChecks(path) ? 'lowered_bar' : undefined
    return gone ? [flag(null, gone, 'the whole file is deleted')] : []
  }
  const left = from !== undefined && isTest(from) && !isTest(path)
  const isRead = SOURCE.test(path) || isForChecks(path)
  // What a check was told in one, and is not any more, is as good as unseen.
  const sides = isForChecks(path) ? ['old', 'new'] : ['new']
  const longLines = hunks.flat().filter(({ side, text }) => text.length > MAX_READABLE_LENGTH && sides.includes(side))
  return [
    ...(left ? [flag(null, 'deleted_test', `it was ${from}, and is no test under this name`)] : []),
    ...(from !== undefined && isForChecks(from) ? [flag(null, 'lowered_bar', `it was ${from}`)] : []),
    ...(path.endsWith('.snap') && kind !== 'added' && hunks.flat().some(({ side }) => side === 'old')
      ? [flag(null, 'changed_expectation', 'a snapshot is another one')]
      : []),
    ...(isBinary && isRead ? [flag(null, 'unreadable', 'its diff is binary, or endless')] : []),
    ...(isRead ? longLines : []).map(({ line, text }) => flag(line, 'unreadable', text)),
    ...hunks.flatMap((hunk) => [
      ...(isTest(path) ? findLoosenedAssertions(hunk, path) : []),
      ...(isConfig(path) ? findLoweredThresholds(hunk, path) : []),
    ]),
  ]
}

function isConfig(path: string): boolean {
  return classifyFileRole(path, false).isConfig
}

function isForChecks(path: string): boolean {
  return classifyFileRole(path, false).isForChecks
}

interface Hit extends TamperingFlag {
  readonly mark: string
}

type Find = (side: Hunk, file: FileDiff) => readonly TamperingMatch[]

/** What is found on one side only. What is the same within a hunk by its mark, and elsewhere by its line or its mark, stayed or moved. */
function differences(
  files: readonly FileDiff[],
  find: Find,
  moves: 'text' | 'mark',
): { readonly come: Hit[]; readonly gone: Hit[] } {
  const come: Hit[] = []
  const gone: Hit[] = []
  for (const file of files) {
    for (const hunk of file.hunks) {
      const before = findHits(hunk, 'old', file, find)
      const now = findHits(hunk, 'new', file, find)
      for (const hit of subtractHits(now, before, ({ mark }) => mark)) come.push(hit)
      for (const hit of subtractHits(before, now, ({ mark }) => mark)) gone.push(hit)
    }
  }
  const same = ({ mark, text }: Hit) => (moves === 'text' ? text.trim() : mark)
  return { come: subtractHits(come, gone, same), gone: subtractHits(gone, come, same) }
}

function findHits(hunk: Hunk, own: 'old' | 'new', file: FileDiff, find: Find): Hit[] {
  const side = hunk.filter((line) => line.side === 'both' || line.side === own)
  return find(side, file).flatMap(({ kind, mark, lines: [first, last] }) => {
    const shown = side[first]
    // Two lines may be new as a pair; where they are not, the other side has them, too.
    const isOwn = last > first || shown?.side === own
    return shown && isOwn ? [{ file: file.path, line: shown.line, kind, mark, text: shown.text }] : []
  })
}

/** One of the others pays for one of these. */
function subtractHits(these: readonly Hit[], others: readonly Hit[], same: (hit: Hit) => string): Hit[] {
  const key = (hit: Hit) => `${hit.kind}\n${same(hit)}`
  const left = Map.groupBy(others, key)
  return these.filter((hit) => left.get(key(hit))?.pop() === undefined)
}

function findMarks(side: Hunk, file: FileDiff, isTest: boolean): TamperingMatch[] {
  const place = classifyFileRole(file.path, isTest)
  const marks = listTamperingPatterns(file.path, place)
  const found: TamperingMatch[] = place.isCode
    ? [...findSwallowedErrors(side), ...(isTest ? findEmptiedTests(side) : [])]
    : []
  for (const [at, { text }] of side.entries()) {
    if (text.length > MAX_READABLE_LENGTH) continue
    for (const [kind, pattern] of marks) {
      const [mark] = pattern.exec(text) ?? []
      if (mark !== undefined) found.push({ kind, mark: mark.replace(/\s+/g, ' ').trim(), lines: [at, at] })
    }
  }
  return place.isConfig ? [...found, ...findListItems(side, EXCEPTION_LIST)] : found
}

function findTests(side: Hunk, { path }: FileDiff): TamperingMatch[] {
  if (!classifyFileRole(path, false).isCode) return []
  return side.flatMap(({ text }, at): TamperingMatch[] => {
    const name = text.length > MAX_READABLE_LENGTH ? undefined : parseTestName(text)
    return name === undefined ? [] : [{ kind: 'deleted_test', mark: name, lines: [at, at] }]
  })
}

function findStrictness(side: Hunk, { path, kind }: FileDiff): TamperingMatch[] {
  if (!isConfig(path) || kind === 'deleted') return []
  const named = isForChecks(path) ? [...COMMAND_PATTERNS, DEMAND_PATTERN] : COMMAND_PATTERNS
  const found = side.flatMap(({ text }, at): TamperingMatch[] => {
    if (text.length > MAX_READABLE_LENGTH) return []
    const marks = STRICTNESS_PATTERNS.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
    const names = [
      ...named.flatMap((pattern) => pattern.exec(text)?.[1] ?? []),
      ...findThresholds(text).map(({ name }) => name),
    ]
    return [...marks, ...names].map((mark) => ({ kind: 'lowered_bar', mark, lines: [at, at] }))
  })
  return isForChecks(path) ? [...found, ...findListItems(side, DEMAND_LIST)] : found
}

/** By count: an assertion may be written anew. */
function flagLostAssertions(files: readonly FileDiff[], isTest: (path: string) => boolean): FlagWithCounts[] {
  const find: Find = (side, { path, kind }) =>
    !isTest(path) || kind === 'deleted'
      ? []
      : side.flatMap(({ text }, at): TamperingMatch[] =>
          text.length <= MAX_READABLE_LENGTH && isAssertion(text)
            ? [{ kind: 'lost_assertions', mark: text.trim(), lines: [at, at] }]
            : [],
        )
  const { come, gone } = differences(files, find, 'text')
  return [...Map.groupBy(gone, ({ file }) => file)].flatMap(([file, lost]) => {
    const added = come.filter((hit) => hit.file === file).length
    const [first] = lost
    if (!first || lost.length <= added) return []
    return [{ ...first, counts: `${lost.length} assertion(s) gone, ${added} new: ` }]
  })
}
