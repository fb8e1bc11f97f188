// What of an agent's stream becomes an event, and what only a heartbeat.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { takeTextRoom } from '../../../src/activities/agent-call/limit-text.ts'
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
  return { heartbeats, data: events.map(({ data }) => data), lines: events.map(({ data }) => [data.kind, data.text]) }
}

const text = (said: string): Progress => ({ kind: 'text', text: said })
const piece = (said: string): Progress => ({ kind: 'text', text: said, isPiece: true })

test('whole lines of what an agent says are streamed, and each use of a tool [S2-24]', async (t) => {
  const long = `It is ${'long '.repeat(60)}and whole.`
  const { lines, heartbeats } = await streamed(t, [
    text(`First I look.\n\n  - The cause is in f.\n${long}`),
    text('Said at once after it, with a [link] and `code`.'),
    { kind: 'tool', name: 'Read', path: 'src/app.py' },
    { kind: 'tool', name: 'Edit', path: 'src/app.py' },
    { kind: 'tool', name: 'StructuredOutput' },
    piece('Cut any'),
    piece('where, it is one li'),
    piece('ne.\nAnd the ne'),
    { kind: 'retry', detail: 'overloaded (529)' },
    { kind: 'model_switched', from: 'opus', to: 'sonnet', because: 'it is overloaded' },
    piece('The last'),
  ])
  assert.deepEqual(lines, [
    ['text', 'First I look.'],
    ['text', '  - The cause is in f.'],
    ['text', long],
    ['text', 'Said at once after it, with a [link] and `code`.'],
    ['tool', 'Read src/app.py'],
    ['tool', 'Edit src/app.py'],
    ['text', 'Cut anywhere, it is one line.'],
    ['text', 'And the ne'],
    ['retry', 'the provider made it wait: overloaded (529)'],
    ['model_switched', 'sonnet instead of opus: it is overloaded'],
    ['text', 'The last'],
  ])
  assert.ok(heartbeats.includes('Said at once after it, with a [link] and `code`.'), 'Temporal shows the latest')
})

test('a session logs at most 4 KiB of text a second from all its calls; what is left out is counted, tools are all there [S2-24]', async (t) => {
  const { data } = await streamed(t, [
    text(Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(96)}`).join('\n')),
    { kind: 'tool', name: 'Read', path: 'src/app.py' },
  ])
  const said = data.filter(({ kind }) => kind === 'text')
  const bytes = said.reduce((sum, { text: line }) => sum + Buffer.byteLength(line), 0)
  assert.ok(bytes > 3_800 && bytes <= 4_200, `${bytes} bytes`)
  const tool = data.find(({ kind }) => kind === 'tool')
  assert.equal(tool?.left_out, 100 - said.length)
  assert.ok(
    said.every(({ text: line }, index) => line.startsWith(`${index} `)),
    'the first ones, whole',
  )
})

test('room for text comes back with time, and each session has its own', () => {
  const line = 'x'.repeat(1_024)
  const takes = (id: string, now: number) => [1, 2, 3, 4, 5].filter(() => takeTextRoom(id, line, now)).length
  assert.deepEqual([takes('fx-a', 0), takes('fx-b', 0)], [4, 4])
  assert.deepEqual([takes('fx-b', 250), takes('fx-a', 500), takes('fx-a', 500)], [1, 2, 0])
  assert.equal(takes('fx-a', 60_000), 4)
})

test('the answer for the parser is no text for people, and a stream that goes on after it is [S2-24]', async (t) => {
  const { lines } = await streamed(t, [
    text('Here it is:\n```json\n{\n"results": []\n}\n```\nThat was all.'),
    { kind: 'tool', name: 'Read' },
    piece('{"results": [{"issue_code"'),
    piece('it is fixed, says the second piece\n'),
    piece('and the third'),
    { kind: 'tool', name: 'Bash' },
    text('Now the tests run.'),
  ])
  assert.deepEqual(lines, [
    ['text', 'Here it is:'],
    ['tool', 'Read'],
    ['tool', 'Bash'],
    ['text', 'Now the tests run.'],
  ])
})

test('a long line is cut after its secrets were masked, and one with a secret is in no heartbeat [S4-17]', async (t) => {
  const token = OF_THE_DETECTOR.npm ?? ''
  const { lines, heartbeats } = await streamed(t, [
    text(`${'x '.repeat(490)}${token} ${'y '.repeat(90)}`),
    { kind: 'tool', name: 'Bash', detail: `${'x '.repeat(70)}${token} ${'y '.repeat(90)}` },
  ])
  for (const [index, most] of [1_000, 160].entries()) {
    const line = lines[index]?.[1] ?? ''
    assert.equal(line.length, most)
    assert.match(line, /«secret:/)
    assert.ok(!line.includes(secretPart(token).slice(0, 12)))
  }
  assert.deepEqual(heartbeats, [])
})

test('a private key is masked although each of its lines is one of the log', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const whole = `Look:\n${privateKey}\nThat was it.`
  const cut = whole.match(/[\s\S]{1,90}/g) ?? []
  for (const progress of [[text(whole)], cut.map(piece), cut.slice(0, -5).map(piece)]) {
    const { lines, heartbeats } = await streamed(t, progress)
    const said = [...lines.map(([, line]) => line), ...heartbeats].join('\n')
    assert.match(said, /Look:[\s\S]*«secret:/)
    assert.equal(said.includes('That was it.'), progress.length !== cut.length - 5)
    for (const line of privateKey.split('\n').filter((each) => each.length > 30)) {
      if (!line.startsWith('-----')) assert.ok(!said.includes(line.slice(0, 20)))
    }
  }
})
