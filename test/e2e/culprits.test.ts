// Several right fixes and one that breaks the checks, all called good by the challenger: who is committed, and what the others are told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'

const NAMES = ['round_up', 'is_adult', 'page_size', 'share'] as const
const WRONG: Readonly<Record<(typeof NAMES)[number], string>> = {
  round_up: 'a // b',
  is_adult: 'a > b',
  page_size: 'a + b - 1',
  share: 'a / b',
}
const RIGHT: typeof WRONG = {
  round_up: '-(-a // b)',
  is_adult: 'a >= b',
  page_size: 'a + b',
  share: 'a / b if b else 0',
}
const SHARED = NAMES.map((name) => `def ${name}(a, b):\n    return ${WRONG[name]}\n`).join('\n\n')
/** What the old test expects of `page_size` is what the finding calls wrong. */
const SUITE = `import unittest
from ledger.shared import is_adult, page_size, round_up, share


class Shared(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual((round_up(4, 2), share(4, 2), is_adult(19, 18)), (2, 2, True))

    def test_page_size(self):
        self.assertEqual(page_size(2, 2), 3)
`
const CHECK = 'python3 -B -m unittest test_shared'

const finding = (code: string, file: string, line: number, title: string) => ({
  issue_code: code,
  title,
  description: `${title}.`,
  file,
  line: String(line),
  severity: 'medium',
})

test('four fixes in one file, one of which fails an old test, and one in two files: all but that one are committed [C3]', async (t) => {
  const files = {
    'ledger/shared.py': SHARED,
    'test_shared.py': SUITE,
    'ledger/one.py': 'ONE = 0\n',
    'ledger/two.py': 'TWO = 0\n',
    'ledger/constants.py': 'from ledger.one import ONE\nfrom ledger.two import TWO\n',
  }
  const inShared = NAMES.map((name, index) =>
    finding(`S-00${index + 1}`, 'ledger/shared.py', 2 + index * 4, `${name} is wrong`),
  )
  const stage = await setMadeStage(t, 1, {
    files,
    change: ({ scenario }) => {
      for (const [index, name] of NAMES.entries()) {
        const edit = {
          tool: 'edit',
          file: 'ledger/shared.py',
          old: `return ${WRONG[name]}\n`,
          new: `return ${RIGHT[name]}\n`,
        } as const
        scenario.issues[`S-00${index + 1}`] = { fixes: [{ steps: [edit], summary: `Corrected ${name}.` }] }
      }
      const both = ['one', 'two'].map((name) => {
        return { tool: 'write', file: `ledger/${name}.py`, content: `${name.toUpperCase()} = 1\n` } as const
      })
      scenario.issues['S-005'] = {
        fixes: [{ steps: both, reply: { file_modified: 'ledger/one.py,ledger/two.py' } }],
        proof: [{ file: 'ledger/two.py' }],
      }
    },
  })
  const issues = [...inShared, finding('S-005', 'ledger/constants.py', 1, 'two constants are wrong')]
  const { result } = await stage.fix({ issues }, { args: ['--verify', CHECK], status: 1 })
  assert.deepEqual(
    result?.results.map(({ issue_code, status }) => `${issue_code} ${status}`),
    ['S-001 completed', 'S-002 completed', 'S-003 failed', 'S-004 completed', 'S-005 completed'],
  )
  assert.match(
    result?.results[2]?.error ?? '',
    /^verification failed: python3 .*test_page_size.*; without it the rest passes$/,
  )
  const text = stage.git('show', `${result?.branch_name}:ledger/shared.py`)
  for (const name of NAMES) assert.ok(text.includes(`return ${(name === 'page_size' ? WRONG : RIGHT)[name]}`), name)

  const events = await stage.events(result?.session_id ?? '')
  assert.ok(
    events.every(({ data }) => !('iteration' in data) || Number(data.iteration) <= 2),
    'no third attempt',
  )
  const challenged = events.filter(({ type }) => type === 'fix_challenger_evaluating')
  assert.deepEqual(
    challenged.map(({ data }) => ('codes' in data ? data.codes?.length : undefined)),
    [5, 4],
    'the first round is not challenged, nor are trees that are only tried',
  )
  await checkInvariants(stage, 'one-culprit')
})
