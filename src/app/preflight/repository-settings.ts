// The settings as they hold for a repository at a commit: with what its own .fixwright.yaml says, as far as that counts. Always the
// file of the commit, never of a work tree, and never one that a link or a submodule leads to.
import type { Finding } from '../../domain/issue/parse-findings.ts'
import { quoted } from '../../domain/text/shell-quote.ts'
import { type Facts, readFacts, SETTINGS_FILE } from '../../platform/git/repository/requirements.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { effectiveSettings } from '../../runtime/settings/effective-settings.ts'
import { type LoadedSettings, SettingsError } from '../../runtime/settings/merge-settings.ts'
import { isTrusted, type TrustRecord, trustOf } from '../../runtime/settings/trust-store.ts'
import { type Located, locate, type Named } from './locate-repository.ts'

export interface Reading {
  readonly root: string
  readonly commit: string
  /** As it was asked for. */
  readonly base?: string | undefined
  readonly facts: Facts
  readonly trust: TrustRecord
}

/** What became of a repository's file, for whoever looks at a session later. */
export interface FileSaid {
  readonly where: string
  readonly trusted: boolean
  /** What it says and does not count. */
  readonly unheard: readonly string[]
}

/** What a repository says and wants at a commit, and what the operator said to that. */
export async function readRepository(
  { repository: { root, config }, commit }: Located & { readonly kind: 'found' },
  { base }: { readonly base?: string | undefined },
  home: Home,
  issues: readonly Pick<Finding, 'file'>[] = [],
): Promise<Reading> {
  const files = issues.map(({ file }) => file)
  return { root, commit, base, facts: await readFacts({ root, config, commit }, files), trust: trustOf(home, root) }
}

export interface Sources {
  readonly home: Home
  readonly env: Environment
  readonly flags: Readonly<Record<string, unknown>>
}

export interface Loaded {
  readonly kind: 'loaded'
  readonly loaded: LoadedSettings
  readonly file: FileSaid | undefined
}

export type RepositorySettings = Loaded | { readonly kind: 'refused'; readonly problems: readonly string[] }

export function settingsFor(reading: Reading, sources: Sources): RepositorySettings {
  const { facts, trust } = reading
  const { settingsFile: own } = facts
  const where = whereOf(reading)
  const trusted = own.kind === 'file' && isTrusted(trust, own.bytes)
  const repositoryYaml = own.kind === 'file' ? { text: own.bytes.toString(), where, isTrusted: trusted } : undefined
  try {
    const loaded = effectiveSettings({ ...sources, repositoryYaml })
    const unheard = own.kind === 'odd' ? [`it is ${own.what}`] : loaded.unheard.map(({ what }) => what)
    return { kind: 'loaded', loaded, file: own.kind === 'none' ? undefined : { where, trusted, unheard } }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const isItsFault = !trusted && error.problems.some((problem) => problem.startsWith(where))
    return { kind: 'refused', problems: [...error.problems, ...(isItsFault ? [`${SETTINGS_FILE}: ${WITHOUT}`] : [])] }
  }
}

/** For showing: with what does not count, and why. */
export async function settingsOfRepository(
  named: Named,
  sources: Sources,
): Promise<
  | { readonly kind: 'loaded'; readonly loaded: LoadedSettings; readonly notes: readonly string[] }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
> {
  const located = await locate(named)
  if (located.kind === 'refused') return { kind: 'refused', problems: [located.problem] }
  const reading = await readRepository(located, named, sources.home)
  const said = settingsFor(reading, sources)
  if (said.kind === 'refused') return said
  const { loaded, file } = said
  const notes = loaded.unheard.map(({ what, origin }) => `${origin}: ${what} does not count: the file is not trusted`)
  if (notes.length > 0) notes.push(`to look at it and trust it: ${trustCommand(reading.root, named.base)}`)
  else if (file && file.unheard.length > 0) notes.push(`${file.where} does not count: ${file.unheard.join(', ')}`)
  return { kind: 'loaded', loaded, notes }
}

export function whereOf({ commit }: Pick<Reading, 'commit'>): string {
  return `${SETTINGS_FILE} of ${commit.slice(0, 10)}`
}

const WITHOUT = 'to go on without what nobody has trusted in it, give --ignore-untrusted'

/** A night's work without the checks that the project wants is worse than a stop, and two commands lead on from it. */
export function trustProblem({ root, base, facts, trust }: Reading, { loaded, file }: Loaded): string | undefined {
  if (!file || file.unheard.length === 0 || loaded.settings.repository.untrusted === 'ignore') return undefined
  // That is a need, and told as one.
  if (facts.missing > 0) return undefined
  const { where, unheard } = file
  if (facts.settingsFile.kind === 'odd') return `${where}: ${unheard.join(', ')}, so nothing of it counts; ${WITHOUT}`
  const changed = trust.files.length > 0 ? ' (it is not the content that you trusted before)' : ''
  return `${where}${changed} sets ${unheard.join(', ')}, which counts only after you have looked at that file and trusted it: ${trustCommand(root, base)}; ${WITHOUT}`
}

/** Where a start goes on without what nobody has trusted. */
export function fileNotes({ file }: Loaded): string[] {
  return file && file.unheard.length > 0 ? [`${file.where} is not trusted: without ${file.unheard.join(', ')}`] : []
}

export function trustCommand(root: string, base?: string, more = ''): string {
  return `fixwright trust --repo ${quoted(root)}${base === undefined ? '' : ` --base ${quoted(base)}`}${more}`
}
