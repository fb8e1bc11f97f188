// The service of a home as a process of its own, so that its CPU and memory are its own. Beside it, in the same process: a bare hono
// handler that answers with a text, and a bare stream that hands on what is posted to it.
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { openApp } from '../../src/app/context.ts'
import { loadOwnSettings } from '../../src/app/settings/load-settings.ts'
import { serveApi } from '../../src/server/serve-api.ts'

const app = await openApp({ env: process.env, by: 'bench', isSenderChecked: true })
const settings = await loadOwnSettings(app)
const own = { ...settings.server, port: 0, requests_per_minute: 100_000_000 }
const server = await serveApi(app, own)

let text = '{}'
const readers = new Set<ServerResponse>()
const bare = new Hono<{ Bindings: HttpBindings }>()
bare.get('/list', (c) => c.body(text, 200, { 'Content-Type': 'application/json' }))
bare.get('/events', (c) => {
  const { outgoing } = c.env
  const response = outgoing as ServerResponse
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.write(': \n\n')
  readers.add(response)
  response.on('close', () => readers.delete(response))
  return RESPONSE_ALREADY_SENT
})
bare.post('/events', async (c) => {
  const frame = Buffer.from(await c.req.text())
  for (const reader of readers) reader.write(frame)
  return c.body(null, 204)
})
const bareServer = serve({ fetch: bare.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.send?.({ url: server.url, bareUrl: `http://127.0.0.1:${port}` })
})

process.on('message', (asked: { readonly text?: string }) => {
  if (asked.text !== undefined) text = asked.text
  const { user, system } = process.cpuUsage()
  const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  process.send?.({
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
    peakMb: Number(peakKb) / 1024,
  })
})
process.on('disconnect', async () => {
  bareServer.close()
  await server.close()
  await app.close()
  process.exit(0)
})
