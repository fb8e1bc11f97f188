import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { goInstallSource } from '../../src/runtime/temporal-server/download-sources.ts'
import { findTemporalExecutable } from '../../src/runtime/temporal-server/find-executable.ts'

test('go install really builds a server that will do', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'fixwright-go-'))
  try {
    const found = await findTemporalExecutable({ env: process.env, cache, onStep: () => {} }, [goInstallSource])
    assert.match(execFileSync(found.path, ['--version'], { encoding: 'utf8' }), /Server 1\.29\./)
  } finally {
    await rm(cache, { recursive: true, force: true })
  }
})
