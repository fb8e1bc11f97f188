// What an agent must not get at, each as a line of shell that says `reached NAME` where it does, a server that counts its visitors, and
// an operator's home.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { sandboxProblem } from '../../../src/platform/sandbox/enter-sandbox.ts'
import { listProgramPaths } from '../../../src/platform/sandbox/visible-programs.ts'
import { DEFAULTS } from '../../activities/support.ts'

/** For tests to be skipped by, with the reason. */
export const NO_SANDBOX: string | false = (await sandboxProblem('none')) ?? false

export function sandboxSettings(mode: Settings['sandbox']['mode'], more: Partial<Settings['sandbox']> = {}) {
  return { ...DEFAULTS.sandbox, mode, ...more }
}

export interface Visited {
  readonly port: number
  visits(): number
}

/** Stands for Temporal, or for any other service of this machine. */
export async function countVisits(t: TestContext, at: number | string = 0): Promise<Visited> {
  let visits = 0
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    visits += 1
    socket.on('error', () => undefined)
    // Only what was asked is answered: a connection that is closed before that is reset, and the answer lost with it.
    socket.once('data', () => socket.resume().end('HTTP/1.0 200 OK\r\n\r\nwelcome'))
    sockets.add(socket.on('close', () => sockets.delete(socket)))
  })
  await new Promise<void>((resolve) => {
    if (typeof at === 'string') server.listen(at, resolve)
    else server.listen(at, '127.0.0.1', resolve)
  })
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, visits: () => visits }
}

export interface Places {
  /** The operator's. */
  readonly user: string
  /** Fixwright's. */
  readonly home: string
  /** Somebody's folder. */
  readonly outside: string
  readonly port: number
  readonly socket: string
}

/** Lays the canaries out and answers with the script that goes for them. */
export function canaries({ user, home, outside, port, socket }: Places): string {
  const files = {
    'a key of the operator': join(user, '.ssh/id_canary'),
    'the store': join(home, 'fixwright.db'),
    'our own git of this session': join(home, 'sessions/s1/workspace/git/config'),
    'another session': join(home, 'sessions/s2/workspace/tree/secret.txt'),
    'a folder of somebody else': join(outside, 'secret.txt'),
  }
  for (const file of Object.values(files)) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'canary')
  }
  const connect = (to: string) =>
    `node -e 'const s = require("net").connect(${to}); s.write("x"); s.on("data", () => process.exit(0)); s.on("error", () => process.exit(1))'`
  const attempts = {
    ...Object.fromEntries(Object.entries(files).map(([name, file]) => [`read ${name}`, `grep -q canary '${file}'`])),
    'write outside': `echo x > '${join(outside, 'planted.txt')}'`,
    'write into our home': `echo x > '${join(home, 'sessions/s2/planted.txt')}'`,
    'see other processes': `grep -q . /proc/${process.pid}/environ`,
    'reach a port of this machine': connect(String(port)),
    'reach it through the way out': `node -e 'const { Agent, get } = require("node:http"); get({ host: "127.0.0.1", port: process.env.HTTP_PROXY ? 3128 : ${port}, path: "http://127.0.0.1:${port}/", agent: new Agent() }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on("error", () => process.exit(1))'`,
    'reach a socket of this machine': connect(`"${socket}"`),
  }
  const lines = Object.entries(attempts).map(
    ([name, line]) => `if (${line}) 2>/dev/null; then echo "reached: ${name}"; fi`,
  )
  return `${lines.join('\n')}\necho "went for ${lines.length}"`
}

export function reachedIn(text: string): string[] {
  return [...text.matchAll(/^reached: (.*)$/gm)].map(([, name = '']) => name)
}

/** The same service at another address; answers with its port there. */
export async function forward(t: TestContext, port: number, host: string): Promise<number> {
  const server = createServer((inside) => joined(inside, connect(port, '127.0.0.1')))
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.after(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** An operator's proxy that wants a password, and remembers what it was asked for. */
export async function startProxy(t: TestContext): Promise<{ readonly url: string; asked(): readonly string[] }> {
  const asked: string[] = []
  const [name, password] = ['operator', `pass-${process.pid}`]
  const expected = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
  const server = createHttpServer((incoming, answer) => {
    const url = new URL(incoming.url ?? '')
    asked.push(url.host)
    const { 'proxy-authorization': said, ...headers } = incoming.headers
    if (said !== expected) return answer.writeHead(407).end()
    const outside = request(url, { method: incoming.method, headers })
    outside.on('response', (response) => response.pipe(answer.writeHead(response.statusCode ?? 502, response.headers)))
    return incoming.pipe(outside)
  })
  server.on('connect', (incoming, inside: Socket) => {
    asked.push(incoming.url ?? '')
    const { hostname, port } = new URL(`http://${incoming.url}`)
    if (incoming.headers['proxy-authorization'] !== expected) return inside.end('HTTP/1.1 407 No\r\n\r\n')
    const outside = connect(Number(port), hostname, () => {
      inside.write('HTTP/1.1 200 OK\r\n\r\n')
      joined(inside, outside)
    })
    return outside
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://${name}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

function joined(one: Socket, other: Socket): void {
  one.on('error', () => other.destroy()).pipe(other)
  other.on('error', () => one.destroy()).pipe(one)
}

/** A home with these files in it, each with its own name as its text where there is no other. */
export function setHome(t: TestContext, files: readonly (string | readonly [string, string])[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-programs-')))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const [home, linked] = [join(root, 'var/home/user'), join(root, 'home/user')]
  mkdirSync(home, { recursive: true })
  symlinkSync('var/home', join(root, 'home'))
  for (const each of files) {
    const [file, text] = typeof each === 'string' ? [each, each] : each
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), text)
  }
  return { home, linked, seenWith }

  /** By either name of the home, and as a sandbox shows it: a link by what it leads to as well. */
  function seenWith(path: readonly string[], commands: readonly string[] = [], more: NodeJS.ProcessEnv = {}) {
    const { HOME = home, ...env } = more
    const seen = listProgramPaths({ ...env, PATH: path.join(':') }, HOME, commands).filter((each) => existsSync(each))
    const places = seen.flatMap((each) => [each, realpathSync(each)])
    return (name: string) =>
      [join(home, name), join(linked, name)].some((file) =>
        places.some((place) => file === place || file.startsWith(`${place}/`)),
      )
  }
}
