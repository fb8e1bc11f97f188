import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '../../../src/activities/context.ts'
import { findUnusedFiles } from '../../../src/activities/scope/find-additions.ts'
import { sandbox } from '../../platform/git/support.ts'
import { DEFAULTS } from '../support.ts'

test('findUnusedFiles finds new files that are no tests, and that no other file names', async (t) => {
  const box = sandbox(t)
  const files = {
    'src/app.py': 'from helpers import f\n',
    'src/helpers.py': 'def f(): ...\n',
    'src/cfg.py': 'cfg = 1\n',
    'tests/test_app.py': '',
    'pkg/server.go': 'package x\n',
    'newsfragments/1.fix': 'fixed\n',
  }
  box.write(files)
  box.git(['add', '.'])
  box.git(['commit', '-q', '-m', 'more'])
  const tree = box.git(['rev-parse', 'HEAD^{tree}'])
  const added = Object.keys(files)
    .slice(1)
    .map((path) => ({ path }))
  const session = { settings: DEFAULTS, issues: [] } as unknown as Session
  const found = await findUnusedFiles(session, { gitDir: `${box.repository}/.git` }, tree, added)
  assert.deepEqual([...found], ['src/cfg.py'])
})
