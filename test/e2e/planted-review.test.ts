// Forty-four issues are planted in twelve pairs of files. Every finding ends by its id in exactly one state, and what was turned down stays so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { DUPLICATES, PAIRS, PLANTED } from '../support/planted.ts'
import { listDuplicates, reviewPlanted, reviewPushes, setPlantedStage } from '../support/planted-reviews.ts'

test('every planted finding ends in exactly one of confirmed, refuted, unverified and merged, and none is lost or raised again [S3-1] [S3-3]', {
  timeout: 300_000,
}, async (t) => {
  assert.deepEqual([Object.keys(PAIRS).length, PLANTED.length], [12, 44])
  const stage = await setPlantedStage(t)
  const record = await reviewPlanted(stage)
  const ids = record.findings.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(
    record.findings.map(({ alias }) => alias).sort(),
    [...PLANTED.map(({ id }) => `language-${id}`), ...DUPLICATES.map(({ id }) => `be-quality-${id}`)].sort(),
  )
  const by = new Map(record.findings.map((each) => [each.id, each]))
  const merged = record.findings.flatMap(({ title, verdict }) =>
    verdict.state === 'merged' ? [{ title, verdict }] : [],
  )
  assert.equal(merged.length, DUPLICATES.length)
  for (const { title, verdict } of merged) {
    const into = by.get(verdict.into)
    assert.equal(into?.title, title)
    assert.notEqual(into?.verdict.state, 'merged')
    assert.deepEqual(into?.experts.toSorted(), ['be-quality', 'language'])
  }
  assert.deepEqual(listDuplicates(record), [])
  const states = Map.groupBy(record.findings, ({ verdict }) => verdict.state)
  assert.deepEqual([...states.keys()].sort(), ['confirmed', 'merged', 'refuted', 'unverified'])

  const place = (name: string) => {
    const found = record.findings.find(({ alias }) => alias === `language-${name}`)
    const { anchor } = found ?? {}
    return anchor === undefined || anchor.kind === 'unanchored'
      ? anchor?.kind
      : `${found?.file}:${anchor.line} ${anchor.kind}`
  }
  const places: Readonly<Record<string, string>> = {
    'src/repeated.py-by its number': 'src/repeated.py:4 anchored',
    'src/repeated.py-without a number': 'unanchored',
    'src/repeated.py-beyond the end': 'unanchored',
    'src/windows.py-two lines': 'src/windows.py:1 anchored',
    'src/windows.py-at the wrong line': 'src/windows.py:2 moved',
    'src/renamed.py-by its old name': 'src/renamed.py:5 anchored',
    'src/renamed.py-as it was': 'src/old_name.py:1 anchored',
    'src/gone.py-on the old side': 'src/gone.py:1 anchored',
    'src/gone.py-on the wrong side': 'unanchored',
    'src/less.py-a deleted line': 'src/less.py:2 anchored',
    'assets/logo.bin-a binary file': 'unanchored',
    'assets/logo.bin-outside': 'unanchored',
    'src/huge.py-at its end': 'src/huge.py:5000 anchored',
    'src/huge.py-off by three': 'src/huge.py:2500 moved',
    'src/huge.py-a file that is not there': 'unanchored',
    'src/huge.py-a range': 'src/huge.py:31 anchored',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(places).map((name) => [name, place(name)])), places)

  // Over five pushes: npm run bench:reviews.
  const pushed = await reviewPushes(stage, record, 1)
  assert.ok(pushed.dismissed > 3, `${pushed.dismissed}`)
  assert.deepEqual([pushed.raised, pushed.duplicates], [[], []])
  await checkInvariants(stage)
})
