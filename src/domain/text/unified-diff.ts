// Parses git's unified diffs into files, hunks and lines with their numbers. Hunks are read by their counts, so that no line of a file
// passes for a header. A text that is no diff has no files.

export interface DiffLine {
  readonly side: 'both' | 'old' | 'new'
  readonly text: string
  /** The line in the new file; for a removed line, the place where it was. */
  readonly line: number
}

export type Hunk = readonly DiffLine[]

export interface FileDiff {
  /** The last path of a deleted file. */
  readonly path: string
  /** The old path of a renamed file. */
  readonly from?: string | undefined
  readonly kind: 'added' | 'deleted' | 'modified' | 'renamed'
  readonly hunks: readonly Hunk[]
  /** git shows no lines of the file. */
  readonly isBinary: boolean
  readonly text: string
}

const FILE = 'diff --git '

export function parseDiff(diff: string): FileDiff[] {
  const lines = diff.split('\n')
  // The text behind the last line break is no line.
  if (lines.at(-1) === '') lines.pop()
  const files: FileDiff[] = []
  for (let at = 0; at < lines.length; ) {
    if (!lines[at]?.startsWith(FILE)) {
      at += 1
      continue
    }
    const { file, next } = parseFileDiff(lines, at)
    files.push(file)
    at = next
  }
  return files
}

/** The first old line of each hunk, which only its header names. */
export function listOldStarts({ text }: Pick<FileDiff, 'text'>): number[] {
  return [...text.matchAll(/^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/gm)].map(([, start]) => Number(start))
}

/** Both paths of a renamed file, else one. */
export function listDiffPaths({ path, from }: FileDiff): string[] {
  return from === undefined ? [path] : [path, from]
}

function parseFileDiff(lines: readonly string[], start: number): { file: FileDiff; next: number } {
  const header: string[] = []
  const hunks: Hunk[] = []
  let at = start
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.startsWith('@@ ')) {
      const read = parseHunk(lines, at)
      hunks.push(read.hunk)
      at = read.next
      continue
    }
    if (at > start && line.startsWith(FILE)) break
    if (hunks.length === 0) header.push(line)
    at += 1
  }
  const text = `${lines.slice(start, at).join('\n')}\n`
  return { file: { ...parseNames(header), hunks, isBinary: header.some(isAboutBinary), text }, next: at }
}

function isAboutBinary(line: string): boolean {
  return /^Binary files .* differ$/.test(line)
}

function parseNames(header: readonly string[]): Pick<FileDiff, 'path' | 'from' | 'kind'> {
  const after = (prefix: string): string | undefined => {
    const line = header.find((each) => each.startsWith(prefix))
    return line === undefined ? undefined : unquoteName(line.slice(prefix.length))
  }
  const inTree = (name: string | undefined): string | undefined =>
    name === undefined || name === '/dev/null' ? undefined : name.slice(2)
  const [before, now] = [inTree(after('--- ')), inTree(after('+++ '))]
  const path = after('rename to ') ?? now ?? before ?? inTree(parseRepeatedName(header[0] ?? '')) ?? ''
  const from = after('rename from ')
  if (from !== undefined) return { path, from, kind: 'renamed' }
  const has = (prefix: string): boolean => header.some((line) => line.startsWith(prefix))
  return { path, kind: has('new file mode') ? 'added' : has('deleted file mode') ? 'deleted' : 'modified' }
}

/** A file without changed lines has its name only in the first line of the header, twice. */
function parseRepeatedName(line: string): string | undefined {
  const names = line.slice(FILE.length)
  const half = names.slice(0, (names.length - 1) / 2)
  return unquoteName(half)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v' }

/** git quotes a name that holds a control character, a quotation mark or a backslash, and ends a name with a space by a tab. */
function unquoteName(name: string): string {
  if (!name.startsWith('"')) return name.replace(/\t$/, '')
  return name
    .slice(1, name.lastIndexOf('"'))
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
    )
}

function parseHunk(lines: readonly string[], start: number): { hunk: Hunk; next: number } {
  const [, old = '1', from = '1', now = '1'] =
    /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[start] ?? '') ?? []
  const hunk: DiffLine[] = []
  let [oldLeft, newLeft, line] = [Number(old), Number(now), Number(from)]
  let at = start + 1
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0); at += 1) {
    const [mark, text] = [lines[at]?.[0], lines[at]?.slice(1) ?? '']
    if (mark === '-') hunk.push({ side: 'old', text, line })
    else if (mark === '+') hunk.push({ side: 'new', text, line })
    else if (mark === ' ' || mark === undefined) hunk.push({ side: 'both', text, line })
    else if (mark !== '\\') break
    if (mark !== '+' && mark !== '\\') oldLeft -= 1
    if (mark === '-' || mark === '\\') continue
    newLeft -= 1
    line += 1
  }
  return { hunk, next: at }
}
