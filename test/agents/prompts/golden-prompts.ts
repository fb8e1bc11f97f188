// One prompt of each role, in each form in which it is sent, for the same four findings in a small shop. They are kept as text in
// `golden/`, so that a change of words is seen in review; docs/development/prompts.md says how.
import { join } from 'node:path'
import { loadAgentDefinitions } from '../../../src/agents/definitions.ts'
import { renderChallengerPrompt } from '../../../src/agents/prompts/challenger.ts'
import { renderClarifierPrompt, renderPlannerPrompt } from '../../../src/agents/prompts/clarifier-and-planner.ts'
import { renderFixerPrompt, renderReFixerPrompt, renderSubAgentPrompt } from '../../../src/agents/prompts/fixer.ts'
import { renderChangedPlaces, renderCodeUses } from '../../../src/agents/prompts/parts/changed-places.ts'
import type { SourceFile } from '../../../src/agents/prompts/parts/code-excerpts.ts'
import {
  renderBranchPrompt,
  renderCommitterPrompt,
  renderRepairPrompt,
} from '../../../src/agents/prompts/repair-and-naming.ts'
import {
  type LeadPromptInput,
  renderExpertPrompt,
  renderLeadPrompt,
  renderVerifierPrompt,
} from '../../../src/agents/prompts/review.ts'
import { renderVoterPrompt } from '../../../src/agents/prompts/voter.ts'
import type { Issue } from '../../../src/domain/issue/issue.ts'
import type { ReviewFinding } from '../../../src/domain/review/finding.ts'
import type { FixClaim } from '../../../src/domain/stage/reply-schemas.ts'

export const agents = loadAgentDefinitions(join(import.meta.dirname, '../../../agents'))

const BASKET = `from decimal import Decimal

from shop.prices import price_of


class Basket:
    def __init__(self):
        self.items = []

    def add(self, code, count=1):
        self.items.append((code, count))

    def total(self, voucher=None):
        total = sum(price_of(code) * count for code, count in self.items)
        if voucher is not None:
            total = total - total * voucher.percent / 100
        return total

    def average(self):
        return self.total() / len(self.items)
`
const PRICES = `import sqlite3

CONNECTION = sqlite3.connect('shop.db')


def price_of(code):
    row = CONNECTION.execute(f"SELECT price FROM prices WHERE code = '{code}'").fetchone()
    return row[0]


def all_prices():
    return CONNECTION.execute('SELECT code, price FROM prices').fetchall()
`
const ORDERS = `import json


def load(path):
    try:
        return json.loads(open(path).read())
    except Exception:
        return {}
`

function issueOf(issue_code: string, file: string, line: string, text: readonly [string, string, string]): Issue {
  const [title, description, suggested_fix] = text
  return { issue_id: issue_code, issue_code, file, line, title, description, suggested_fix, severity: 'high' }
}

const issues: readonly Issue[] = [
  issueOf('SHOP-1', 'shop/basket.py', '19-20', [
    'The average of an empty basket divides by zero',
    'average() raises ZeroDivisionError for a basket without items, which the checkout page shows as an error.',
    'Return Decimal(0) for an empty basket.',
  ]),
  issueOf('SHOP-2', 'shop/basket.py', '15-16', [
    'A voucher of more than 100 percent makes the total negative',
    'total() never checks the range of voucher.percent.',
    'Clamp the percent to 0..100.',
  ]),
  issueOf('SHOP-3', 'shop/prices.py', '7', [
    'SQL injection in price_of',
    'The code of an article comes from the URL and is put into the statement as text.',
    'Use a bound parameter.',
  ]),
  issueOf('SHOP-4', 'shop/orders.py', '7-8', [
    'A broken order file counts as an empty order',
    'load() turns every failure into an empty order; the file handle is never closed.',
    'Let the error through, and use a context manager.',
  ]),
]
const codes = issues.map(({ issue_code }) => issue_code)
const steps = [['SHOP-1', 'SHOP-3', 'SHOP-4'], ['SHOP-2']]
const text = (content: string): SourceFile => ({ kind: 'text', text: content })
const sources = new Map([
  ['shop/basket.py', text(BASKET)],
  ['shop/prices.py', text(PRICES)],
  ['shop/orders.py', text(ORDERS)],
])
const conventions = `CLAUDE.md:
# Working on the shop

- Python 3.12, type hints on public functions, no new dependencies.
- Money is a Decimal, never a float.
- Tests live in tests/, named after the module; run them with pytest -q.
- Errors are raised with the article's code in the message.`

