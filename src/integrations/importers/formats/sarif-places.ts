// Where a SARIF result is: URIs become paths, and the bases that a run declares become folders. An unknown base is no folder: the
// path then counts from the root of the repository.
import type { ReportedPlace } from '../importer.ts'
import type { ArtifactLocation, SarifLocation, SarifRun } from './sarif-schema.ts'

/** Each byte of the longest path takes three characters. */
const MAX_URI_CHARACTERS = 3 * 4096
/** A chain of bases is shorter, unless it leads in a circle. */
const MAX_BASES = 10

export function createPlaceReader(run: SarifRun): (location: SarifLocation) => ReportedPlace | undefined {
  const [workingDirectory] = run.invocations.flatMap((one) => one.workingDirectory ?? [])
  const workingFolder = workingDirectory && resolvePath(workingDirectory, run)
  const folder = workingFolder !== undefined && isAbsolute(workingFolder) ? workingFolder : undefined
  return ({ physicalLocation }) => {
    const { artifactLocation, region } = physicalLocation ?? {}
    const named = artifactLocation && withUri(artifactLocation, run)
    const path = named && resolvePath(named, run)
    if (path === undefined) return undefined
    const { startLine: line, endLine, startColumn: column, snippet } = region ?? {}
    return { path, folder: isAbsolute(path) ? undefined : folder, line, endLine, column, snippet: snippet?.text }
  }
}

/** A location may name only the index of an artifact of the run. */
function withUri(location: ArtifactLocation, { artifacts }: SarifRun): ArtifactLocation | undefined {
  if (location.uri) return location
  return location.index === undefined ? undefined : artifacts[location.index]?.location
}

/** Undefined if the URI names no file of a file system. */
function resolvePath(
  { uri = '', uriBaseId }: ArtifactLocation,
  { originalUriBaseIds = {} }: SarifRun,
): string | undefined {
  let path = toPath(uri)
  let base = uriBaseId
  for (let bases = 0; path !== undefined && !isAbsolute(path) && base !== undefined && bases < MAX_BASES; bases += 1) {
    const found: ArtifactLocation | undefined = Object.hasOwn(originalUriBaseIds, base)
      ? originalUriBaseIds[base]
      : undefined
    const folder = toPath(found?.uri ?? '')
    if (folder) path = `${folder.replace(/\/+$/, '')}/${path}`
    base = found?.uriBaseId
  }
  return path || undefined
}

/** Some tools write a plain path in place of a URI, also one of Windows. */
function toPath(uri: string): string | undefined {
  if (uri.length > MAX_URI_CHARACTERS) return undefined
  if (/^[A-Za-z]:[\\/]/.test(uri)) return uri
  const rest = /^file:(?:\/\/[^/]*)?(.*)$/is.exec(uri)?.[1]
  if (rest === undefined && /^[A-Za-z][A-Za-z0-9+.-]+:/.test(uri)) return undefined
  return decodePercent(rest ?? uri)
}

/** A path with a bare percent sign is kept as it is. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function isAbsolute(path: string): boolean {
  return /^([/\\]|[A-Za-z]:[\\/])/.test(path)
}
