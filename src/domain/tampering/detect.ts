import { isAssertion, testIn } from './assertions.ts'
import { emptiedIn, errorsIn, type Found, itemsIn } from './line-pairs.ts'
import {
  barsIn,
  LIST_OF_DEMANDS,
  LIST_OF_EXCEPTIONS,
  LOOKS_FOR,
  marksFor,
  placeOf,
  READABLE,
  RUNS,
  SILENCED_WORDS,
  type SilencedCheck,
  type SilencedKind,
  STRICTNESS,
} from './patterns.ts'
import { loosened, lowered } from './replaced-lines.ts'
import { type FileDiff, type Hunk, readDiff } from './unified-diff.ts'

const MOST_OF_A_LINE = 200
/** Of one file's diff. */
const MOST_OF_A_FILE = 2_000_000
/** Of all files together: whoever has this looked at does nothing else for as long as it takes, a few seconds at most. */
const MOST_OF_ALL = 6_000_000
const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|cs|php|swift|cc?|cpp|hp?p?|scala|sh|ya?ml|toml|ini|cfg|sql|vue|svelte|exs?|lua|pl|dart)$/i

/** `told` says how a line may be shown. */
export function silencedChecks(
  diff: string | readonly FileDiff[],
  isTest: (path: string) => boolean,
  told: (line: string) => string = (line) => line,
): SilencedCheck[] {
  const files = readable(typeof diff === 'string' ? readDiff(diff) : diff)
  const deleted = new Set(files.flatMap(({ kind, path }) => (kind === 'deleted' && isTest(path) ? [path] : [])))
  const flags: Flag[] = [
    ...files.flatMap((file) => aboutFile(file, isTest)),
    ...differences(files, (side, file) => marksIn(side, file, isTest(file.path)), 'text').come,
    ...differences(files, testsIn, 'mark').gone.filter(({ file }) => !deleted.has(file)),
    ...differences(files, strictnessIn, 'text').gone,
    ...assertionsLost(files, isTest),
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
    return [{ file, line, kind, text: shortened(counts + told(text).trim()) }]
  })
}

interface Flag extends SilencedCheck {
  /** What is said before the line. */
  readonly counts?: string
}

/** What is longer is not looked at, and flagged for that: the longest first, for an agent may have added a folder of packages. */
function readable(files: readonly FileDiff[]): FileDiff[] {
  const looked = new Set<FileDiff>()
  let room = MOST_OF_ALL
  for (const file of files.toSorted((one, other) => one.text.length - other.text.length)) {
    room -= file.text.length
    if (room < 0 || file.text.length > MOST_OF_A_FILE) break
    looked.add(file)
  }
  return files.map((file) => (looked.has(file) ? file : { ...file, hunks: [], isBinary: true }))
}

function isUnseen({ kind, line }: SilencedCheck): boolean {
  return kind === 'unreadable' && line === null
}

/** `src/a.py:4 tells a check to look away` */
export function silencedWords({ file, line, kind }: SilencedCheck): string {
  return `${file}${line === null ? '' : `:${line}`} ${SILENCED_WORDS[kind]}`
}

function shortened(text: string): string {
  const plain = text.trim()
  return (plain.length <= MOST_OF_A_LINE ? plain : `${plain.slice(0, MOST_OF_A_LINE - 1)}…`).toWellFormed()
}

function aboutFile(file: FileDiff, isTest: (path: string) => boolean): SilencedCheck[] {
  const { path, from, kind, isBinary, hunks } = file
  const flag = (line: number | null, of: SilencedKind, text: string) => ({ file: path, line, kind: of, text })
  if (kind === 'deleted') {
    const gone = isTest(path) ? 'deleted_test' : isForChecks(path) ? 'lowered_bar' : undefined
    return gone ? [flag(null, gone, 'the whole file is deleted')] : []
  }
  const left = from !== undefined && isTest(from) && !isTest(path)
  const isRead = SOURCE.test(path) || isForChecks(path)
  // What a check was told in one, and is not any more, is as good as unseen.
  const sides = isForChecks(path) ? ['old', 'new'] : ['new']
  const longLines = hunks.flat().filter(({ side, text }) => text.length > READABLE && sides.includes(side))
  return [
    ...(left ? [flag(null, 'deleted_test', `it was ${from}, and is no test under this name`)] : []),
    ...(from !== undefined && isForChecks(from) ? [flag(null, 'lowered_bar', `it was ${from}`)] : []),
    ...(path.endsWith('.snap') && kind !== 'added' && hunks.flat().some(({ side }) => side === 'old')
      ? [flag(null, 'changed_expectation', 'a snapshot is another one')]
      : []),
    ...(isBinary && isRead ? [flag(null, 'unreadable', 'its diff is binary, or endless')] : []),
    ...(isRead ? longLines : []).map(({ line, text }) => flag(line, 'unreadable', text)),
    ...hunks.flatMap((hunk) => [
      ...(isTest(path) ? loosened(hunk, path) : []),
      ...(isConfig(path) ? lowered(hunk, path) : []),
    ]),
  ]
}

