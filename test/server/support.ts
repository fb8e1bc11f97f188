// The HTTP service of a home of its own, over real sockets. Its store is filled through the store's API; nothing is started for it.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { createToken } from '../../src/app/access/tokens.ts'
import { type AppContext, openApp } from '../../src/app/context.ts'
import { loadOwnSettings } from '../../src/app/settings/load-settings.ts'
import type { Role } from '../../src/domain/access/access-token.ts'
import type { Settings } from '../../src/domain/settings/schema.ts'
import type { StreamTiming } from '../../src/server/events/stream-timing.ts'
import { type ServedApi, type ServerTuning, serveApi } from '../../src/server/serve-api.ts'
import { type Desk, setDesk } from '../cli/support.ts'
import type { E2eStage } from '../support/session.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it expects it
  readonly body: any
}

export interface Asked {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body?: unknown
}

export interface ServedDesk extends Desk {
  readonly app: AppContext
  readonly server: ServedApi
  readonly tokens: Readonly<Record<Role, string>>
  /** Asks with the admin's token unless told otherwise; `token: ''` asks with none. */
  ask(path: string, asked?: Asked): Promise<Answer>
}

export async function serveDesk(
  t: TestContext,
  more: Partial<Settings['server']> = {},
  timing: Partial<StreamTiming> = {},
): Promise<ServedDesk> {
  const desk = await setDesk(t)
  const app = await openApp({ env: desk.environment, by: 'kim', isSenderChecked: true })
  desk.beforeEnd(() => app.close())
  const settings = { ...DEFAULT_SETTINGS.server, port: 0, requests_per_minute: 100_000, ...more }
  const server = await serveApi(app, settings, timing)
  desk.beforeEnd(() => server.close())
  const make = async (role: Role) => (await createToken(app, { name: `a ${role}`, role, expires: '1h' })).text
  const tokens = { viewer: await make('viewer'), operator: await make('operator'), admin: await make('admin') }
  return {
    ...desk,
    app,
    server,
    tokens,
    // The address of the machine, whatever the service is called.
    ask: (path, asked) => ask(`http://127.0.0.1:${server.port}`, path, { token: tokens.admin, ...asked }),
  }
}

export interface ServeStageOptions {
  readonly role?: Role
  readonly tuning?: ServerTuning
}

/** The service of a stage, in this process: sessions that it starts are real. */
export async function serveStage<Stage extends E2eStage>(
  stage: Stage,
  { role = 'operator', tuning }: ServeStageOptions = {},
) {
  const app = await openApp({ env: stage.environment, by: 'kim', isSenderChecked: true })
  const settings = await loadOwnSettings(app)
  const own = { ...settings.server, port: 0, requests_per_minute: 100_000, repository_roots: [stage.folder] }
  const server = await serveApi(app, own, tuning)
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await server.close()
    await app.close()
  }
  stage.beforeEnd(close)
  const { text: token } = await createToken(app, { name: 'ci', role, expires: '1h' })
  const post = (path: string, body: object, more: Asked = {}) =>
    ask(server.url, path, { method: 'POST', token, body, ...more })
  const get = (path: string) => ask(server.url, path, { token })
  return { ...server, app, settings, stage, close, token, post, get }
}

/** Node's own client sends any header, also those that `fetch` keeps to itself. */
export function ask(url: string, path: string, { method = 'GET', token, headers, body }: Asked): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const request = httpRequest(new URL(path, url), {
      method,
      agent: false,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
        ...(text === undefined ? {} : { 'content-length': `${Buffer.byteLength(text as string)}` }),
        ...headers,
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const read = Buffer.concat(chunks).toString()
        const isJson = /json/.test(response.headers['content-type'] ?? '')
        const { statusCode: status = 0, headers: found } = response
        resolve({ status, headers: found, text: read, body: isJson && read !== '' ? JSON.parse(read) : undefined })
      })
    })
    request.end(text)
  })
}

export interface ReadFrame {
  readonly id?: string
  readonly event?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it expects it
  readonly data?: any
}

export interface Follower {
  readonly status: number
  readonly response: IncomingMessage
  readonly frames: ReadFrame[]
  /** All that came, as it came. */
  text(): string
  /** True if the stream ended in good order, false if it was cut. */
  readonly ended: Promise<boolean>
  leave(): void
}

/** Follows an event stream until it ends or is left. */
export function follow(
  url: string,
  path: string,
  { token, headers, method = 'GET', body }: Asked & { readonly token: string },
): Promise<Follower> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(new URL(path, url), {
      agent: false,
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const frames: ReadFrame[] = []
      const chunks: string[] = []
      let rest = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        chunks.push(chunk)
        const parts = (rest + chunk).split('\n\n')
        rest = parts.pop() ?? ''
        frames.push(...parts.flatMap((part) => parseFrame(part) ?? []))
      })
      const ended = new Promise<boolean>((settle) => {
        response.on('end', () => settle(true))
        response.on('error', () => settle(false))
        response.on('close', () => settle(false))
      })
      const { statusCode: status = 0 } = response
      resolve({ status, response, frames, text: () => chunks.join(''), ended, leave: () => void request.destroy() })
    })
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function parseFrame(text: string): ReadFrame | undefined {
  const fields = Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^(id|event|data): (.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, name === 'data' ? JSON.parse(value ?? '') : value]]
    }),
  )
  return Object.keys(fields).length === 0 ? undefined : fields
}
