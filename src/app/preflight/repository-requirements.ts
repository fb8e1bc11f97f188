// What is made of a repository's wants before a session begins: what can't be done at all, what the operator has to agree to once,
// and what is only worth a line. Nothing has been created when this is said.

import { type Need, unmet } from '../../domain/settings/repository-requirements.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { listed } from '../../domain/text/join-list.ts'
import { quoted } from '../../domain/text/shell-quote.ts'
import type { Identity } from '../../platform/git/repository/inspect.ts'
import type { Facts } from '../../platform/git/repository/requirements.ts'
import { type Reading, trustCommand } from './repository-settings.ts'

interface Named {
  readonly issue_code: string
  readonly file: string
}

/** What it wants of everybody who commits to it, and Fixwright does not do by itself. */
export function needsOf({ filtered, hooks, signing, signOff }: Facts): Need[] {
  const needs: Need[] = []
  const filters = [...new Set(filtered.files.values())].sort()
  if (filters.length > 0) {
    const some = mentioned([...filtered.files.keys()])
    const says = `git passes ${some} through the filter ${filters.join(', ')}; Fixwright runs no filter, so agents and checks see such files as they are stored, and no fix may change one`
    needs.push({ kind: 'filters', what: filters, says })
  }
  if (hooks.length > 0) {
    const says = `it has checks of its own before a commit (${mentioned(hooks)}); Fixwright runs no hook: put their commands into verification.commands`
    needs.push({ kind: 'hooks', what: hooks, says })
  }
  if (signing !== undefined) {
    const says = `commit.gpgSign is set (${signing} configuration of git); Fixwright never signs, because a signature is a person's word: sign when you have looked at its branch`
    needs.push({ kind: 'signing', what: ['commit.gpgSign'], says })
  }
  if (signOff.length > 0) {
    const says = `${mentioned(signOff)} asks for a sign-off on each commit: set git.sign_off to true (you vouch for the commits) or to false`
    needs.push({ kind: 'sign-off', what: signOff, says })
  }
  return needs
}

/** Those of them that nobody has agreed to go without. */
export function openNeeds({ facts, trust }: Pick<Reading, 'facts' | 'trust'>, { git, repository }: Settings): Need[] {
  const answered = git.sign_off === null ? [] : (['sign-off'] as const)
  return unmet(needsOf(facts), trust.without, [...repository.without, ...answered])
}

/** Everything about the repository that keeps a session from beginning. */
export function needProblems(reading: Reading, settings: Settings, issues: readonly Named[], own?: Identity): string[] {
  const { root, facts, base } = reading
  if (facts.missing > 0) {
    return [
      `${root} is a partial clone without ${facts.missing} of the objects of the commit to start from: fetch them first (git -C ${quoted(root)} fetch --refetch --no-filter)`,
    ]
  }
  const open = openNeeds(reading, settings)
  const kinds = open.map(({ kind }) => kind).join(',')
  const agree = `to go on without ${kinds.replaceAll(',', ', ')}: ${trustCommand(root, base, ` --without ${kinds}`)}`
  return [
    ...issues.flatMap((issue) => unfixable(issue, facts) ?? []),
    ...open.map(({ kind, says }) => `${root} needs ${kind}: ${says}`),
    ...(open.length > 0 ? [agree] : []),
    ...(settings.git.sign_off && !signer(settings, own) ? [NOBODY] : []),
  ]
}

const NOBODY =
  'git.sign_off is true, but nobody is named to vouch: set git.author_name and git.author_email, or user.name and user.email of git'

function signer({ git }: Settings, own: Identity | undefined): boolean {
  return own !== undefined || (git.author_name !== null && git.author_email !== null)
}

/** Why nobody could fix it here. */
function unfixable({ issue_code, file }: Named, { filtered, pointers, submodules }: Facts): string | undefined {
  const filter = filtered.files.get(file) ?? (pointers.includes(file) ? 'lfs' : undefined)
  if (filter !== undefined) {
    return `${issue_code} is about ${file}, which is kept through the git filter ${filter}: a fixer would see what is stored in its place; leave that issue out (--only)`
  }
  const module = submodules.find((folder) => file === folder || file.startsWith(`${folder}/`))
  if (module === undefined) return undefined
  return `${issue_code} is about ${file}, which lies in the submodule ${module}: fix it in that repository, and leave it out here (--only)`
}

/** What does no harm, and may explain something later. */
export function needNotes({ facts }: Pick<Reading, 'facts'>, { git }: Settings): string[] {
  const { submodules, signedOff, isSparse } = facts
  const [signed, all] = signedOff
  const notes: string[] = []
  if (submodules.length > 0) {
    notes.push(
      `submodules stay empty in a session (${mentioned(submodules)}): checks that need them fail before and after`,
    )
  }
  if (git.sign_off === null && all >= 3 && signed * 2 > all) {
    notes.push(`${signed} of the latest ${all} commits are signed off; Fixwright's are, where git.sign_off is true`)
  }
  if (isSparse) notes.push('this checkout is sparse; a session has all files')
  return notes
}

function mentioned(names: readonly string[]): string {
  return listed(names, ', ', 3)
}