const frame = { blockId: 'a1b2c3d4e5f60718', iteration: 1, base: 'main' }
const notes = 'The checkout page must keep working with old vouchers.'
const checks = ['ruff check .', 'pytest -q']
const clarifications = [
  {
    ...{ id: 'SHOP-2-q1', issue_code: 'SHOP-2', question: 'Is a voucher of 100 percent allowed?' },
    ...{ context: 'shop/basket.py:16', answer: 'Yes, for staff.', answered_by: 'ann', answered_at: '2026-11-18' },
  },
]
const brief = {
  clarifications,
  plans: {
    'SHOP-3': {
      context: { snippets: [], related_files: ['tests/test_prices.py'], existing_patterns: [] },
      approach: 'Bind the code instead of formatting it into the statement.',
      steps: ['shop/prices.py: pass (code,) to execute'],
      verification: ["price_of(\"x' OR '1'='1\") raises"],
    },
  },
  notes: { 'SHOP-3': 'Keep the name price_of.' },
  remarks: [],
}
const bounds = {
  mayChange: [],
  needPerson: ['pyproject.toml', 'shop/.env'],
  redBefore: [
    { command: 'pytest -q', outcome: 'failed with exit status 1', tests: ['tests/test_stock.py::test_sync'] },
  ],
  seconds: 900,
  checkSeconds: 600,
  network: 'open',
  setup: ['pip install -e .'],
} as const
const fixing = {
  ...frame,
  stepId: 's1.i1.b1.fix',
  kind: 'backend',
  issues,
  steps,
  notes,
  checks,
  bounds,
  sources,
} as const
const todo = { folder: '/home/s/fix_session_s', master: '/home/s/fix_session_s/master_todo.json' }

const diff = `diff --git a/shop/basket.py b/shop/basket.py
--- a/shop/basket.py
+++ b/shop/basket.py
@@ -17,4 +17,6 @@ class Basket:
         return total
 
     def average(self):
+        if not self.items:
+            return Decimal(0)
         return self.total() / len(self.items)
diff --git a/shop/prices.py b/shop/prices.py
--- a/shop/prices.py
+++ b/shop/prices.py
@@ -4,7 +4,7 @@ CONNECTION = sqlite3.connect('shop.db')
 
 
 def price_of(code):
-    row = CONNECTION.execute(f"SELECT price FROM prices WHERE code = '{code}'").fetchone()
+    row = CONNECTION.execute('SELECT price FROM prices WHERE code = ?', (code,)).fetchone()
     return row[0]
 
 
`
const claims: readonly FixClaim[] = [
  {
    ...{ issue_code: 'SHOP-1', status: 'fixed', file_modified: ['shop/basket.py:20-21'] },
    changes_summary: 'An empty basket has an average of Decimal(0).',
    self_evaluation: { confidence: 90, completeness: 'full', risks: [] },
  },
  {
    ...{ issue_code: 'SHOP-3', status: 'fixed', file_modified: ['shop/prices.py'] },
    changes_summary: 'The code is bound. SHOP-3-p1 does not hold: tests/test_prices.py:12 covers an unknown code.',
    self_evaluation: { confidence: 95, completeness: 'full', risks: ['none seen'] },
  },
]
const verdicts = {
  'SHOP-3': {
    score: 70,
    status: 'IN_PROGRESS',
    feedback: 'The statement is bound now; an unknown code still raises a TypeError.',
    improvements_needed: ['Handle the missing row.'],
    points: [{ id: 'SHOP-3-p1', blocker: true, text: 'row is None for an unknown code', settled: false }],
  },
}
const verification = [
  {
    ...{
      command: 'pytest -q',
      outcome: 'failed with exit status 1',
      newly_broken: ['tests/test_prices.py::test_bound'],
    },
    ...{ output: 'E   TypeError: NoneType is not subscriptable\n1 failed, 11 passed', output_id: 'abc' },
  },
]
const judging = { ...frame, stepId: 's1.i1.challenge', issues, diff, claims, clarifications, notes, conventions }

