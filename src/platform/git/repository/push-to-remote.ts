// Pushes one branch to a remote by its address, from a git directory of our own: nothing in the person's configuration can send the
// credential elsewhere, run a hook, or choose a helper. Only git's own child processes see the credential.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GitError, type GitOptions, runGit } from '../git.ts'
import { isAncestor } from '../workspace/commits.ts'
import { buildGitDirectory } from '../workspace/object-store.ts'

export interface PushRequest {
  /** The person's repository, which is only read. */
  readonly root: string
  /** A place for the git directory; what is there is removed, before and after. */
  readonly folder: string
  readonly url: string
  readonly credential?: { readonly username: string; readonly password: string } | undefined
  readonly branch: string
  readonly commit: string
}

export type PushOutcome =
  | { readonly kind: 'pushed' | 'already' }
  /** The remote's branch has commits that ours lacks. */
  | { readonly kind: 'diverged'; readonly head: string }
  /** The remote said no, in its words. */
  | { readonly kind: 'refused'; readonly why: string }

/** Safe to repeat: the remote's branch moves only from where it was seen to be. */
export async function pushToRemote(request: PushRequest): Promise<PushOutcome> {
  const { root, folder, branch, commit } = request
  rmSync(folder, { recursive: true, force: true })
  try {
    const gitDir = join(folder, 'git')
    mkdirSync(gitDir, { recursive: true, mode: 0o700 })
    await buildGitDirectory(gitDir, { root, commit, branch, ignore: [] })
    const at = prepareAccess(request)
    const ref = `refs/heads/${branch}`
    const listed = (await runGit(gitDir, ['ls-remote', '--refs', at.url, ref], at.options)).stdout.toString()
    const head = /^([0-9a-f]{40,64})\t/.exec(listed)?.[1]
    if (head === commit) return { kind: 'already' }
    if (head !== undefined && !(await isAncestor(root, head, commit).catch(() => false)))
      return { kind: 'diverged', head }
    const args = [
      'push',
      '--porcelain',
      '--no-verify',
      `--force-with-lease=${ref}:${head ?? ''}`,
      at.url,
      `${commit}:${ref}`,
    ]
    await runGit(gitDir, args, at.options)
    return { kind: 'pushed' }
  } catch (error) {
    const why = error instanceof GitError ? findRefusal(error.stderr) : undefined
    if (why === undefined) throw error
    return { kind: 'refused', why }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The rest, such as a server that does not answer, may pass. */
function findRefusal(stderr: string): string | undefined {
  const patterns = [
    /Authentication failed[^\n]*/,
    /could not read (?:Username|Password)[^\n]*/,
    /The requested URL returned error: (?:401|403|404)[^\n]*/,
    /repository '[^\n]*' not found/,
    /does not appear to be a git repository/,
    /\[remote rejected\][^\n]*/,
    /remote: error: [^\n]*/,
  ]
  return patterns.map((pattern) => pattern.exec(stderr)?.[0]).find((found) => found !== undefined)
}

function prepareAccess({ url, credential, folder }: PushRequest): {
  readonly url: string
  readonly options: GitOptions
} {
  const web = /^(https?):\/\/([^/]+)\//.exec(url)
  const [, scheme = 'file', host = ''] = web ?? []
  const common = { HOME: folder, GIT_ALLOW_PROTOCOL: scheme }
  if (credential === undefined || web === null) return { url, options: { env: common } }
  const { username, password } = credential
  const askpass = join(folder, 'askpass')
  writeFileSync(askpass, ASKPASS, { mode: 0o700 })
  const env = {
    ...common,
    ...listProxyVariables(scheme),
    GIT_ASKPASS: askpass,
    FIXWRIGHT_PUSH_PROMPT: `Password for '${scheme}://${username}@${host}': `,
    FIXWRIGHT_PUSH_PASSWORD: password,
  }
  const config = [
    ['http.followRedirects', 'false'],
    ['http.emptyAuth', 'false'],
  ] as const
  return { url: url.replace(`${scheme}://`, `${scheme}://${username}@`), options: { env, config } }
}

/** Answers the one prompt that it is for, whatever git was led to. */
const ASKPASS = `#!/bin/sh
[ "$1" = "$FIXWRIGHT_PUSH_PROMPT" ] || exit 1
printf '%s\\n' "$FIXWRIGHT_PUSH_PASSWORD"
`

/** The operator's way to the network. A proxy sees no credential over TLS. */
function listProxyVariables(scheme: string): Record<string, string> {
  const names = scheme === 'https' ? ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'GIT_SSL_CAINFO'] : []
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name] ?? '']] : [])))
}
