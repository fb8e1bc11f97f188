import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { cliPaths } from '../../rehearsal/environment.ts'
import { detectCliVersion, installHint } from '../../src/agents/cli-version.ts'

test('both CLIs tell their version', async (t) => {
  const HOME = mkdtempSync(join(tmpdir(), 'fixwright-versions-'))
  t.after(() => rmSync(HOME, { recursive: true, force: true }))
  const PATH = [dirname(process.execPath), cliPaths().bin, process.env.PATH].join(delimiter)
  const [claude, gemini] = await Promise.all([
    detectCliVersion('claude', { PATH, HOME }),
    detectCliVersion('gemini', { PATH, HOME }),
  ])
  assert.deepEqual([claude.version, gemini.version], ['2.1.327', '0.61.0'])
  assert.equal(claude.path, cliPaths().claude)
})

test('a CLI that is not there, or tells nothing, says so', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-versions-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const gone = await detectCliVersion('claude', { PATH: folder })
  assert.equal(gone.path, undefined)
  assert.match(gone.problem ?? '', /not installed/)
  writeFileSync(join(folder, 'claude'), '#!/bin/sh\necho broken >&2; exit 1\n', { mode: 0o755 })
  assert.match((await detectCliVersion('claude', { PATH: folder })).problem ?? '', /told no version: broken/)
  assert.match(installHint('gemini', 'gemini'), /npm install -g @google\/gemini-cli/)
})
