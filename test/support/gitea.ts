// A Gitea of the machine, given by its path, behind a door that has GitHub's addresses: a forge that we have not written ourselves. A program
// that is built without its own files needs them in FIXWRIGHT_TEST_GITEA_FILES, which is the folder of its sources.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { gitAt } from './session.ts'
import { temporaryFolder } from './temporal.ts'
import { until } from './until.ts'

export const GITEA = process.env.FIXWRIGHT_TEST_GITEA
const FILES = process.env.FIXWRIGHT_TEST_GITEA_FILES
const [OWNER, NAME] = ['ada', 'shop']

export interface Gitea {
  /** Of the door. */
  readonly host: string
  readonly remote: string
  readonly token: string
  readonly slug: string
  /** Below the repository. */
  ask<T = never>(method: string, path: string, body?: object): Promise<T>
  /** The next such request takes effect, and its answer is lost. */
  loseAnswer(method: string, path: RegExp): void
}

/** With the main branch of `from`. */
export async function startGitea(t: TestContext, from: string): Promise<Gitea> {
  const { path: folder, remove } = temporaryFolder('gitea')
  const port = await findFreePort()
  const file = join(folder, 'app.ini')
  mkdirSync(folder, { recursive: true })
  const settings = [
    'I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true\nRUN_MODE = prod',
    `WORK_PATH = ${folder}`,
    `[server]\nHTTP_ADDR = 127.0.0.1\nHTTP_PORT = ${port}\nDISABLE_SSH = true\nOFFLINE_MODE = true`,
    ...(FILES ? [`STATIC_ROOT_PATH = ${FILES}`] : []),
    `[database]\nDB_TYPE = sqlite3\nPATH = ${join(folder, 'gitea.db')}`,
    '[security]\nINSTALL_LOCK = true\n[log]\nLEVEL = Error\n',
  ]
  writeFileSync(file, settings.join('\n'))
  const env = { PATH: process.env.PATH, HOME: folder, USER: process.env.USER ?? 'root' }
  const run = (...args: string[]): string =>
    execFileSync(GITEA ?? '', ['-c', file, ...args], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
  run('migrate')
  const account = ['--username', OWNER, '--password', 'a-password-of-the-test', '--email', 'ada@example.org']
  const access = ['--must-change-password=false', '--access-token', '--access-token-scopes', 'all']
  const token = /\b[0-9a-f]{40}\b/.exec(run('admin', 'user', 'create', ...account, ...access))?.[0] ?? ''
  const child = spawn(GITEA ?? '', ['-c', file, 'web'], { cwd: folder, env, stdio: 'ignore' })
  const lost: { readonly method: string; readonly path: RegExp }[] = []
  const door = createServer((asked, answer) => pass(asked, answer, port, lost))
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  door.unref()
  t.after(async () => {
    door.close()
    door.closeAllConnections()
    child.kill('SIGKILL')
    await once(child, 'exit')
    remove()
  })
  const api = `http://127.0.0.1:${port}/api/v1`
  await until('Gitea answers', () =>
    fetch(`${api}/version`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const send = async (method: string, url: string, body?: object) => {
    const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
    const response = await fetch(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  await send('POST', `${api}/user/repos`, { name: NAME, default_branch: 'main' })
  gitAt(from, ['push', '-q', `http://${OWNER}:${token}@127.0.0.1:${port}/${OWNER}/${NAME}.git`, 'HEAD:refs/heads/main'])
  const host = `127.0.0.1:${(door.address() as AddressInfo).port}`
  return {
    ...{ host, token, slug: `${OWNER}/${NAME}`, remote: `http://${host}/${OWNER}/${NAME}.git` },
    ask: (method, path, body) => send(method, `${api}/repos/${OWNER}/${NAME}${path}`, body),
    loseAnswer: (method, path) => void lost.push({ method, path }),
  }
}

/** GitHub's addresses lead to Gitea's. */
function pass(
  asked: IncomingMessage,
  answer: ServerResponse,
  port: number,
  lost: { readonly method: string; readonly path: RegExp }[],
): void {
  const path = (asked.url ?? '').replace(/^\/api\/v3\//, '/api/v1/')
  const at = lost.findIndex((each) => each.method === asked.method && each.path.test(path))
  if (at >= 0) lost.splice(at, 1)
  const { host: _, ...headers } = asked.headers
  const passed = request({ host: '127.0.0.1', port, path, method: asked.method, headers }, (got) => {
    if (at >= 0) {
      got.resume().once('end', () => answer.destroy())
      return
    }
    answer.writeHead(got.statusCode ?? 502, got.headers)
    got.pipe(answer)
  })
  passed.once('error', () => answer.destroy())
  asked.pipe(passed)
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<unknown>((resolve) => server.close(resolve))
  return port
}
