import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'

test('the lockfile names no registry, so that npm ci asks the one that each machine is told to use', () => {
  const lockfile = readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8')
  assert.doesNotMatch(lockfile, /"resolved"/)
})

test('the lockfile has every platform, so that npm ci works on each', () => {
  const script = join(packageRoot(), 'scripts/complete-lock.ts')
  assert.match(execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' }), /: 0 platform packages/)
})
