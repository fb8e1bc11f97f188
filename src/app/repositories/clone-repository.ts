// Registers a repository by its address: it is cloned into the home, and sessions run on that clone.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { FixwrightError, type Refusal } from '../../domain/errors/fixwright-error.ts'
import { parseRemoteUrl, toFolderName } from '../../domain/repository/remote-url.ts'
import { RepositoryName, suggestRepositoryName, toRepositoryId } from '../../domain/repository/repository.ts'
import { locateRepository } from '../../preflight/read-repository.ts'
import { updateClone } from '../../preflight/remotes/update-clone.ts'
import type { AppContext } from '../context.ts'
import { loadOwnSettings } from '../settings/load-settings.ts'
import { type AddRepositoryOutcome, summarizeRepository, toRepositoryOutcome } from './repositories.ts'

export { isMeantAsUrl } from '../../domain/repository/remote-url.ts'

export interface CloneRepositoryRequest {
  readonly url: string
  /** Default: after the last part of the address. */
  readonly name?: string | undefined
}

type CloneContext = Pick<AppContext, 'store' | 'home' | 'env' | 'flags'>

/** Only from hosts of the home's own settings. */
export async function cloneRepository(
  app: CloneContext,
  { url: typed, name }: CloneRepositoryRequest,
): Promise<AddRepositoryOutcome> {
  if (name !== undefined && !RepositoryName.safeParse(name).success)
    throw new FixwrightError('bad_input', `the name ${JSON.stringify(name)} can not be one`)
  const { store, home, env } = app
  const remote = parseRemoteUrl(typed)
  if (remote.kind === 'unusable') return refuse('remote_not_allowed', remote.problem)
  const { url } = remote
  const folderName = toFolderName(remote)
  const known = await store.repositories.list()
  const registered = known.find((each) => each.url === url)
  if (registered) {
    if (name === undefined || name === registered.name)
      return { kind: 'known', repository: summarizeRepository(registered) }
    return toRepositoryOutcome('renamed', await store.repositories.update(registered.repository_id, { name }))
  }
  const repository_id = toRepositoryId(randomBytes(8))
  const folder = join(home.repositories, repository_id)
  const { repositories: settings } = await loadOwnSettings(app)
  let isKept = false
  try {
    const added = await cloneInto(folder)
    isKept = added.kind !== 'refused'
    return added
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true })
  }

  async function cloneInto(path: string): Promise<AddRepositoryOutcome> {
    const updated = await updateClone({ folder: path, url }, { home, env, settings })
    if (updated.kind === 'refused') return updated
    const located = await locateRepository({ repository: path })
    if (located.kind === 'refused') return refuse('repository_unusable', located.problem)
    const own =
      name ??
      suggestRepositoryName(
        folderName,
        known.map((each) => each.name),
      )
    const { root } = located.repository
    const change = await store.repositories.add({
      repository_id,
      path: root,
      url,
      name: own,
      known_commit: located.commit,
    })
    return toRepositoryOutcome('added', change)
  }
}

function refuse(code: Refusal['code'], problem: string): Refusal {
  return { kind: 'refused', code, problems: [problem] }
}
