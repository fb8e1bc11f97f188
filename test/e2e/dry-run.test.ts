// `fix --dry-run` tells what `fix` then does: the same first prompt to the byte, the same plan, branch and commit; and does none of it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import type { DryPlan } from '../../src/domain/session/dry-run.ts'
import { OF_THE_DETECTOR } from '../platform/masking/tokens.ts'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'

/** Every file below a folder, with what is in it. */
function contentsOf(folder: string): string[] {
  const files = globSync('**', { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile())
  return files.sort().map(
    (name) =>
      `${name} ${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}`,
  )
}

const BLOCK_ID = /<data name="call" id="([0-9a-f]+)">/

function withoutId(prompt: string): string {
  return prompt.replaceAll(BLOCK_ID.exec(prompt)?.[1] ?? '-', '0'.repeat(16))
}

test('a dry run shows the first prompt that the session then sends to each agent, its branch and its commits, and starts, asks and changes nothing [S4-2, S4-7, S4-10, S4-18]', async (t) => {
  const stage = await setMadeStage(t, 2, { files: { 'CLAUDE.md': 'Four spaces.\n' } })
  const review = join(stage.folder, 'review.md')
  writeFileSync(review, `# Review\n\nThe token ${OF_THE_DETECTOR.npm} is in the log.\n`)
  stage.git('checkout', '-q', '-b', 'feature')
  stage.write({
    'ledger/part_000.py': `${readFileSync(join(stage.repository, 'ledger/part_000.py'), 'utf8')}\nNEW = 1\n`,
  })
  stage.git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-qam', 'feature')
  stage.git('checkout', '-q', 'main')
  await stage.lookAgain()
  const args = ['--context', review, '--base', 'feature', '--notes', 'Mind the tests.', '--verify', 'test -d ledger']

  const before = contentsOf(stage.home.path)
  const dry = await stage.fix(stage.made.findings, { args: [...args, '--dry-run'] })
  const again = await stage.fix(stage.made.findings, { args: [...args, '--dry-run'] })
  assert.equal(again.stdout, dry.stdout, 'it says the same each time')
  assert.deepEqual(contentsOf(stage.home.path), before)
  assert.deepEqual(stage.model.calls(), [])
  assert.equal(stage.git('branch', '--list', 'fix/*'), '')
  const plan = JSON.parse(dry.stdout) as DryPlan

  const { result } = await stage.fix(stage.made.findings, { args })
  assert.equal(plan.branch, result?.branch_name)
  assert.deepEqual(
    plan.stages.flatMap(({ commit_subjects }) => commit_subjects),
    ['fix: last page is dropped in last_page_000', 'fix: age limit excludes the birthday in is_adult_001'],
  )
  assert.deepEqual(
    result?.commits.map(({ message }) => message.split('\n')[0]),
    ['fix: correct what last_page_000 computes', 'fix: correct what is_adult_001 computes'],
  )
  const asked = stage.model.calls().find(({ role, step }) => role === 'fixer' && step === 0)
  const told = plan.prompts.filter(({ role }) => role === 'fixer')
  assert.deepEqual(
    told.map(({ gaps }) => gaps),
    [['«gap: what is red before any fix»']],
  )
  const [first = ''] = told.map(({ prompt }) => prompt.replace('«gap: what is red before any fix»', 'nothing'))
  assert.equal(withoutId((asked && promptOf(asked)) ?? ''), first)
  for (const expected of [
    'Four spaces.',
    'Mind the tests.',
    '"base": "feature"',
    '"against": "main"',
    '+ NEW = 1',
    '«secret:',
  ]) {
    assert.ok(first.includes(expected), expected)
  }
  assert.ok(!dry.stdout.includes(OF_THE_DETECTOR.npm ?? '?'))

  const challenged = stage.model.calls().find(({ role, step }) => role === 'fix_challenger' && step === 0)
  const judging = plan.prompts.find(({ role }) => role === 'fix_challenger')
  assert.ok(judging)
  assert.ok(judging.gaps.includes('«gap: the diff of the fixes»'))
  const blocksOf = (prompt: string) => [...prompt.matchAll(/<(?:data|trusted) name="(\w+)"/g)].map(([, name]) => name)
  assert.deepEqual(blocksOf(judging.prompt), blocksOf((challenged && promptOf(challenged)) ?? ''))
  await checkInvariants(stage)
})
