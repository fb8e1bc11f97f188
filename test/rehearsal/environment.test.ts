import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cliPaths, rehearsalEnvironment } from '../../rehearsal/environment.ts'
import { temporaryFolder } from './support.ts'

test('the environment is made from scratch: only PATH comes from the caller, and every endpoint is the scripted model', (t) => {
  const home = join(temporaryFolder(t), 'home')
  const url = 'http://127.0.0.1:9'
  process.env.ANTHROPIC_AUTH_TOKEN = 'of the caller'
  process.env.HTTPS_PROXY = 'http://127.0.0.1:1'
  const environment = rehearsalEnvironment({ url, home, attempts: 2 })
  assert.deepEqual([environment.ANTHROPIC_AUTH_TOKEN, environment.HTTPS_PROXY], [undefined, undefined])
  assert.deepEqual([environment.ANTHROPIC_BASE_URL, environment.GOOGLE_GEMINI_BASE_URL], [url, url])
  const settings = JSON.parse(readFileSync(join(home, '.gemini/settings.json'), 'utf8'))
  assert.equal(settings.security.auth.selectedType, 'gemini-api-key')
  assert.equal(settings.general.maxAttempts, 2)
})

test('the pinned CLIs are found', () => {
  for (const cli of [cliPaths().claude, cliPaths().gemini]) {
    assert.match(execFileSync(cli, ['--version'], { encoding: 'utf8' }), /^\d+\.\d+\.\d+/)
  }
})
