// Finds the repository and the commit that a person names, and resolves the settings there, with its .fixwright.yaml as far as that
// counts. The file always comes from the commit, never from a work tree, a link or a submodule.
import type { Refusal } from '../domain/errors/fixwright-error.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { RepositoryFileUse } from '../domain/session/session-state.ts'
import { shellQuote } from '../domain/text/shell-quote.ts'
import { describeWriteRedirect } from '../platform/git/repository/borrowed-git-dir.ts'
import {
  inspectRepository,
  type Repository,
  type RepositoryInspection,
  resolveCommit,
} from '../platform/git/repository/inspect.ts'
import { type RepositoryFacts, readRepositoryFacts, SETTINGS_FILE } from '../platform/git/repository/requirements.ts'
import type { Environment, HomePaths } from '../runtime/home/home.ts'
import { type LoadedSettings, loadSettings, SettingsError } from '../runtime/settings/merge-settings.ts'
import { isTrusted, loadTrust, type TrustRecord } from '../runtime/settings/trust-store.ts'

export interface RepositoryReference {
  readonly repository: string
  readonly base?: string | undefined
}

export interface LocatedRepository {
  readonly kind: 'found'
  readonly repository: Repository
  readonly commit: string
  /** The base as the person named it. */
  readonly base: string | undefined
}

export type LocateOutcome = LocatedRepository | { readonly kind: 'refused'; readonly problem: string }

export async function locateRepository({ repository, base }: RepositoryReference): Promise<LocateOutcome> {
  const inspection = await inspectRepository(repository)
  if (inspection.kind !== 'repository') return { kind: 'refused', problem: repositoryProblem(inspection) }
  const commit = await resolveBase(inspection, base)
  if (commit !== undefined) return { kind: 'found', repository: inspection, commit, base }
  return {
    kind: 'refused',
    problem: `${inspection.root} has no commit "${base}": give --base a branch, a tag or a commit`,
  }
}

async function resolveBase(repository: Repository, asked: string | undefined): Promise<string | undefined> {
  if (asked !== undefined) return await resolveCommit(repository.root, asked)
  // With a detached HEAD, the person has chosen a commit.
  const named = repository.branch === undefined ? undefined : repository.defaultBranch
  return (named && (await resolveCommit(repository.root, named))) ?? repository.head
}

function repositoryProblem(inspection: Exclude<RepositoryInspection, Repository>): string {
  switch (inspection.kind) {
    case 'not_a_repository':
      return `${inspection.path} is no git repository: name the folder of one`
    case 'elsewhere':
      return `the git of ${inspection.path} is that of ${inspection.where}: name that folder, if you mean it`
    case 'led_away':
      return `the git of ${inspection.path} is not all its own: ${describeWriteRedirect(inspection)}. Clone it (git clone --no-local ${shellQuote(inspection.path)} FOLDER) and name the clone`
    case 'bare':
      return `${inspection.path} is a bare repository: clone it and name the clone`
    case 'no_commits':
      return `${inspection.root} has no commits yet: commit something first`
  }
}

export interface RepositoryReading {
  readonly root: string
  readonly commit: string
  /** The base as the person named it. */
  readonly base: string | undefined
  readonly facts: RepositoryFacts
  readonly trust: TrustRecord
}

export interface LoadedRepositorySettings {
  readonly kind: 'loaded'
  readonly reading: RepositoryReading
  readonly loaded: LoadedSettings
  readonly file: RepositoryFileUse | undefined
}

export interface RepositorySettingsSources {
  readonly home: HomePaths
  readonly env: Environment
  readonly flags: Readonly<Record<string, unknown>>
  readonly order?: Readonly<Record<string, unknown>> | undefined
}

type IssueFile = Pick<Finding, 'file'>

/** Reads the repository without resolving its settings. */
export async function readRepositoryAtCommit(
  { repository: { root, config }, commit, base }: LocatedRepository,
  home: HomePaths,
  issues: readonly IssueFile[] = [],
): Promise<RepositoryReading> {
  const files = issues.map(({ file }) => file)
  const facts = await readRepositoryFacts({ root, config, commit }, files)
  return { root, commit, base, facts, trust: loadTrust(home, root) }
}

export async function loadRepositorySettings(
  located: LocatedRepository,
  sources: RepositorySettingsSources,
  issues: readonly IssueFile[] = [],
): Promise<LoadedRepositorySettings | Refusal> {
  const reading = await readRepositoryAtCommit(located, sources.home, issues)
  const { settingsFile: own } = reading.facts
  const label = formatSettingsFileLabel(reading)
  const trusted = own.kind === 'file' && isTrusted(reading.trust, own.bytes)
  const repositoryYaml = own.kind === 'file' ? { text: own.bytes.toString(), label, isTrusted: trusted } : undefined
  try {
    const loaded = loadSettings({ ...sources, repositoryYaml })
    const ignored = own.kind === 'odd' ? [`it is ${own.what}`] : loaded.ignored.map(({ what }) => what)
    return { kind: 'loaded', reading, loaded, file: own.kind === 'none' ? undefined : { label, trusted, ignored } }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const isItsFault = !trusted && error.problems.some((problem) => problem.startsWith(label))
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
  const found = await loadRepositorySettings(located, sources)
  if (found.kind === 'refused') return found
  const { reading, loaded, file } = found
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
export function describeTrustProblem({ reading, loaded, file }: LoadedRepositorySettings): string | undefined {
  const { root, base, facts, trust } = reading
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
