// A stream that is longer than its file may be: what is kept of it is whole characters, and what fits after all is whole.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { closeWhenQuiet, writeOutputToFile } from '../../../src/platform/processes/output-to-file.ts'

async function spilled(t: TestContext, chunks: readonly Buffer[], maxBytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-spill-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'out')
  await using handle = await open(file, 'w')
  const lines: string[] = []
  const { bytes, cutBytes } = await writeOutputToFile(Readable.from(chunks), handle, { maxBytes }, (line) =>
    lines.push(line),
  )
  return { bytes, cut: cutBytes, text: readFileSync(file, 'utf8'), lines }
}

const MOST_OF_AN_END = 2 ** 20

test('what is a little longer than it may be is whole, wherever its characters and lines lie [S4-15]', async (t) => {
  const text = 'one\ntwo €😀\nthree\n'
  const bytes = Buffer.from(text)
  for (let maxBytes = 0; maxBytes <= bytes.length; maxBytes += 1) {
    for (const size of [1, 5, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      const kept = await spilled(t, chunks, maxBytes)
      assert.deepEqual(kept, { bytes: bytes.length, cut: 0, text, lines: ['one', 'two €😀', 'three'] })
    }
  }
})

test('where something is left out, no character is cut on either side of it [S4-15]', async (t) => {
  for (const maxBytes of [8, 9, 10, 11, 12]) {
    const flood = Buffer.from(`start 😀${'é'.repeat(MOST_OF_AN_END)}\nend\n`)
    for (const chunks of [[flood], [flood.subarray(0, maxBytes), flood.subarray(maxBytes)]]) {
      const { bytes, cut, text, lines } = await spilled(t, chunks, maxBytes)
      assert.match(text, /^start 😀é?\n… \d+ bytes left out …\nend\n$/)
      assert.equal(lines.join('\n'), text.trimEnd())
      const remark = `\n… ${cut} bytes left out …\n`
      assert.equal(Buffer.byteLength(text) - Buffer.byteLength(remark) + cut, bytes)
    }
  }
})

test('a pipe whose writer has ended is read to its end, also where the time was over before anybody came to read it', async () => {
  const writer = spawn('sh', ['-c', 'echo out'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const read = text(writer.stdout)
  const closing = closeWhenQuiet([writer.stdout], 20)
  // A busy machine: nothing is read meanwhile.
  execFileSync('sleep', ['0.2'])
  assert.equal(await read.finally(closing.stop), 'out\n')
})

test('a pipe that somebody else holds open is closed when nothing comes on it any more', async () => {
  const writer = spawn('sh', ['-c', 'echo out; sleep 97 &'], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const chunks: Buffer[] = []
  writer.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const closed = once(writer.stdout, 'close')
  closeWhenQuiet([writer.stdout], 20)
  await closed
  process.kill(-(writer.pid ?? 0), 'SIGKILL')
  assert.equal(`${Buffer.concat(chunks)}`, 'out\n')
})
