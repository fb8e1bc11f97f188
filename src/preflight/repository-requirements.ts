// Sorts a repository's requirements before a session begins: those that make work impossible, those that the operator must agree to
// ignore once, and those worth a note.

import { listUnmetRequirements, type RepositoryRequirement } from '../domain/settings/repository-requirements.ts'
import type { Settings } from '../domain/settings/schema.ts'
import { joinList } from '../domain/text/join-list.ts'
import { shellQuote } from '../domain/text/shell-quote.ts'
import type { Identity } from '../platform/git/repository/inspect.ts'
import type { RepositoryFacts } from '../platform/git/repository/requirements.ts'
import { formatTrustCommand, type RepositoryReading } from './read-repository.ts'

interface IssueLocation {
  readonly issue_code: string
  readonly file: string
}

/** The repository's requirements of its committers that Fixwright does not meet by itself. */
export function listNeeds({ filtered, hooks, signingScope, signOffSources }: RepositoryFacts): RepositoryRequirement[] {
  const needs: RepositoryRequirement[] = []
  const filters = [...new Set(filtered.files.values())].sort()
  if (filters.length > 0) {
    const some = formatShortList([...filtered.files.keys()])
    const description = `git passes ${some} through the filter ${filters.join(', ')}; Fixwright runs no filter, so agents and checks see such files as they are stored, and no fix may change one`
    needs.push({ kind: 'filters', items: filters, description: description })
  }
  if (hooks.length > 0) {
    const description = `it has checks of its own before a commit (${formatShortList(hooks)}); Fixwright runs no hook: put their commands into verification.commands`
    needs.push({ kind: 'hooks', items: hooks, description: description })
  }
  if (signingScope !== undefined) {
    const description = `commit.gpgSign is set (${signingScope} configuration of git); Fixwright never signs, because a signature is a person's word: sign when you have looked at its branch`
    needs.push({ kind: 'signing', items: ['commit.gpgSign'], description: description })
  }
  if (signOffSources.length > 0) {
    const description = `${formatShortList(signOffSources)} asks for a sign-off on each commit: set git.sign_off to true (you vouch for the commits) or to false`
    needs.push({ kind: 'sign-off', items: signOffSources, description: description })
  }
  return needs
}

/** The requirements that the operator has not agreed to go without. */
export function listUnmetNeeds(
  { facts, trust }: Pick<RepositoryReading, 'facts' | 'trust'>,
  { git, repository }: Settings,
): RepositoryRequirement[] {
  const answered = git.sign_off === null ? [] : (['sign-off'] as const)
  return listUnmetRequirements(listNeeds(facts), trust.without, [...repository.without, ...answered])
}

/** All requirements that keep a session from beginning. */
export function listNeedProblems(
  reading: RepositoryReading,
  settings: Settings,
  issues: readonly IssueLocation[],
  own?: Identity,
): string[] {
  const { root, facts, base } = reading
  if (facts.missingObjects > 0) {
    return [
      `${root} is a partial clone without ${facts.missingObjects} of the objects of the commit to start from: fetch them first (git -C ${shellQuote(root)} fetch --refetch --no-filter)`,
    ]
  }
  const open = listUnmetNeeds(reading, settings)
  const kinds = open.map(({ kind }) => kind).join(',')
  const agree = `to go on without ${kinds.replaceAll(',', ', ')}: ${formatTrustCommand(root, base, ` --without ${kinds}`)}`
  return [
    ...issues.flatMap((issue) => describeUnfixable(issue, facts) ?? []),
    ...open.map(({ kind, description }) => `${root} needs ${kind}: ${description}`),
    ...(open.length > 0 ? [agree] : []),
    ...(settings.git.sign_off && !hasSigner(settings, own) ? [NO_SIGNER] : []),
  ]
}

const NO_SIGNER =
  'git.sign_off is true, but nobody is named to vouch: set git.author_name and git.author_email, or user.name and user.email of git'

function hasSigner({ git }: Settings, own: Identity | undefined): boolean {
  return own !== undefined || (git.author_name !== null && git.author_email !== null)
}

/** Why this issue can't be fixed in a session; undefined if it can. */
function describeUnfixable(
  { issue_code, file }: IssueLocation,
  { filtered, lfsPointers, submodules }: RepositoryFacts,
): string | undefined {
  const filter = filtered.files.get(file) ?? (lfsPointers.includes(file) ? 'lfs' : undefined)
  if (filter !== undefined) {
    return `${issue_code} is about ${file}, which is kept through the git filter ${filter}: a fixer would see what is stored in its place; leave that issue out (--only)`
  }
  const module = submodules.find((folder) => file === folder || file.startsWith(`${folder}/`))
  if (module === undefined) return undefined
  return `${issue_code} is about ${file}, which lies in the submodule ${module}: fix it in that repository, and leave it out here (--only)`
}

/** The settings of a session: its commits are signed off where that is usual, unless the operator has said otherwise. */
export function withUsualSignOff(
  settings: Settings,
  { facts, trust }: Pick<RepositoryReading, 'facts' | 'trust'>,
  own: Identity | undefined,
): Settings {
  const isWaived = settings.repository.without.includes('sign-off') || trust.without['sign-off'] !== undefined
  const isOpen = settings.git.sign_off === null && !isWaived
  if (!isOpen || !isSignOffUsual(facts) || !hasSigner(settings, own)) return settings
  return { ...settings, git: { ...settings.git, sign_off: true } }
}

function isSignOffUsual({ signOffCounts: [signed, all] }: RepositoryFacts): boolean {
  return all >= 5 && signed >= all * 0.8
}

export function listDirtyProblems(findings: readonly IssueLocation[], dirty: readonly string[]): string[] {
  const changed = new Set(dirty)
  return findings
    .filter(({ file }) => changed.has(file))
    .map(
      ({ issue_code, file }) =>
        `${issue_code} is about ${file}, which has changes that are not committed and would not be seen: commit or stash them, or give --allow-dirty`,
    )
}

export function formatUnwritable(where: string): string {
  return `a commit could not be written into ${where}: give the user who runs Fixwright the right to write there`
}

/** Harmless facts that may explain something later. */
export function listRepositoryNotes({ facts }: Pick<RepositoryReading, 'facts'>, { git }: Settings): string[] {
  const { submodules, isSparse } = facts
  const notes: string[] = []
  if (submodules.length > 0) {
    notes.push(
      `submodules stay empty in a session (${formatShortList(submodules)}): checks that need them fail before and after`,
    )
  }
  if (git.sign_off === null && isSignOffUsual(facts)) {
    const [signed, all] = facts.signOffCounts
    notes.push(
      `${signed} of the latest ${all} commits are signed off, and so are Fixwright's if somebody is named to vouch (git.sign_off: false for none)`,
    )
  }
  if (isSparse) notes.push('this checkout is sparse; a session has all files')
  return notes
}

function formatShortList(names: readonly string[]): string {
  return joinList(names, ', ', 3)
}