function isConfig(path: string): boolean {
  return placeOf(path, false).isConfig
}

function isForChecks(path: string): boolean {
  return placeOf(path, false).isForChecks
}

interface Hit extends SilencedCheck {
  readonly mark: string
}

type Find = (side: Hunk, file: FileDiff) => readonly Found[]

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
      const before = hitsOn(hunk, 'old', file, find)
      const now = hitsOn(hunk, 'new', file, find)
      for (const hit of without(now, before, ({ mark }) => mark)) come.push(hit)
      for (const hit of without(before, now, ({ mark }) => mark)) gone.push(hit)
    }
  }
  const same = ({ mark, text }: Hit) => (moves === 'text' ? text.trim() : mark)
  return { come: without(come, gone, same), gone: without(gone, come, same) }
}

function hitsOn(hunk: Hunk, own: 'old' | 'new', file: FileDiff, find: Find): Hit[] {
  const side = hunk.filter((line) => line.side === 'both' || line.side === own)
  return find(side, file).flatMap(({ kind, mark, lines: [first, last] }) => {
    const shown = side[first]
    // Two lines may be new as a pair; where they are not, the other side has them, too.
    const isOwn = last > first || shown?.side === own
    return shown && isOwn ? [{ file: file.path, line: shown.line, kind, mark, text: shown.text }] : []
  })
}

/** One of the others pays for one of these. */
function without(these: readonly Hit[], others: readonly Hit[], same: (hit: Hit) => string): Hit[] {
  const key = (hit: Hit) => `${hit.kind}\n${same(hit)}`
  const left = Map.groupBy(others, key)
  return these.filter((hit) => left.get(key(hit))?.pop() === undefined)
}

function marksIn(side: Hunk, file: FileDiff, isTest: boolean): Found[] {
  const place = placeOf(file.path, isTest)
  const marks = marksFor(file.path, place)
  const found: Found[] = place.isCode ? [...errorsIn(side), ...(isTest ? emptiedIn(side) : [])] : []
  for (const [at, { text }] of side.entries()) {
    if (text.length > READABLE) continue
    for (const [kind, pattern] of marks) {
      const [mark] = pattern.exec(text) ?? []
      if (mark !== undefined) found.push({ kind, mark: mark.replace(/\s+/g, ' ').trim(), lines: [at, at] })
    }
  }
  return place.isConfig ? [...found, ...itemsIn(side, LIST_OF_EXCEPTIONS)] : found
}

function testsIn(side: Hunk, { path }: FileDiff): Found[] {
  if (!placeOf(path, false).isCode) return []
  return side.flatMap(({ text }, at): Found[] => {
    const name = text.length > READABLE ? undefined : testIn(text)
    return name === undefined ? [] : [{ kind: 'deleted_test', mark: name, lines: [at, at] }]
  })
}

function strictnessIn(side: Hunk, { path, kind }: FileDiff): Found[] {
  if (!isConfig(path) || kind === 'deleted') return []
  const named = isForChecks(path) ? [...RUNS, LOOKS_FOR] : RUNS
  const found = side.flatMap(({ text }, at): Found[] => {
    if (text.length > READABLE) return []
    const marks = STRICTNESS.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
    const names = [
      ...named.flatMap((pattern) => pattern.exec(text)?.[1] ?? []),
      ...barsIn(text).map(({ name }) => name),
    ]
    return [...marks, ...names].map((mark) => ({ kind: 'lowered_bar', mark, lines: [at, at] }))
  })
  return isForChecks(path) ? [...found, ...itemsIn(side, LIST_OF_DEMANDS)] : found
}

/** By count: an assertion may be written anew. */
function assertionsLost(files: readonly FileDiff[], isTest: (path: string) => boolean): Flag[] {
  const find: Find = (side, { path, kind }) =>
    !isTest(path) || kind === 'deleted'
      ? []
      : side.flatMap(({ text }, at): Found[] =>
          text.length <= READABLE && isAssertion(text)
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
