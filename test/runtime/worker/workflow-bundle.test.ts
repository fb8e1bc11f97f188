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

test('a bundle is plain ASCII without sources in its map: each thread of a worker holds all of it', async () => {
  const { codePath } = await loadWorkflowBundle()
  const code = await readFile(codePath, 'utf8')
  assert.doesNotMatch(code, /[^\0-\x7f]/)
  const map = JSON.parse(Buffer.from(code.slice(code.lastIndexOf('base64,') + 7), 'base64').toString())
  assert.ok(map.mappings.length > 0)
  assert.equal(map.sourcesContent, undefined)
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
