// What the last line of a terminal says of a running session, and how notices are broken into lines.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProgressReport } from '../../../src/app/session/session-progress.ts'
import {
  describeLanding,
  describeLanes,
  describeProgress,
  formatLiveBlock,
  formatLiveLine,
} from '../../../src/cli/terminal/describe-progress.ts'
import { foldText } from '../../../src/cli/terminal/fold-text.ts'
import { measureWidth } from '../../../src/domain/text/display-width.ts'

const AT = Date.parse('2026-11-19T10:00:00Z')
const PATH = 'packages/administration-console/src/features/subscriptions/RenewalReminder.tsx'

const progress: ProgressReport = {
  doing: 'fixing',
  agent: 'fixer',
  codes: ['FE-001', 'FE-002'],
  since: '2026-11-19T09:59:19Z',
  last_tool: `Edit ${PATH}`,
  last_path: PATH,
  last_event_at: '2026-11-19T09:59:50Z',
  batch: { number: 2, of: 5, label: 'FE 2/3' },
  lanes: [],
  issues: { total: 12, to_come: 5, in_work: 2, judged: 2, resolved: 2, failed: 1, skipped: 0 },
  cost_usd: 0.42,
  cost_partial: false,
  tokens: 12_345,
}

describe('the live line', () => {
  test('says batch, issues, agent, seconds, tool, tokens and cost, and the file keeps its name at 80 and 100 columns', () => {
    assert.equal(
      formatLiveLine(progress, 100, AT),
      'batch 2/5 · 3/12 issues · fixer 41 s · Edit packages/ad…/RenewalReminder.tsx · 12k tokens · 0.42 USD',
    )
    assert.equal(
      formatLiveLine(progress, 80, AT),
      'batch 2/5 · 3/12 issues · fixer 41 s · Edit pack…/RenewalReminder.tsx · 0.42 USD',
    )
    assert.match(formatLiveLine(progress, 60, AT), /^batch 2\/5 · 3\/12 issues · fixer 41 s$/)
  })

  test('never takes more than its columns, also with wide characters, and a command is cut at its end', () => {
    const wide = {
      ...progress,
      last_tool: '編集 src/日本語/とても長い名前のファイル.ts',
      last_path: 'src/日本語/とても長い名前のファイル.ts',
    }
    const command = { ...progress, last_tool: `Bash ${'npm test -- '.repeat(20)}`, last_path: null }
    for (let columns = 20; columns < 140; columns += 1) {
      for (const each of [progress, wide, command]) {
        const line = formatLiveLine(each, columns, AT)
        assert.ok(measureWidth(line) <= columns, `${columns}: ${line}`)
      }
    }
    assert.match(formatLiveLine(command, 90, AT), /Bash npm test -- npm test … · 12k tokens · 0\.42 USD$/)
  })

  test('is a sentence where there is no terminal', () => {
    assert.equal(
      describeProgress(progress, AT),
      `batch 2 of 5 · 3 of 12 issues done · fixer on FE-001, FE-002 for 41 s · last: Edit ${PATH} · 12k tokens · 0.42 USD`,
    )
    const early = { ...progress, agent: null, doing: 'opening', codes: [], batch: null, last_tool: null, tokens: 0 }
    assert.equal(describeProgress(early, AT), '3 of 12 issues done · opening for 41 s')
  })
})

describe('a session with several lanes', () => {
  const lane = { ...progress, lane: 1, batch: { number: 2, of: 5, label: 'FE 2/3' }, attempt: 1, lands: false }
  const ready = { ...lane, lane: 2, batch: { number: 3, of: 5, label: 'FE 3/3' }, codes: ['FE-003'], attempt: 2 }
  const lanes = [lane, { ...ready, agent: null, doing: 'passed, waits to land', last_tool: null, lands: true }]
  const both = { ...progress, lanes }

  test('has a line for each, and one for all of them', () => {
    assert.deepEqual(formatLiveBlock(both, { columns: 90, rows: 10, now: AT }), [
      '3/12 issues · 1 to land · 12k tokens · 0.42 USD',
      'lane 1 · batch 2/5 · FE-001, FE-002 · fixer 41 s · Edit packages/admi…/RenewalReminder.tsx',
      'lane 2 · batch 3/5 · FE-003 · attempt 2 · passed, waits to land 41 s',
    ])
    assert.deepEqual(formatLiveBlock(progress, { columns: 80, rows: 10, now: AT }), [formatLiveLine(progress, 80, AT)])
  })

  test('never takes more than its columns and rows', () => {
    for (let columns = 20; columns < 140; columns += 1) {
      for (const line of formatLiveBlock(both, { columns, rows: 10, now: AT })) {
        assert.ok(measureWidth(line) <= columns, `${columns}: ${line}`)
      }
    }
    const many = { ...both, lanes: Array.from({ length: 16 }, (_, index) => ({ ...lane, lane: index + 1 })) }
    const block = formatLiveBlock(many, { columns: 80, rows: 8, now: AT })
    assert.deepEqual([block.length, block.at(-1)], [8, 'and 10 more lanes'])
  })

  test('is a sentence each where there is no terminal, with what waits to land', () => {
    assert.equal(describeProgress(both, AT), '3 of 12 issues done · 1 to land · 12k tokens · 0.42 USD')
    assert.deepEqual(describeLanes(both, AT), [
      `lane 1: batch 2 of 5 · fixer on FE-001, FE-002 for 41 s · attempt 1 · last: Edit ${PATH}`,
      'lane 2: batch 3 of 5 · passed, waits to land on FE-003 for 41 s · attempt 2',
    ])
    assert.equal(describeLanding(both), 'batch 3 (FE-003)')
    assert.equal(describeLanding({ ...both, lanes: [lane] }), undefined)
  })
})

test('notices are broken between words, keep their indent, and a long address stays whole', () => {
  assert.equal(foldText('  one two three four', 11), '  one two\n    three\n    four')
  assert.equal(
    foldText('see http://127.0.0.1:8233/a-long-address now', 20),
    'see\n  http://127.0.0.1:8233/a-long-address\n  now',
  )
  assert.equal(foldText('short\nlines', 10), 'short\nlines')
  assert.equal(foldText('日本 日本 日本', 9), '日本 日本\n  日本')
})
