// Starts the GitHub of the test bed and talks to it as the test.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'

import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { BedHook, BedSetup, BedState, BedToken, PlannedFault } from './github/state.ts'
import { temporaryFolder } from './temporal.ts'

export interface GitHubBed {
  /** As `github.host` is set. */
  readonly host: string
  readonly remote: string
  readonly bare: string
  readonly slug: string
  readonly pid: number
  state(): Promise<BedState & { readonly held: number }>
  plan(faults: readonly PlannedFault[]): Promise<void>
  release(): Promise<void>
  reset(): Promise<void>
  /** As a person on the web does. */
  edit(number: number, change: Readonly<Record<string, unknown>>): Promise<void>
  /** As a person on the web edits a comment. */
  editComment(id: number, body: string): Promise<void>
  /** What somebody may do in the repository from now on. */
  setRole(login: string, role: NonNullable<BedToken['role']>): Promise<void>
  /** Where GitHub posts what happens, from now on. */
  setHook(hook: BedHook): Promise<void>
  /** As somebody does on the page of the hook, with everything that was sent before. */
  redeliver(): Promise<void>
  /** A person writes a comment; returns its id. */
  comment(by: BedToken, number: number, body: string): Promise<number>
  /** What code scanning has found. */
  alert(alerts: readonly object[]): Promise<void>
  /** A person's request to the API. */
  post(by: BedToken, path: string, body: object): Promise<{ readonly number: number; readonly id: number }>
  git(...args: string[]): string
  /** A push of a commit that changes nothing; returns it. */
  push(branch: string): string
  /** Opens a pull request as this person; returns its number. */
  open(by: BedToken, head: string, base: string): Promise<number>
}

export const TOKEN = 'ghp_0123456789abcdefTESTBEDtoken0123456'
export const BOB: BedToken = {
  ...{ token: 'ghp_0123456789abcdefBOBSTOKEN0123456789', login: 'bob', id: 8 },
  ...{ kind: 'personal', contents: 'write' },
}
export const ADA: BedToken = { token: TOKEN, login: 'ada', id: 7, kind: 'personal', contents: 'write' }

/** With the commits of `from`, in a folder of its own: it is no part of the stage that a test sets. */
export async function startGitHub(
  t: TestContext,
  { from, tokens = [ADA], app }: { readonly from: string } & Partial<Pick<BedSetup, 'tokens' | 'app'>>,
): Promise<GitHubBed> {
  const { path: folder, remove } = temporaryFolder('github')
  const [owner, name] = ['acme', 'shop']
  const bare = join(folder, 'github', owner, `${name}.git`)
  mkdirSync(join(folder, 'github', owner), { recursive: true })
  execFileSync('git', ['clone', '-q', '--bare', from, bare], { stdio: 'ignore' })
  const file = join(folder, 'github.json')
  writeFileSync(file, JSON.stringify({ owner, name, bare, tokens, ...(app ? { app } : {}) } satisfies BedSetup))
  const child = spawn(process.execPath, [fileURLToPath(new URL('github-main.ts', import.meta.url)), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
    remove()
  })
  const exited = once(child, 'exit')
  const [first] = (await once(child.stdout, 'data')) as [Buffer]
  // A test that fails early must not wait for it.
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref()
  const host = `127.0.0.1:${first.toString().trim()}`
  const ask = async (path: string, body?: unknown): Promise<BedState & { readonly held: number }> => {
    const response = await fetch(
      `http://${host}/_bed${path}`,
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
    )
    return (await response.json()) as BedState & { readonly held: number }
  }
  const post: GitHubBed['post'] = async ({ token }, path, body) => {
    const response = await fetch(`http://${host}/api/v3/repos/${owner}/${name}${path}`, {
      method: 'POST',
      headers: { authorization: `token ${token}` },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { readonly number: number; readonly id: number }
  }
  const git = (...args: string[]): string => execFileSync('git', ['-C', bare, ...args], { encoding: 'utf8' }).trimEnd()
  return {
    ...{ host, bare, slug: `${owner}/${name}`, remote: `http://${host}/${owner}/${name}.git`, pid: child.pid ?? 0 },
    state: () => ask(''),
    plan: async (faults) => void (await ask('/faults', faults)),
    reset: async () => void (await ask('/reset', {})),
    release: async () => void (await ask('/release', {})),
    edit: async (number, change) => void (await ask('/edit', { number, ...change })),
    push: (branch) => {
      const head = git('rev-parse', branch)
      const author = ['-c', 'user.name=Bob', '-c', 'user.email=bob@localhost']
      const next = git(...author, 'commit-tree', `${head}^{tree}`, '-p', head, '-m', `after ${head.slice(0, 8)}`)
      git('update-ref', `refs/heads/${branch}`, next)
      return next
    },
    editComment: async (id, body) => void (await ask('/edit-comment', { id, body })),
    setRole: async (login, role) => void (await ask('/role', { login, role })),
    setHook: async (hook) => void (await ask('/hook', hook)),
    redeliver: async () => void (await ask('/redeliver', {})),
    comment: async (by, number, body) => (await post(by, `/issues/${number}/comments`, { body })).id,
    alert: async (alerts) => void (await ask('/alerts', alerts)),
    post,
    open: async (by, head, base) => (await post(by, '/pulls', { title: 'A change', head, base })).number,
    git,
  }
}
