// Finds additions and removals in a diff that may silence a check, by their form alone, so that somebody looks there.
import { truncateText } from '../text/truncate.ts'
import { type FileDiff, type Hunk, parseDiff } from '../text/unified-diff.ts'
import { isReadable, listFileRoles } from './file-roles.ts'
import { flagOneSidedWords } from './flag-one-sided-words.ts'
import { findThresholds, MAX_LINE, type Threshold } from './patterns.ts'
import type { TamperingFlag, TamperingKind } from './tampering-flag.ts'

const MAX_FLAG_TEXT = 200
const MAX_FILE_DIFF = 2_000_000
/** For all files together: this runs synchronously, for a few seconds at most. */
const MAX_DIFF = 6_000_000

type IsTest = (path: string) => boolean
type Side = 'old' | 'new'

/** `mask` makes a line safe to show. */
export function detectTampering(
  diff: string | readonly FileDiff[],
  isTest: IsTest,
  mask: (line: string) => string = (line) => line,
): TamperingFlag[] {
  const files = emptyOversized(typeof diff === 'string' ? parseDiff(diff) : diff)
  const flags = [
    ...files.flatMap((file) => flagWholeFile(file, isTest)),
    ...files.flatMap(flagLongLines),
    ...files.flatMap((file) => (hasRole(file, 'config') ? file.hunks.flatMap((hunk) => flagLowered(hunk, file)) : [])),
    ...flagOneSidedWords(files, isTest),
  ]
  return withoutRepeats(flags).map((flag) => ({ ...flag, text: truncateText(mask(flag.text).trim(), MAX_FLAG_TEXT) }))
}

/** Leaves files beyond the limits unread, the longest first, and flags them: an agent may have added a folder of packages. */
function emptyOversized(files: readonly FileDiff[]): FileDiff[] {
  const small = new Set<FileDiff>()
  let room = MAX_DIFF
  for (const file of files.toSorted((one, other) => one.text.length - other.text.length)) {
    room -= file.text.length
    if (room < 0 || file.text.length > MAX_FILE_DIFF) break
    small.add(file)
  }
  return files.map((file) => (small.has(file) ? file : { ...file, hunks: [], isBinary: true }))
}

function hasRole({ path }: Pick<FileDiff, 'path'>, role: 'config' | 'checker'): boolean {
  return listFileRoles(path, false).has(role)
}

function flagWholeFile(file: FileDiff, isTest: IsTest): TamperingFlag[] {
  const { path, from, kind, isBinary } = file
  const flag = (of: TamperingKind, text: string): TamperingFlag => ({ file: path, line: null, kind: of, text })
  if (kind === 'deleted') {
    const gone = isTest(path) ? 'deleted_test' : hasRole(file, 'checker') ? 'lowered_bar' : undefined
    return gone ? [flag(gone, 'the whole file is deleted')] : []
  }
  const flags: TamperingFlag[] = []
  if (from !== undefined && isTest(from) && !isTest(path)) {
    flags.push(flag('deleted_test', `it was ${from}, and is no test under this name`))
  }
  if (from !== undefined && hasRole({ path: from }, 'checker')) flags.push(flag('lowered_bar', `it was ${from}`))
  if (isBinary && isReadable(path)) flags.push(flag('unreadable', 'its diff is binary, or endless'))
  return flags
}

/** In a check's settings a removed long line counts as well: it may have held all of them. */
function flagLongLines(file: FileDiff): TamperingFlag[] {
  if (file.kind === 'deleted' || !isReadable(file.path)) return []
  const sides = hasRole(file, 'checker') ? ['old', 'new'] : ['new']
  return file.hunks
    .flat()
    .filter(({ side, text }) => text.length > MAX_LINE && sides.includes(side))
    .map(({ line, text }) => ({ file: file.path, line, kind: 'unreadable', text }))
}

/** Flags thresholds that a new line of the hunk lowers. */
function flagLowered(hunk: Hunk, { path }: FileDiff): TamperingFlag[] {
  const lines = (own: Side) => hunk.filter(({ side, text }) => side === own && text.length <= MAX_LINE)
  const demanded = lines('old').flatMap(({ text }) => findThresholds(text))
  // Reversed, because `pop` hands them out in their order.
  const before = Map.groupBy(demanded.toReversed(), ({ name }) => name)
  const isLower = ({ name, value, isMaximum }: Threshold): boolean => {
    const was = before.get(name)?.pop()?.value
    return was !== undefined && (isMaximum ? value > was : value < was)
  }
  return lines('new').flatMap(({ line, text }): TamperingFlag[] =>
    findThresholds(text).filter(isLower).length > 0 ? [{ file: path, line, kind: 'lowered_bar', text }] : [],
  )
}

function withoutRepeats(flags: readonly TamperingFlag[]): TamperingFlag[] {
  const place = ({ file, line }: TamperingFlag) => JSON.stringify([file, line])
  // A changed check needs no flag of its own on a line that another flag explains.
  const explained = new Set(flags.filter(({ kind }) => kind !== 'changed_check').map(place))
  const needed = flags.filter((flag) => flag.kind !== 'changed_check' || !explained.has(place(flag)))
  const unique = new Map(
    needed.map((flag) => [JSON.stringify([flag.file, flag.line, flag.kind, flag.line ?? flag.text]), flag]),
  )
  // Readers with limited room get readable flags first.
  const isUnread = ({ kind, line }: TamperingFlag) => Number(kind === 'unreadable' && line === null)
  return [...unique.values()].toSorted((one, other) => isUnread(one) - isUnread(other))
}
