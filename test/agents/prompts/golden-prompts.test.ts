// The prompts as they are sent, as text in `golden/`: a change of words is a change of these files. With FIXWRIGHT_WRITE_GOLDEN=1 they
// are written anew.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { renderGoldenPrompts } from './golden-prompts.ts'

const FOLDER = join(import.meta.dirname, 'golden')
const prompts = renderGoldenPrompts()

for (const [name, prompt] of Object.entries(prompts)) {
  test(`the prompt ${name} is the one that was reviewed`, () => {
    const file = join(FOLDER, `${name}.md`)
    if (process.env.FIXWRIGHT_WRITE_GOLDEN) writeFileSync(file, prompt)
    const hint = `${name} has changed: FIXWRIGHT_WRITE_GOLDEN=1 node --test test/agents/prompts/golden-prompts.test.ts, then review it`
    assert.equal(prompt, readFileSync(file, 'utf8'), hint)
  })
}

test('no golden file is of a prompt that is not sent any more', () => {
  assert.deepEqual(
    readdirSync(FOLDER).sort(),
    Object.keys(prompts)
      .map((name) => `${name}.md`)
      .sort(),
  )
})

/** Characters, for the same four issues, before the prompts were shortened. */
const BEFORE: Readonly<Record<string, number>> = {
  fixer: 14110,
  'fixer.one-call': 8598,
  'fixer.one-plain': 12922,
  're-fixer': 15248,
  're-fixer.resumed': 9971,
  'challenger.diff': 10373,
  'challenger.whole': 10888,
  'challenger.false-positive': 8819,
  'challenger.repair': 10560,
  clarifier: 8885,
  planner: 9308,
  'git-branch-creator': 2514,
  'git-committer': 3501,
}

test('no prompt grows back: each has at most two thirds of the length it once had', () => {
  for (const [name, before] of Object.entries(BEFORE)) {
    const now = prompts[name]?.length ?? Number.POSITIVE_INFINITY
    assert.ok(now <= (before * 2) / 3, `${name} has ${now} characters, and may have ${Math.floor((before * 2) / 3)}`)
  }
})
