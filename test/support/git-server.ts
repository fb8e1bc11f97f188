// git's own server behind TLS and a password, as a host of a team has it. The certificate is its own.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { makeCertificate } from './certificate.ts'
import { temporaryFolder } from './temporal.ts'

export interface GitServer {
  /** As `repositories.hosts` names it. */
  readonly host: string
  readonly url: string
  /** Of the certificate. */
  readonly ca: string
  /** The folder that is served. */
  readonly bare: string
  readonly requests: readonly string[]
  /** Commits a file on the default branch, as somebody else's push. */
  commit(file: string, text: string): string
  close(): Promise<void>
}

export const GIT_USER = 'robot'
export const GIT_PASSWORD = 'glpat-0123456789abcdefTEST'

/** Serves the commits of `from` as acme/shop.git. What lies below /moved leads there. */
export async function startGitServer(t: TestContext, from: string): Promise<GitServer> {
  const { path: folder, remove } = temporaryFolder('git-server')
  const bare = join(folder, 'root', 'acme', 'shop.git')
  mkdirSync(join(folder, 'root', 'acme'), { recursive: true })
  execFileSync('git', ['clone', '-q', '--bare', from, bare], { stdio: 'ignore' })
  const { key, certificate: ca } = makeCertificate(folder)
  const requests: string[] = []
  const server = createServer({ key: readFileSync(key), cert: readFileSync(ca) }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    serve(join(folder, 'root'), request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closed ??= new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    return closed
  }
  t.after(async () => {
    await close()
    remove()
  })
  const host = `localhost:${port}`
  return {
    ...{ host, ca, bare, requests, close },
    url: `https://${host}/acme/shop.git`,
    commit(file, text) {
      const work = join(folder, `work-${requests.length}-${Date.now()}`)
      const git = (...args: string[]) => execFileSync('git', args, { cwd: work, encoding: 'utf8' }).trim()
      execFileSync('git', ['clone', '-q', bare, work], { stdio: 'ignore' })
      writeFileSync(join(work, file), text)
      git('add', '.')
      git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-q', '-m', `Change ${file}`)
      git('push', '-q', 'origin', 'HEAD')
      return git('rev-parse', 'HEAD')
    },
  }
}

function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'https://localhost')
  if (url.pathname.startsWith('/moved/')) {
    response.writeHead(302, { location: `${url.pathname.slice('/moved'.length)}${url.search}` }).end()
    return
  }
  const wanted = `Basic ${Buffer.from(`${GIT_USER}:${GIT_PASSWORD}`).toString('base64')}`
  if (request.headers.authorization !== wanted) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    return
  }
  const env = {
    PATH: process.env.PATH,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROJECT_ROOT: root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    REMOTE_USER: GIT_USER,
    PATH_INFO: url.pathname,
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'],
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
  }
  const cgi = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  request.pipe(cgi.stdin)
  cgi.stdin.on('error', () => undefined)
  const chunks: Buffer[] = []
  cgi.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  cgi.stdout.on('end', () => {
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\r\n\r\n')
    const headers = all.subarray(0, end).toString().split('\r\n')
    const pairs = headers.map((line) => line.split(': ') as [string, string])
    const [, status = '200'] = pairs.find(([name]) => name.toLowerCase() === 'status') ?? []
    const kept = pairs.filter(([name]) => name.toLowerCase() !== 'status')
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(kept)).end(all.subarray(end + 4))
  })
}
