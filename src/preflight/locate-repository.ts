// Finds the repository and the commit that a person names, or says why there is nothing to work on.

import { shellQuote } from '../domain/text/shell-quote.ts'
import { describeWriteRedirect } from '../platform/git/repository/borrowed-git-dir.ts'
import {
  inspectRepository,
  type Repository,
  type RepositoryInspection,
  resolveCommit,
} from '../platform/git/repository/inspect.ts'

export interface RepositoryReference {
  readonly repository: string
  readonly base?: string | undefined
}

export type LocateOutcome =
  | { readonly kind: 'found'; readonly repository: Repository; readonly commit: string }
  | { readonly kind: 'refused'; readonly problem: string }

export async function locateRepository({ repository, base }: RepositoryReference): Promise<LocateOutcome> {
  const inspection = await inspectRepository(repository)
  if (inspection.kind !== 'repository') return { kind: 'refused', problem: repositoryProblem(inspection) }
  const commit = await resolveBase(inspection, base)
  if (commit !== undefined) return { kind: 'found', repository: inspection, commit }
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
      return `${inspection.path} is no git repository: give --repo the folder of one`
    case 'elsewhere':
      return `the git of ${inspection.path} is that of ${inspection.where}: give --repo that folder, if you mean it`
    case 'led_away':
      return `the git of ${inspection.path} is not all its own: ${describeWriteRedirect(inspection)}. Clone it (git clone --no-local ${shellQuote(inspection.path)} FOLDER) and give --repo the clone`
    case 'bare':
      return `${inspection.path} is a bare repository: clone it and give --repo the clone`
    case 'no_commits':
      return `${inspection.root} has no commits yet: commit something first`
  }
}
