// Resolves the settings for a repository at a commit, with its .fixwright.yaml as far as that counts. The file always comes from the
// commit, never from a work tree, a link or a submodule.
import type { Refusal } from '../domain/errors/fixwright-error.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import { shellQuote } from '../domain/text/shell-quote.ts'
import { type RepositoryFacts, readRepositoryFacts, SETTINGS_FILE } from '../platform/git/repository/requirements.ts'
import type { Environment, Home } from '../runtime/home/home.ts'
import { loadEffectiveSettings } from '../runtime/settings/effective-settings.ts'
import { type LoadedSettings, SettingsError } from '../runtime/settings/merge-settings.ts'
import { isTrusted, loadTrust, type TrustRecord } from '../runtime/settings/trust-store.ts'
import { type LocateOutcome, locateRepository, type RepositoryReference } from './locate-repository.ts'

export interface RepositoryReading {
  readonly root: string
  readonly commit: string
  /** The base as the person named it. */
  readonly base?: string | undefined
  readonly facts: RepositoryFacts
  readonly trust: TrustRecord
}

/** How a repository's file was used, recorded with the session. */
export interface RepositoryFileUse {
  readonly label: string
  readonly trusted: boolean
  /** The settings in it that do not count. */
  readonly ignored: readonly string[]
}

export async function readRepositoryAtCommit(
  { repository: { root, config }, commit }: LocateOutcome & { readonly kind: 'found' },
  { base }: { readonly base?: string | undefined },
  home: Home,
  issues: readonly Pick<Finding, 'file'>[] = [],
): Promise<RepositoryReading> {
  const files = issues.map(({ file }) => file)
  return {
    root,
    commit,
    base,
    facts: await readRepositoryFacts({ root, config, commit }, files),
    trust: loadTrust(home, root),
  }
}

export interface RepositorySettingsSources {
  readonly home: Home
  readonly env: Environment
  readonly flags: Readonly<Record<string, unknown>>
  readonly order?: Readonly<Record<string, unknown>> | undefined
}

export interface LoadedRepositorySettings {
  readonly kind: 'loaded'
  readonly loaded: LoadedSettings
  readonly file: RepositoryFileUse | undefined
}

export type RepositorySettingsOutcome = LoadedRepositorySettings | Refusal

export function resolveRepositorySettings(
  reading: RepositoryReading,
  sources: RepositorySettingsSources,
): RepositorySettingsOutcome {
  const { facts, trust } = reading
  const { settingsFile: own } = facts
  const where = formatSettingsFileLabel(reading)
  const trusted = own.kind === 'file' && isTrusted(trust, own.bytes)
  const repositoryYaml =
    own.kind === 'file' ? { text: own.bytes.toString(), label: where, isTrusted: trusted } : undefined
  try {
    const loaded = loadEffectiveSettings({ ...sources, repositoryYaml })
    const unheard = own.kind === 'odd' ? [`it is ${own.what}`] : loaded.ignored.map(({ what }) => what)
    return {
      kind: 'loaded',
      loaded,
      file: own.kind === 'none' ? undefined : { label: where, trusted, ignored: unheard },
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const isItsFault = !trusted && error.problems.some((problem) => problem.startsWith(where))
    return {
      kind: 'refused',
      code: error.code,
      problems: [...error.problems, ...(isItsFault ? [`${SETTINGS_FILE}: ${IGNORE_UNTRUSTED_HINT}`] : [])],
    }
  }
}

/** Settings for display, with notes on what does not count and why. */
export async function describeRepositorySettings(
  named: RepositoryReference,
  sources: RepositorySettingsSources,
): Promise<{ readonly kind: 'loaded'; readonly loaded: LoadedSettings; readonly notes: readonly string[] } | Refusal> {
  const located = await locateRepository(named)
  if (located.kind === 'refused') return { kind: 'refused', code: 'repository_unusable', problems: [located.problem] }
  const reading = await readRepositoryAtCommit(located, named, sources.home)
  const resolved = resolveRepositorySettings(reading, sources)
  if (resolved.kind === 'refused') return resolved
  const { loaded, file } = resolved
  const notes = loaded.ignored.map(({ what, origin }) => `${origin}: ${what} does not count: the file is not trusted`)
  if (notes.length > 0) notes.push(`to look at it and trust it: ${formatTrustCommand(reading.root, named.base)}`)
  else if (file && file.ignored.length > 0) notes.push(`${file.label} does not count: ${file.ignored.join(', ')}`)
  return { kind: 'loaded', loaded, notes }
}

export function formatSettingsFileLabel({ commit }: Pick<RepositoryReading, 'commit'>): string {
  return `${SETTINGS_FILE} of ${commit.slice(0, 10)}`
}

const IGNORE_UNTRUSTED_HINT = 'to go on without what nobody has trusted in it, give --ignore-untrusted'

/** An untrusted file stops a start: a night's work without the project's checks is worse. The message names two ways to go on. */
export function describeTrustProblem(
  { root, base, facts, trust }: RepositoryReading,
  { loaded, file }: LoadedRepositorySettings,
): string | undefined {
  if (!file || file.ignored.length === 0 || loaded.settings.repository.untrusted === 'ignore') return undefined
  // `listNeedProblems` reports missing objects.
  if (facts.missingObjects > 0) return undefined
  const { label, ignored } = file
  if (facts.settingsFile.kind === 'odd')
    return `${label}: ${ignored.join(', ')}, so nothing of it counts; ${IGNORE_UNTRUSTED_HINT}`
  const changed = trust.files.length > 0 ? ' (it is not the content that you trusted before)' : ''
  return `${label}${changed} sets ${ignored.join(', ')}, which counts only after you have looked at that file and trusted it: ${formatTrustCommand(root, base)}; ${IGNORE_UNTRUSTED_HINT}`
}

/** Notes for a start that goes on without an untrusted file's settings. */
export function listSettingsFileNotes({ file }: LoadedRepositorySettings): string[] {
  return file && file.ignored.length > 0 ? [`${file.label} is not trusted: without ${file.ignored.join(', ')}`] : []
}

export function formatTrustCommand(root: string, base?: string, more = ''): string {
  return `fixwright trust --repo ${shellQuote(root)}${base === undefined ? '' : ` --base ${shellQuote(base)}`}${more}`
}
