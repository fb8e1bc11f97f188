// What the last line of a terminal says of a running session, and how notices are broken into lines.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProgressReport } from '../../../src/app/session/session-progress.ts'
import { describeProgress, formatLiveLine } from '../../../src/cli/terminal/describe-progress.ts'
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

test('notices are broken between words, keep their indent, and a long address stays whole', () => {
  assert.equal(foldText('  one two three four', 11), '  one two\n    three\n    four')
  assert.equal(
    foldText('see http://127.0.0.1:8233/a-long-address now', 20),
    'see\n  http://127.0.0.1:8233/a-long-address\n  now',
  )
  assert.equal(foldText('short\nlines', 10), 'short\nlines')
  assert.equal(foldText('日本 日本 日本', 9), '日本 日本\n  日本')
})
