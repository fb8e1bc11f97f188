import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createCodeHasher } from '../../../src/integrations/importers/fingerprint.ts'
import { filesOf, importedFrom } from './support.ts'

interface Line {
  readonly text: string
  readonly results: number
}

const line = fc.record({ text: fc.constantFrom('a = 1', 'a  =  1', 'b()', '', 'return x', '}'), results: fc.nat(2) })
const program = fc.array(line, { minLength: 1, maxLength: 12 })

function rdjson(lines: readonly Line[], path = 'src/a.py') {
  const diagnostics = lines.flatMap(({ results }, index) =>
    Array.from({ length: results }, (_, nth) => ({
      message: `m${nth}`,
      location: { path, range: { start: { line: index + 1, column: nth + 1 } } },
      code: { value: 'R' },
    })),
  )
  return { source: { name: 'Tool' }, diagnostics }
}

async function printsOf(lines: readonly Line[], report: object = rdjson(lines)): Promise<string[]> {
  const content = lines.map(({ text }) => text).join('\n')
  const { findings } = await importedFrom(report, filesOf({ 'src/a.py': content }))
  return findings.map(({ finding, origin }) => `${finding.issue_code} ${finding.title} ${origin?.fingerprint}`)
}

test('fingerprints and codes stay the same while lines are inserted above', async () => {
  const above = fc.array(fc.integer(), { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(program, above, async (lines, numbers) => {
      // A line that is equal to one below would be counted before it.
      const inserted = numbers.map((number) => ({ text: `new_${number}()`, results: 0 }))
      assert.deepEqual(await printsOf([...inserted, { text: '', results: 0 }, ...lines]), await printsOf(lines))
    }),
  )
})

test('fingerprints and codes do not depend on the order of a report, and equal results have codes of their own', async () => {
  await fc.assert(
    fc.asyncProperty(program, fc.infiniteStream(fc.nat()), async (lines, random) => {
      const report = rdjson(lines)
      const order = report.diagnostics
        .map((each) => ({ each, by: random.next().value }))
        .sort((one, two) => one.by - two.by)
      const shuffled = { ...report, diagnostics: order.map(({ each }) => each) }
      const prints = await printsOf(lines)
      assert.deepEqual((await printsOf(lines, shuffled)).sort(), prints.toSorted())
      assert.equal(new Set(prints).size, prints.length)
    }),
  )
})

test('createCodeHasher: only what is not blank counts, and equal code is numbered', () => {
  const hash = createCodeHasher('a = 1\r\n\r\n  a=1\nb\n')
  assert.notEqual(hash(1), hash(3))
  assert.equal(createCodeHasher('b\n')(1), createCodeHasher('\n\n  b')(3))
  assert.deepEqual([hash(0), hash(99), hash(Number.NaN)], [undefined, undefined, undefined])
  const twice = createCodeHasher(`${'x'.repeat(120)}\n${'x'.repeat(120)}`)
  assert.deepEqual([twice(1)?.replace(/:0$/, ''), true], [twice(2)?.replace(/:1$/, ''), true])
})