const judged = new Map([
  [
    'shop/basket.py',
    text(
      BASKET.replace(
        '        return self.total() /',
        '        if not self.items:\n            return Decimal(0)\n        return self.total() /',
      ),
    ),
  ],
  [
    'shop/prices.py',
    text(
      PRICES.replace(
        'f"SELECT price FROM prices WHERE code = \'{code}\'"',
        "'SELECT price FROM prices WHERE code = ?', (code,)",
      ),
    ),
  ],
])
const uses = renderCodeUses([
  { name: 'average', path: 'tests/test_basket.py', line: 31, text: '    assert basket.average() == Decimal(7)' },
  {
    name: 'average',
    path: 'shop/checkout.py',
    line: 12,
    text: "    return render('checkout', average=basket.average())",
  },
])
const checkResults = [
  { command: 'ruff check .', before: 'passed', after: 'passed' },
  {
    command: 'pytest -q',
    before: 'failed: exit status 1',
    after: 'passed',
    now_passing: ['tests/test_basket.py::test_empty'],
  },
]

const beside = { renderPlaces: (limit: number) => renderChangedPlaces(diff, judged, limit), uses, checkResults }

const [BEFORE_CHANGE, REVIEWED] = [
  '1b2c3d4e5f6071829304a5b6c7d8e9f001122334',
  '9f8e7d6c5b4a39281706f5e4d3c2b1a009988776',
]
const reviewing: LeadPromptInput = {
  ...{ blockId: frame.blockId, iteration: 1, stepId: 'review', notes, conventions },
  change: {
    ...{ head: REVIEWED, base: BEFORE_CHANGE, diffs: '/home/s/diffs', spec: 'specs/basket' },
    files: [
      { path: 'shop/basket.py', kind: 'modified', diff: '/home/s/diffs/1.diff' },
      { path: 'shop/tariffs.py', from: 'shop/rates.py', kind: 'renamed', diff: '/home/s/diffs/2.diff' },
      { path: 'shop/logo.png', kind: 'added' },
    ],
  },
  experts: ['language', 'spec', 'be-quality'],
  earlier: [
    {
      ...{ id: 'fx-a:F002', file: 'shop/basket.py', quote: 'return total' },
      ...{
        title: 'A voucher makes the total negative',
        failure: 'With a voucher of 120 percent, total() is negative.',
      },
    },
  ],
  dismissed: [
    {
      ...{
        id: 'fx-a:F003',
        file: 'shop/prices.py',
        quote: 'return row[0]',
        title: 'An unknown code crashes',
        failure: 'row is None',
      },
      reason: 'every code comes from the table',
    },
  ],
}
const found: ReviewFinding = {
  ...{
    id: 'F001',
    alias: 'be-quality-1',
    file: 'shop/basket.py',
    side: 'new',
    quote: 'return self.total() / len(self.items)',
  },
  ...{ anchor: { kind: 'anchored', line: 20, end_line: 20 }, title: 'The average of an empty basket divides by zero' },
  ...{
    failure: 'With no items, average() raises ZeroDivisionError.',
    effect: 'crash',
    reach: 'realistic',
    severity: 'high',
  },
  ...{ origin: 'introduced', category: 'correctness', experts: ['be-quality'], group: 0 },
}
const voting = {
  ...{ blockId: frame.blockId, stepId: 'vote', conventions, messages: ['feat: give the basket an average'] },
  change: {
    base: BEFORE_CHANGE,
    head: REVIEWED,
    files: [
      { path: 'shop/basket.py', kind: 'modified' },
      { path: 'web/basket.tsx', kind: 'added' },
    ],
  },
} as const

