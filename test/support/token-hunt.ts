// Looks for a token wherever it must not be: in the home, in Temporal's histories, in what the models were sent, in the process table, and
// in what a host beside the real one received.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { processesNaming } from './processes-naming.ts'
import type { E2eStage } from './session.ts'

export async function huntToken(stage: E2eStage, token: string, workflowIds: readonly string[]): Promise<void> {
  const files = readdirSync(stage.home.path, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(stage.home.path, name),
  )
  const holding = files.filter((file) => {
    try {
      return statSync(file).isFile() && readFileSync(file).includes(token)
    } catch {
      return false
    }
  })
  assert.deepEqual(holding, [], 'no file of the home holds the token')
  const client = await stage.client()
  for (const id of workflowIds) {
    const history = await client.workflow.getHandle(id).fetchHistory()
    for (const text of stringsOf(history)) assert.ok(!text.includes(token), `the history of ${id} holds the token`)
  }
  assert.ok(!JSON.stringify(stage.model.calls().map(({ body }) => body)).includes(token), 'a model was sent the token')
}

/** Processes of the stage whose command line or environment holds the token, without the instance and the commands that were given it. */
export function processesWithToken({ folder, home }: E2eStage, token: string): string[] {
  const instance = findLiveInstance(home)?.identity.pid
  return [...processesNaming(folder).keys()].flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (command.includes(token)) return [command]
      if (pid === instance || /cli\/main\.[jt]s/.test(command)) return []
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(token) ? [command] : []
    } catch {
      return []
    }
  })
}

function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (value instanceof Uint8Array) yield Buffer.from(value).toString()
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* stringsOf(each)
}

export interface Decoy {
  readonly host: string
  /** What it was asked. */
  readonly received: readonly string[]
}

/** A host beside the real one, which a repository's configuration may lead to. */
export async function startDecoy(t: TestContext): Promise<Decoy> {
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="decoy"' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  t.after(() => server.close())
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}
