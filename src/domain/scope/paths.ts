// Paths that a finding may name: files inside the repository, never git's own, in one spelling. Only the text is checked. Gap: the code
// that opens a path has to check where symbolic links lead.

export type ParsedPath =
  | { readonly path: string; readonly problem?: undefined }
  | { readonly problem: string; readonly path?: undefined }

// The longest path that Linux takes.
const MOST_CHARACTERS = 4096

/** `./a//b` becomes `a/b`; so does `/repo/a/b` if the root is `/repo`. */
export function parsePathInside(file: string, root?: string): ParsedPath {
  if (file.trim() === '') return { problem: 'is empty' }
  if (file.length > MOST_CHARACTERS) return { problem: 'is too long for a path' }
  if (/\p{Cc}/u.test(file)) return { problem: 'holds a control character' }
  if (file.endsWith('/')) return { problem: 'names a folder, not a file' }
  const relative = file.startsWith('/') ? stripRoot(file, root) : file
  if (relative === undefined) return { problem: 'lies outside of the repository' }

  const segments: string[] = []
  for (const segment of relative.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return { problem: 'lies outside of the repository' }
  }
  if (segments.join('/').trim() === '') return { problem: 'names the repository itself, not a file in it' }
  if (segments.some(isGitInternal)) return { problem: 'belongs to git itself' }
  return { path: segments.join('/') }
}

/** The files in the tree that an agent says it changed; agents also write `./a`, `/the/tree/a`, or nothing. */
export function parsePathsInside(files: readonly string[], root: string): string[] {
  return files.flatMap((file) => parsePathInside(file.trim(), root).path ?? [])
}

function stripRoot(file: string, root: string | undefined): string | undefined {
  if (root === undefined) return undefined
  const folder = root.endsWith('/') ? root : `${root}/`
  return file.startsWith(folder) ? file.slice(folder.length) : undefined
}

/** Whether a path is this folder or file, or lies below it: `packages/webapp` does not lie in `packages/web`. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** The target of a symbolic link at `path`, by its text and that of the links on its way; undefined if it leaves the tree. */
export function resolveThroughLinks(
  path: string,
  target: string,
  linkAt: (path: string) => string | undefined = () => undefined,
): string | undefined {
  const place = path.split('/').slice(0, -1)
  let names = splitLinkTarget(target)
  for (let links = 0; names !== undefined; ) {
    const [name, ...rest] = names
    if (name === undefined) return place.join('/')
    names = rest
    if (name === '..') {
      if (place.pop() === undefined) return undefined
      continue
    }
    if (isGitInternal(name)) return undefined
    place.push(name)
    const next = linkAt(place.join('/'))
    if (next === undefined) continue
    links += 1
    place.pop()
    const further = links > MOST_LINKS ? undefined : splitLinkTarget(next)
    names = further && [...further, ...rest]
  }
  return undefined
}

// Linux has the same limit.
const MOST_LINKS = 40

/**
 * The segments of a target that goes only up, then down: the parent of a name may be somewhere else if the name is a link that git does
 * not know of. Undefined if the target is absolute or goes up again.
 */
function splitLinkTarget(target: string): readonly string[] | undefined {
  if (target.startsWith('/') || /^[A-Za-z]:|\\/.test(target)) return undefined
  const names = target.split('/').filter((name) => name !== '.' && name !== '')
  const down = names.findIndex((name) => name !== '..')
  return down >= 0 && names.indexOf('..', down) >= 0 ? undefined : names
}

/** Recognises every spelling that some file system takes for `.git`. */
export function isGitInternal(segment: string): boolean {
  return caseFold(segment)
    .split('\\')
    .some((name) => /^(\.git[ .]*|git~1)(:.*)?$/s.test(name))
}

/**
 * Folds a name as the most lenient file system does: letter case, composed accents and invisible characters make no difference. Use it
 * to keep paths out, never to let them in.
 */
export function caseFold(text: string): string {
  const visible = text.normalize('NFD').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
  // Upper case first: some letters only become alike in capitals.
  return visible.toUpperCase().toLowerCase().normalize('NFC')
}
