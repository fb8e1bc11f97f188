// `fixwright repo`: the registered repositories. Their names stand for their folders wherever `--repo` is given.

import { RefusedError } from '../../../app/errors.ts'
import { cloneRepository, isMeantAsUrl } from '../../../app/repositories/clone-repository.ts'
import {
  type AddRepositoryRequest,
  addRepository,
  listRepositories,
  removeRepository,
} from '../../../app/repositories/repositories.ts'
import type { RepositorySummary } from '../../../domain/repository/repository.ts'
import { withApp } from '../../session/with-app.ts'
import { paint, print, printJson, printNotice } from '../../terminal/console.ts'
import { printPaged } from '../../terminal/pager.ts'
import { formatAge, formatTable } from '../../terminal/table.ts'

interface OutputOptions {
  readonly json: boolean
}

export async function runRepoAddCommand({ json, ...request }: AddRepositoryRequest & OutputOptions): Promise<number> {
  return withApp(async (app) => {
    const { folder, name } = request
    const outcome = isMeantAsUrl(folder)
      ? await cloneRepository(app, { url: folder, name })
      : await addRepository(app, request)
    if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
    const { kind, repository } = outcome
    if (json) printJson({ outcome: kind, ...repository })
    else print(`${HOW_ADDED[kind]}: ${repository.name} is ${repository.url ?? repository.path}`)
    return 0
  })
}

const HOW_ADDED = {
  added: 'registered',
  renamed: 'renamed',
  moved: 'it has moved',
  known: 'registered already',
} as const

export async function runRepoListCommand({ json }: OutputOptions): Promise<number> {
  return withApp(async (app) => {
    const found = await listRepositories(app)
    if (json) printJson(found)
    else if (found.length === 0)
      printNotice('no repository yet: "fixwright repo add FOLDER" registers one, and so does fix')
    else await printPaged(formatRepositories(found))
    return 0
  })
}

function formatRepositories(found: readonly RepositorySummary[]): string {
  return formatTable([
    ['NAME', 'FOLDER', 'REGISTERED', 'ID'].map((head) => paint('dim', head, process.stdout)),
    ...found.map(({ name, path, url, is_missing, created_at, repository_id }) => [
      name,
      is_missing ? `${path} (gone)` : (url ?? path),
      formatAge(created_at),
      repository_id,
    ]),
  ])
}

export async function runRepoRemoveCommand(typed: string, { json }: OutputOptions): Promise<number> {
  return withApp(async (app) => {
    const outcome = await removeRepository(app, typed)
    if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
    if (json) printJson(outcome.repository)
    else print(`removed: ${outcome.repository.name}; its sessions and their reports stay, its folder is untouched`)
    return 0
  })
}
