// A prompt never gets longer than it may be: what gives way, in which order, and that the prompt says what is missing.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCallBlock, readDataBlocks } from '../../../rehearsal/prompt.ts'
import { loadAgentDefinitions } from '../../../src/agents/definitions.ts'
import { renderChallengerPrompt } from '../../../src/agents/prompts/challenger.ts'
import { renderClarifierPrompt, renderPlannerPrompt } from '../../../src/agents/prompts/clarifier-and-planner.ts'
import { type FixerPromptInput, renderFixerPrompt, renderReFixerPrompt } from '../../../src/agents/prompts/fixer.ts'
import type { SourceFile } from '../../../src/agents/prompts/parts/code-excerpts.ts'
import { type Issue, Severity } from '../../../src/domain/issue/issue.ts'

const agents = loadAgentDefinitions(join(import.meta.dirname, '../../../agents'))
const ID = 'a1b2c3d4e5f60718'
const lines = (word: string, characters: number) =>
  `${word} of some length\n`.repeat(Math.ceil(characters / (word.length + 16)))

function issueOf(code: string, severity: Severity, characters: number): Issue {
  const description = lines(`about ${code}`, characters)
  return {
    issue_id: code,
    issue_code: code,
    title: `Title of ${code}`,
    file: `src/${code}.py`,
    line: '3',
    severity,
    description,
    suggested_fix: description,
  }
}

function prompted(issues: readonly Issue[], more: Partial<FixerPromptInput> = {}, whole = 100_000) {
  const codes = issues.map(({ issue_code }) => issue_code)
  const input = {
    blockId: ID,
    stepId: 's1.i1.b1.fix',
    iteration: 1,
    kind: 'backend',
    issues,
    steps: [codes],
    limits: { whole },
    ...more,
  } as const
  const prompt = renderFixerPrompt(agents, input)
  const blocks = readDataBlocks(prompt)
  return { prompt, blocks, shown: JSON.parse(blocks.get('issues') ?? '') as Issue[] }
}

const BACKGROUND = {
  conventions: lines('convention', 60_000),
  review: lines('review', 90_000),
  sources: new Map([['src/A.py', { kind: 'text', text: lines('code', 900_000) } satisfies SourceFile]]),
}

test('excerpts go first, then conventions and the review; the findings stay whole as long as that is enough [S4-16]', () => {
  const issues = [issueOf('A', 'high', 2000)]
  const plenty = prompted(issues, BACKGROUND, 1_000_000)
  const room = (cut: number) =>
    prompted(issues, { ...BACKGROUND, limits: { code: 8000, conventions: 60_000, review: 90_000, whole: cut } })
  const length = (blocks: Map<string, string>, name: string) => blocks.get(name)?.length ?? 0
  const all = room(1_000_000)
  assert.ok(length(all.blocks, 'conventions') > 59_000 && length(all.blocks, 'review') > 89_000)
  const first = room(all.prompt.length - 500)
  assert.ok(length(first.blocks, 'code') < length(all.blocks, 'code'))
  assert.equal(length(first.blocks, 'conventions'), length(all.blocks, 'conventions'))
  const second = room(all.prompt.length - 20_000)
  assert.deepEqual([length(second.blocks, 'code'), length(second.blocks, 'review')], [0, length(all.blocks, 'review')])
  assert.ok(length(second.blocks, 'conventions') > 0)
  assert.match(second.prompt, /The block `code` did not fit: it is empty/)
  assert.match(second.prompt, /Of the block `conventions`, the last \d+ of \d+ lines/)
  const third = room(80_000)
  assert.ok(
    third.prompt.length <= 80_000 && length(third.blocks, 'conventions') === 0 && length(third.blocks, 'review') > 0,
  )
  for (const { shown } of [plenty, first, second, third])
    assert.deepEqual(shown[0]?.description, issues[0]?.description)
})

test('of too many findings the lowest lose their long texts first, none is left out, and the prompt names those that lost something [S4-16]', () => {
  const severities = [...Severity.options, 'low', 'critical'] as const
  const issues = severities.map((severity, index) => issueOf(`X${index}`, severity, 12_000))
  const { prompt, shown, blocks } = prompted(issues, BACKGROUND)
  assert.ok(prompt.length <= 100_000, `${prompt.length}`)
  assert.deepEqual(
    shown.map(({ issue_code }) => issue_code),
    issues.map(({ issue_code }) => issue_code),
  )
  assert.deepEqual(
    readCallBlock(prompt)?.codes,
    shown.map(({ issue_code }) => issue_code),
  )
  assert.deepEqual([blocks.get('code'), blocks.get('conventions'), blocks.get('review')], ['', '', ''])
  const whole = shown
    .filter(({ description }, index) => description === issues[index]?.description)
    .map(({ issue_code }) => issue_code)
  assert.deepEqual(whole, ['X0', 'X1', 'X6'], 'critical, high, critical')
  assert.match(
    prompt,
    /Of X2, X3, X4, X5 only the beginning of `description` and `suggested_fix` fits\. These issues count as much/,
  )
  for (const { title, file, line } of shown) assert.ok(title && file && line)
})

