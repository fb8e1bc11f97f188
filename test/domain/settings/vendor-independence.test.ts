import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { Settings } from '../../../src/domain/settings/schema.ts'
import { findVendorProblem } from '../../../src/domain/settings/vendor-independence.ts'

const text = readFileSync(new URL('../../../config/settings.yaml', import.meta.url), 'utf8')

function problem(claude: string[], gemini: string[], challenger: object = {}): string | undefined {
  const raw = parse(text)
  return findVendorProblem(
    Settings.parse({
      ...raw,
      claude: { ...raw.claude, models: claude },
      gemini: { ...raw.gemini, models: gemini },
      fix_challenger: { ...raw.fix_challenger, ...challenger },
    }),
  )
}

test('a challenger of the fixer’s own vendor is refused unless that is allowed', () => {
  assert.equal(problem(['opus', 'sonnet'], ['gemini-2.5-flash']), undefined)
  assert.equal(problem([], []), undefined)
  assert.match(problem(['opus'], ['gemini-2.5-flash', 'anthropic/claude-sonnet-5']) ?? '', /claude-sonnet-5.*Anthropic/)
  assert.match(problem([], ['claude-haiku-4-5']) ?? '', /Anthropic/)
  assert.match(problem(['google/gemini-3-pro'], ['gemini-2.5-flash']) ?? '', /Google/)
  assert.equal(problem(['opus'], ['opus'], { allow_same_vendor: true }), undefined)
  assert.equal(problem(['opus'], ['opus'], { enabled: false }), undefined)
})

test('a gateway’s own name for a model counts as the vendor’s whose CLI is asked', () => {
  assert.equal(problem(['prod-coder'], ['prod-reviewer']), undefined)
})
