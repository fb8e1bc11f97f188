// What an agent may do to a tree besides its edits: for tests of the scope. The CLI lets all of it happen; git is what it refuses.

import assert from 'node:assert/strict'
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writePrompt } from '../../rehearsal/prompt.ts'
import { bash, link, rename, write } from '../support/scripting.ts'
import { setStage } from './support.ts'

test('a scripted fixer writes outside of its folder, into dotfiles and hooks, moves files and links them', async (t) => {
  const steps = [
    write('../beside.txt', 'beside\n'),
    write('.github/workflows/ci.yml', 'on: push\n'),
    write('.git/hooks/pre-commit', '#!/bin/sh\n'),
    rename('packages/web/a.txt', 'packages/webapp/b.txt'),
    link('../../beside.txt', 'packages/web/out'),
    bash('git init --quiet made'),
  ]
  const { claude, work, folder } = await setStage(t, { issues: { 'A-1': { fixes: [{ steps }] } } })
  for (const name of ['packages/web', '.git']) mkdirSync(join(work, name), { recursive: true })
  writeFileSync(join(work, 'packages/web/a.txt'), 'a\n')
  const run = await claude(writePrompt({ role: 'fixer', codes: ['A-1'] }), ['--disallowedTools', 'Bash(git:*)'])
  assert.equal(run.status, 0, run.stdout)
  assert.equal(readFileSync(join(folder, 'beside.txt'), 'utf8'), 'beside\n')
  for (const name of ['.github/workflows/ci.yml', '.git/hooks/pre-commit', 'packages/webapp/b.txt'])
    assert.ok(existsSync(join(work, name)), name)
  assert.ok(lstatSync(join(work, 'packages/web/out')).isSymbolicLink())
  assert.equal(readlinkSync(join(work, 'packages/web/out')), '../../beside.txt')
  assert.deepEqual([existsSync(join(work, 'packages/web/a.txt')), existsSync(join(work, 'made'))], [false, false])
})
