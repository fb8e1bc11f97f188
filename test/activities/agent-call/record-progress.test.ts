// What of an agent's stream becomes an event, and what only a heartbeat.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgressWriter } from '../../../src/activities/agent-call/record-progress.ts'
import type { Progress } from '../../../src/agents/provider-contract.ts'
import { OF_THE_DETECTOR, secretPart } from '../../platform/masking/tokens.ts'
import { S1, setBench } from '../support.ts'

async function streamed(t: Parameters<typeof setBench>[0], progress: readonly Progress[]) {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' })
  const heartbeats: string[] = []
  const heartbeat = { signal: new AbortController().signal, reportProgress: (text: string) => heartbeats.push(text) }
  const writer = createProgressWriter(bench.shop, { session_id: S1, key: 's1.i1.b1.fix', attempt: 1 }, heartbeat)
  for (const each of progress) writer.write(each)
  await writer.flushed()
  const events = (await bench.store.events.listAfter(S1)).filter((event) => event.type === 'fix_issue_streaming')
  return { heartbeats, lines: events.map(({ data }) => [data.kind, data.text]) }
}

const text = (said: string): Progress => ({ kind: 'text', text: said })

test('the last line of what an agent says is streamed, at most once in two seconds; each use of a tool is [S2-24]', async (t) => {
  const { lines, heartbeats } = await streamed(t, [
    text('First I look.\nThe cause is in f.'),
    text('Said at once after it.'),
    { kind: 'tool', name: 'Read', path: 'src/app.py' },
    { kind: 'tool', name: 'Edit', path: 'src/app.py' },
    { kind: 'tool', name: 'StructuredOutput' },
    { kind: 'retry', detail: 'overloaded (529)' },
    { kind: 'model_switched', from: 'opus', to: 'sonnet', because: 'it is overloaded' },
  ])
  assert.deepEqual(lines, [
    ['text', 'The cause is in f.'],
    ['tool', 'Read src/app.py'],
    ['tool', 'Edit src/app.py'],
    ['retry', 'the provider made it wait: overloaded (529)'],
    ['model_switched', 'sonnet instead of opus: it is overloaded'],
  ])
  assert.ok(heartbeats.includes('Said at once after it.'), 'Temporal shows the latest')
})

test('the answer for the parser is no text for people, and a stream that goes on after it is [S2-24]', async (t) => {
  const { lines } = await streamed(t, [
    text('{"results": [{"issue_code"'),
    text('it is fixed, says the second piece'),
    { kind: 'tool', name: 'Bash' },
    text('Now the tests run.'),
  ])
  assert.deepEqual(lines, [
    ['tool', 'Bash'],
    ['text', 'Now the tests run.'],
  ])
})

test('a long line is cut after its secrets were masked, and one with a secret is in no heartbeat [S4-17]', async (t) => {
  const token = OF_THE_DETECTOR.npm ?? ''
  const { lines, heartbeats } = await streamed(t, [text(`${'x '.repeat(70)}${token} ${'y '.repeat(90)}`)])
  const [[, line = ''] = []] = lines
  assert.equal(line.length, 160)
  assert.match(line, /«secret:/)
  assert.ok(!line.includes(secretPart(token).slice(0, 12)))
  assert.deepEqual(heartbeats, [])
})
