// The remote of a repository that work is pushed to.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { readRemoteName, readRemoteUrl } from '../../platform/git/repository/branches.ts'

/** Default: `origin`, else the first one. */
export async function findRemoteUrl(root: string, asked: string | undefined): Promise<string> {
  const name = asked ?? (await readRemoteName(root))
  const url = name === undefined ? undefined : await readRemoteUrl(root, name)
  if (url !== undefined) return url
  const what = name === undefined ? 'has no remote: add one' : `has no remote "${name}": add it`
  const orOther = asked === undefined ? '' : ', or give the name of another one with --remote'
  throw new FixwrightError('remote_unusable', `${root} ${what} with "git remote add"${orOther}`)
}
