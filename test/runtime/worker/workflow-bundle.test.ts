import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildWorkflowBundle, loadWorkflowBundle } from '../../../src/runtime/worker/workflow-bundle.ts'

test('a checkout bundles its workflows once: the second worker finds what the first one built', async () => {
  const first = await loadWorkflowBundle()
  const second = await loadWorkflowBundle({ onBuild: () => assert.fail('built twice') })
  assert.deepEqual(second, first)
  assert.match(await readFile(first.codePath, 'utf8'), /fixSession/)
})

test('builders that meet leave one whole bundle and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  try {
    const codePath = join(folder, 'bundle.js')
    await Promise.all([buildWorkflowBundle(codePath), buildWorkflowBundle(codePath)])
    assert.deepEqual(await readdir(folder), ['bundle.js'])
    assert.match(await readFile(codePath, 'utf8'), /fixSession/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