test('ninety findings of one call fit, however long each is, in whatever prompt [S4-16]', () => {
  const issues = Array.from({ length: 90 }, (_, index) => issueOf(`N${index}`, 'medium', 30_000))
  const codes = issues.map(({ issue_code }) => issue_code)
  const frame = { blockId: ID, stepId: 'c', iteration: 1, issues, limits: { whole: 100_000 }, ...BACKGROUND }
  const steps = [codes]
  const claims = codes.map((issue_code) => ({
    issue_code,
    status: 'fixed' as const,
    changes_summary: lines('claim', 5000),
  }))
  const feedback = Object.fromEntries(codes.map((code) => [code, { score: 50, feedback: lines('feedback', 5000) }]))
  const diff = lines('+diff', 900_000)
  const verification = [{ command: 'npm test', outcome: 'failed', output: diff, errors: diff }]
  const prompts = {
    fixer: renderFixerPrompt(agents, { ...frame, kind: 'backend', steps }),
    reFixer: renderReFixerPrompt(agents, { ...frame, kind: 'backend', steps, feedback, diff, claims, verification }),
    challenger: renderChallengerPrompt(agents, {
      ...{ ...frame, diff, claims, solvedThreshold: 90, earlier: feedback },
      falsePositives: ['N0'],
    }),
    clarifier: renderClarifierPrompt(agents, { ...frame, earlierQuestions: [] }),
    planner: renderPlannerPrompt(agents, { ...frame, steps, clarifications: [] }),
  }
  for (const [name, prompt] of Object.entries(prompts)) {
    assert.ok(prompt.length <= 100_000, `${name}: ${prompt.length}`)
    assert.equal(JSON.parse(readDataBlocks(prompt).get('issues') ?? '').length, 90, name)
  }
  assert.match(prompts.challenger, /An issue whose change you were not shown as a whole gets neither `score`/)
  const judged = readDataBlocks(prompts.challenger).get('diff')?.length ?? 0
  assert.ok(judged > 3000, `the diff is what the challenger judges: ${judged}`)
})

const POINTS = 6
/** What the challenger said, at length: of each issue a settled point, and open ones of which every other is a blocker. */
function feedbackOn(code: string) {
  const points = Array.from({ length: POINTS }, (_, index) => ({
    id: `${code}-p${index}`,
    blocker: index % 2 === 0,
    text: lines(`point ${index}`, 300),
    settled: index === 0,
  }))
  return {
    score: 50,
    status: 'IN_PROGRESS',
    feedback: lines('feedback', 1000),
    improvements_needed: Array.from({ length: 4 }, (_, index) => lines(`step ${index}`, 300)),
    points,
  }
}

test('also where the challenger said much on each issue: the score and the open blockers stay, and the diff that is judged [S4-16]', () => {
  const issues = Array.from({ length: 40 }, (_, index) => issueOf(`N${index}`, 'medium', 3000))
  const codes = issues.map(({ issue_code }) => issue_code)
  const feedback = Object.fromEntries(codes.map((code) => [code, feedbackOn(code)]))
  const claims = codes.map((issue_code) => ({
    issue_code,
    status: 'fixed' as const,
    file_modified: Array.from({ length: 30 }, (_, index) => `src/some/folder/of/${issue_code}/file-${index}.ts`),
    changes_summary: lines('claim', 2000),
    self_evaluation: { confidence: 90, completeness: 'full', risks: [lines('risk', 2000), lines('risk', 2000)] },
  }))
  const diff = lines('+diff', 900_000)
  const verification = [
    {
      command: 'npm test',
      outcome: 'failed',
      output: diff,
      newly_broken: Array.from({ length: 50 }, (_, index) => `${index} ${'name '.repeat(100)}`),
    },
  ]
  for (const whole of [60_000, 400_000]) {
    const frame = { blockId: ID, stepId: 'c', iteration: 2, issues, limits: { whole }, ...BACKGROUND }
    const prompts = {
      reFixer: renderReFixerPrompt(agents, {
        ...{ ...frame, kind: 'backend', steps: [codes], feedback, diff, claims, verification },
      }),
      challenger: renderChallengerPrompt(agents, { ...frame, diff, claims, solvedThreshold: 90, earlier: feedback }),
    }
    for (const [name, prompt] of Object.entries(prompts)) {
      const blocks = readDataBlocks(prompt)
      assert.ok(prompt.length <= whole, `${name}: ${prompt.length}`)
      assert.ok(
        (blocks.get('feedback') ?? '').length <= Math.max(whole / 10, 15_000),
        `${name}: ${blocks.get('feedback')?.length}`,
      )
      for (const said of JSON.parse(blocks.get('feedback') ?? '')) {
        assert.equal(said.score, 50)
        const open = said.points.filter(
          (point: { blocker: boolean; settled: boolean }) => point.blocker && !point.settled,
        )
        assert.equal(open.length, 2, `${name}: ${said.issue_code}`)
      }
      assert.match(prompt, /Of the feedback for N0, /)
      assert.equal(JSON.parse(blocks.get('claims') ?? '').length, 40)
    }
    const judged = readDataBlocks(prompts.challenger).get('diff')?.length ?? 0
    assert.ok(judged > whole / 20, `the diff is what the challenger judges: ${judged}`)
  }
})

test('a prompt that fits is the same to the byte, whatever it might be cut to [S4-16]', () => {
  const issues = [issueOf('A', 'low', 100)]
  const limits = { code: 1000, conventions: 1000, review: 1000 }
  assert.equal(
    prompted(issues, { limits: { ...limits, whole: 400_000 } }).prompt,
    prompted(issues, { limits: { ...limits, whole: 90_000 } }).prompt,
  )
})

test('whatever the findings are, the prompt fits, and none of them is lost [S4-16]', () => {
  const some = fc.record({
    severity: fc.constantFrom(...Severity.options),
    characters: fc.nat(40_000),
    title: fc.string({ maxLength: 5000 }),
  })
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 40 }), (all) => {
      const issues = all.map(({ severity, characters, title }, index) => ({
        ...issueOf(`P${index}`, severity, characters),
        title,
      }))
      const { prompt, shown } = prompted(issues, {}, 60_000)
      assert.ok(prompt.length <= 60_000)
      assert.equal(shown.length, issues.length)
    }),
    { numRuns: 40 },
  )
})