/** By the name of the file in `golden/`. */
export function renderGoldenPrompts(): Record<string, string> {
  const solvedThreshold = 90
  const talking = { ...frame, issues, notes, conventions, sources }
  const again = { ...fixing, stepId: 's1.i2.b1.fix', iteration: 2, feedback: verdicts, verification, diff, claims }
  const challenge = { ...judging, solvedThreshold }
  const denied: FixClaim = {
    issue_code: 'SHOP-4',
    status: 'false_positive',
    changes_summary: 'main.py:9 checks the file.',
  }
  const onlyDenied = { ...challenge, issues: issues.slice(3), diff: '', claims: [denied], falsePositives: ['SHOP-4'] }
  return {
    fixer: renderFixerPrompt(agents, { ...fixing, conventions, brief, requireTest: true }),
    'fixer.one-call': renderFixerPrompt(agents, { ...fixing, brief, todo, kind: 'both', isResuming: true }),
    'fixer.one-plain': renderFixerPrompt(agents, { ...fixing, conventions }),
    're-fixer': renderReFixerPrompt(agents, { ...again, conventions, brief, tree: 'The tree holds the work so far.' }),
    're-fixer.resumed': renderReFixerPrompt(agents, {
      ...again,
      brief,
      tree: 'As you left it.',
      isResuming: true,
      holdsGuidelines: true,
    }),
    'sub-agent': renderSubAgentPrompt(agents, { ...fixing, conventions, requireTest: true }),
    'challenger.diff': renderChallengerPrompt(agents, challenge),
    'challenger.context': renderChallengerPrompt(agents, { ...challenge, beside }),
    'challenger.tree': renderChallengerPrompt(agents, {
      ...challenge,
      beside: { ...beside, tree: { folder: '/home/s/judged', files: 40, omitted: 2 } },
    }),
    'challenger.whole': renderChallengerPrompt(agents, { ...challenge, whole: true, earlier: verdicts }),
    'challenger.false-positive': renderChallengerPrompt(agents, { ...onlyDenied, sources }),
    'challenger.repair': renderChallengerPrompt(agents, {
      ...challenge,
      repair: { problem: 'no score', answer: '{}' },
    }),
    clarifier: renderClarifierPrompt(agents, {
      ...{ ...talking, stepId: 's1.clarify.1' },
      earlierQuestions: [{ id: 'general-q1', question: 'Which Python?', answer: '3.12' }],
    }),
    planner: renderPlannerPrompt(agents, { ...talking, stepId: 's1.plan.1', steps, clarifications }),
    'git-branch-creator': renderBranchPrompt(agents, { ...frame, stepId: 'branch', issues }),
    'git-committer': renderCommitterPrompt(agents, { ...frame, stepId: 'commit', issues, commits: [['SHOP-1']], diff }),
    'review-lead': renderLeadPrompt(agents, reviewing),
    'review-lead.again': renderLeadPrompt(agents, {
      ...{ ...reviewing, stepId: 'review.restart', iteration: 2, earlier: [], dismissed: [] },
      problem: 'the expert spec has not ended',
    }),
    'reviewer-be-quality': renderExpertPrompt(agents, 'be-quality', reviewing),
    'reviewer-spec': renderExpertPrompt(agents, 'spec', { ...reviewing, dismissed: [] }),
    'review-verifier': renderVerifierPrompt(agents, { ...reviewing, stepId: 'verify.1', findings: [found] }),
    'voter-claude': renderVoterPrompt(agents, {
      ...{ ...voting, voter: 'claude' },
      shows: { kind: 'command', command: `git diff --find-renames ${BEFORE_CHANGE} ${REVIEWED}` },
    }),
    'voter-gemini': renderVoterPrompt(agents, {
      ...{ ...voting, voter: 'gemini' },
      shows: { kind: 'diff', diff, tree: '/home/s/voters/gemini', omitted: 2 },
    }),
    'voter-gemini.repair': renderVoterPrompt(agents, {
      ...{ ...voting, voter: 'gemini' },
      shows: { kind: 'diff', diff, tree: '/home/s/voters/gemini', omitted: 0 },
      repair: { problem: 'web/basket.tsx is neither in reviewed nor in not_reviewed', answer: '{"vote":80}' },
    }),
    repair: renderRepairPrompt({
      ...{ ...frame, stepId: 's1.i1.b1.fix.repair', role: 'fixer', reply: 'fix', codes },
      ...{ problem: 'the JSON breaks off before its end', answer: '{"results":[' },
    }),
  }
}
