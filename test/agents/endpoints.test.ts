// Where each CLI may go, by the variables that it goes by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claudeEndpoints, geminiEndpoints } from '../../src/agents/endpoints.ts'
import { endpointText } from '../../src/sandbox/upstream.ts'

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
    const found = (cli === 'claude' ? claudeEndpoints : geminiEndpoints)(env)
    assert.deepEqual(found.map(endpointText), expected)
  })
}

test('a model that a cloud serves is reached in its region, and the vendor is not', () => {
  const bedrock = claudeEndpoints({ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'eu-west-1' }).map(endpointText)
  assert.ok(bedrock.includes('bedrock-runtime.eu-west-1.amazonaws.com:443'))
  const vertex = claudeEndpoints({ CLAUDE_CODE_USE_VERTEX: 'true', CLOUD_ML_REGION: 'europe-west1' }).map(endpointText)
  assert.ok(vertex.includes('europe-west1-aiplatform.googleapis.com:443'))
  const signedIn = geminiEndpoints({}).map(endpointText)
  assert.ok(signedIn.includes('cloudcode-pa.googleapis.com:443'))
  assert.ok(![...bedrock, ...vertex].some((each) => each.includes('anthropic.com')))
})
