// A receiver of webhooks, as a process of its own: it prints what it gets, a line of JSON each, and answers by the path. Started by itself
// it is that process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

export interface ReceivedWebhook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface WebhookReceiver {
  readonly url: string
  readonly received: readonly ReceivedWebhook[]
}

export async function startWebhookReceiver(t: TestContext): Promise<WebhookReceiver> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  const received: ReceivedWebhook[] = []
  const lines = createInterface({ input: child.stdout })
  const [port] = (await once(lines, 'line')) as [string]
  lines.on('line', (line) => received.push(JSON.parse(line)))
  return { url: `http://127.0.0.1:${port}`, received }
}

/**
 * `/flaky` is down for the first try, `/each` for the first of each type, `/silent` leaves the first without an answer, `/moved` leads
 * elsewhere, `/gone` wants nothing any more.
 */
function answer(
  path: string,
  before: number,
): { readonly status: number; readonly headers?: { readonly location: string } } {
  if (path === '/gone') return { status: 410 }
  if (path === '/moved') return { status: 302, headers: { location: '/ok' } }
  return { status: /^\/(flaky|each)$/.test(path) && before === 0 ? 503 : 204 }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { url: path = '', headers } = request
      const key = path === '/each' ? `${path} ${JSON.parse(body).type}` : path
      const before = counts.get(key) ?? 0
      counts.set(key, before + 1)
      process.stdout.write(`${JSON.stringify({ path, headers, body })}\n`)
      if (path === '/silent' && before === 0) return
      const { status, headers: more = {} } = answer(path, before)
      response.writeHead(status, more).end()
    })
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}
