// Finds the file of the repository that a report means. Reports name files from other folders and other machines, so a path may be
// absolute, or relative to a folder that nobody knows. A path that could mean two files means none.
import { basename } from 'node:path/posix'
import { parsePathInside } from '../../domain/scope/paths.ts'
import type { ReportedPlace } from './importer.ts'

export interface RepositoryPaths {
  /** The real path of the folder. */
  readonly root: string
  readonly files: readonly string[]
}

export type PathResolver = (place: ReportedPlace) => string | undefined

/**
 * `places` are those of one run. If the root of this machine, or none, leads some of them to files, then only these count: the others
 * lie in what the repository does not have. Only a run without any such place comes from another folder.
 */
export function createPathResolver(reported: readonly ReportedPlace[], { root, files }: RepositoryPaths): PathResolver {
  const places = reported.filter(isShort)
  const known = new Set(files)
  const findHere = (place: ReportedPlace): string | undefined =>
    listCandidates(place, root).find((path) => known.has(path))
  const isFromHere = places.some((place) => {
    const path = toAbsolute(place)
    return path === undefined ? known.has(normalise(place.path)) : isInsideRoot(path, root) && findHere(place)
  })
  const findElsewhere = isFromHere ? () => undefined : createTailResolver(places, { root, files })
  return (place) => (isShort(place) ? (findElsewhere(place) ?? findHere(place)) : undefined)
}

function isShort({ path, folder = '' }: ReportedPlace): boolean {
  return path.length + folder.length < MAX_PATH_CHARACTERS
}

function listCandidates(place: ReportedPlace, root: string): string[] {
  const absolute = toAbsolute(place)
  const named = [...(absolute === undefined ? [] : [absolute]), ...(isAbsolutePath(place.path) ? [] : [place.path])]
  return named.flatMap((path) => parsePathInside(normalise(path), root).path ?? [])
}

/** The absolute path on the tool's machine, as far as the report tells it. */
function toAbsolute({ path, folder }: ReportedPlace): string | undefined {
  if (isAbsolutePath(path)) return normalise(path)
  return folder === undefined ? undefined : normalise(`${folder}/${path}`)
}

function isAbsolutePath(path: string): boolean {
  return /^([/\\]|[A-Za-z]:[\\/])/.test(path)
}

function isInsideRoot(path: string, root: string): boolean {
  return path.startsWith(`${root}/`)
}

/** As long as a path of Linux may be. */
const MAX_PATH_CHARACTERS = 4096

/** Resolves `.` and `..`; a path of Windows gets the separators of all others. */
function normalise(path: string): string {
  const slashed = path.includes('\\') ? path.replaceAll('\\', '/') : path
  const segments: string[] = []
  for (const segment of slashed.split('/')) {
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `${slashed.startsWith('/') ? '/' : ''}${segments.join('/')}`
}

/** What has to be cut from a path, and what put before it. */
interface Mapping {
  readonly cut: string
  readonly add: string
}

/** Packages that are not in the repository may have files that are named like its own. */
const PACKAGES = /(^|\/)(node_modules|site-packages|dist-packages)\//

/** Finds files by the end of their path, where that end belongs to one file only. */
function createTailResolver(places: readonly ReportedPlace[], { root, files }: RepositoryPaths): PathResolver {
  const byName = Map.groupBy(files, (file) => basename(file))
  const paths = new Map(places.map((place) => [place, toAbsolute(place) ?? normalise(place.path)]))
  const own = new Map([...new Set(paths.values())].map((path) => [path, findMapping(path, byName, root)]))
  // Several absolute paths of one run have one root.
  const absolute = [...paths.values()].filter(isAbsolutePath)
  const common = findMostCommon(absolute.flatMap((path) => own.get(path) ?? []))
  const known = new Set(files)
  return (place) => {
    const path = toAbsolute(place) ?? normalise(place.path)
    const mapping = isAbsolutePath(path) ? common : own.get(path)
    if (mapping === undefined || !path.startsWith(mapping.cut)) return undefined
    const file = `${mapping.add}${path.slice(mapping.cut.length)}`
    return known.has(file) ? file : undefined
  }
}

function findMapping(path: string, byName: ReadonlyMap<string, readonly string[]>, root: string): Mapping | undefined {
  if (PACKAGES.test(path)) return undefined
  const names = byName.get(basename(path)) ?? []
  const segments = path.split('/')
  for (let from = 0; from < segments.length; from += 1) {
    const tail = segments.slice(from).join('/')
    const matches = names.filter((file) => file === tail || file.endsWith(`/${tail}`))
    const [match] = matches
    if (match === undefined) continue
    if (matches.length > 1) return undefined
    const isWhole = from === 0
    // A file's name alone says too little about a path that is longer.
    const isEnough = isAbsolutePath(path) ? segments.length - from > 1 : segments[from - 1] === basename(root)
    if (!isWhole && !isEnough) return undefined
    return { cut: path.slice(0, path.length - tail.length), add: match.slice(0, match.length - tail.length) }
  }
  return undefined
}

/** Undefined where two are as common. */
function findMostCommon(mappings: readonly Mapping[]): Mapping | undefined {
  const groups = Map.groupBy(mappings, ({ cut, add }) => JSON.stringify([cut, add]))
  const [first, second] = [...groups.values()].sort((one, two) => two.length - one.length)
  return first && first.length > (second?.length ?? 0) ? first[0] : undefined
}
