// Where each CLI may go, by the variables that it goes by itself.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { listClaudeEndpoints, listGeminiEndpoints } from '../../../src/agents/provider/endpoints.ts'
import { modelAccessProblem } from '../../../src/agents/provider/model-access.ts'
import { formatEndpoint } from '../../../src/platform/sandbox/egress/upstream-proxy.ts'
import { DEFAULTS } from '../../activities/support.ts'
import { sandboxSettings } from '../../platform/sandbox/support.ts'

const rows: ['claude' | 'gemini', NodeJS.ProcessEnv, string[]][] = [
  ['claude', { ANTHROPIC_API_KEY: 'k' }, ['api.anthropic.com:443']],
  ['claude', {}, ['api.anthropic.com:443', 'platform.claude.com:443']],
  ['claude', { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://[::1]:4000/v1' }, ['[::1]:4000']],
  ['claude', { ANTHROPIC_AUTH_TOKEN: 't', ANTHROPIC_BASE_URL: 'http://Models.example.com' }, ['models.example.com:80']],
  ['gemini', { GEMINI_API_KEY: 'k' }, ['generativelanguage.googleapis.com:443']],
  ['gemini', { GOOGLE_GEMINI_BASE_URL: 'https://g.example.com:8443' }, ['g.example.com:8443']],
]
for (const [cli, env, expected] of rows) {
  test(`${cli} with ${Object.keys(env).join(', ') || 'a sign-in'} reaches ${expected.join(' and ')}`, () => {
    const found = (cli === 'claude' ? listClaudeEndpoints : listGeminiEndpoints)(env)
    assert.deepEqual(found.map(formatEndpoint), expected)
  })
}

test('a model that a cloud serves is reached in its region, and the vendor is not', () => {
  const bedrock = listClaudeEndpoints({ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-west-1' }).map(formatEndpoint)
  assert.ok(bedrock.includes('bedrock-runtime.eu-west-1.amazonaws.com:443'))
  const vertex = listClaudeEndpoints({ CLAUDE_CODE_USE_VERTEX: 'true', CLOUD_ML_REGION: 'europe-west1' }).map(
    formatEndpoint,
  )
  assert.ok(vertex.includes('europe-west1-aiplatform.googleapis.com:443'))
  const signedIn = listGeminiEndpoints({}).map(formatEndpoint)
  assert.ok(signedIn.includes('cloudcode-pa.googleapis.com:443'))
  assert.ok(![...bedrock, ...vertex].some((each) => each.includes('anthropic.com')))
})

test('a model that can’t be reached from a sandbox is found wherever it is named, and only where it is needed', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'fixwright-endpoints-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const env = { HOME: home, ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' }
  const required = { ...DEFAULTS, sandbox: sandboxSettings('require') }
  const unchallenged = { ...required, fix_challenger: { ...required.fix_challenger, enabled: false } }
  assert.equal(await modelAccessProblem(required, env), undefined)
  assert.match(
    `${await modelAccessProblem(required, { ...env, ANTHROPIC_BASE_URL: 'http://localhost' })}`,
    /localhost:80 /,
  )
  const atOnce = { ...DEFAULTS, sandbox: sandboxSettings('auto') }
  assert.equal(await modelAccessProblem(atOnce, { ...env, ANTHROPIC_BASE_URL: 'http://localhost' }), undefined)
  const named = { ...required, sandbox: sandboxSettings('require', { endpoints: ['127.0.0.1:22'] }) }
  assert.match(`${await modelAccessProblem(named, env)}`, /127\.0\.0\.1:22 /)

  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  write('.gemini/.env', 'GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:81\n')
  assert.match(`${await modelAccessProblem(required, env)}`, /127\.0\.0\.1:81 /)
  assert.equal(await modelAccessProblem(unchallenged, env), undefined)
  write('.claude/settings.json', '{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:82"}}')
  assert.match(`${await modelAccessProblem(unchallenged, env)}`, /127\.0\.0\.1:82 /)
})
