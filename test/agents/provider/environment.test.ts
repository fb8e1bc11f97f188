import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildClaudeEnvironment } from '../../../src/agents/claude/environment.ts'
import { buildGeminiEnvironment } from '../../../src/agents/gemini/environment.ts'

const operator: NodeJS.ProcessEnv = {
  ...{
    PATH: '/bin',
    HOME: '/home/x',
    LANG: 'C',
    LC_ALL: 'de_DE',
    TZ: 'UTC',
    https_proxy: 'http://p',
    SSL_CERT_FILE: '/ca',
  },
  ...{ ANTHROPIC_API_KEY: 'a', ANTHROPIC_DEFAULT_OPUS_MODEL: 'm', GEMINI_API_KEY: 'g', GOOGLE_CLOUD_PROJECT: 'p' },
  ...{ AWS_SECRET_ACCESS_KEY: 's', AWS_REGION: 'r', GITHUB_TOKEN: 's', NPM_TOKEN: 's', TEMPORAL_API_KEY: 's' },
  ...{
    NODE_OPTIONS: '--inspect',
    LD_PRELOAD: '/x',
    GIT_DIR: '/x',
    ANTHROPIC_ADMIN_KEY: 's',
    CLAUDECODE: '1',
    EMPTY: '',
  },
}

test('each CLI gets its own variables and none of the other services', () => {
  const claude = buildClaudeEnvironment(operator, { tmpdir: '/t' })
  const gemini = buildGeminiEnvironment(operator, { tmpdir: '/t' })
  for (const env of [claude, gemini]) {
    assert.ok(!Object.values(env).includes('s'))
    for (const name of ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'https_proxy', 'SSL_CERT_FILE'])
      assert.equal(env[name], operator[name], name)
    for (const name of ['LD_PRELOAD', 'GIT_DIR', 'AWS_REGION', 'CLAUDECODE', 'EMPTY'])
      assert.equal(env[name], undefined, name)
    assert.equal(env.TMPDIR, '/t')
    assert.doesNotMatch(env.NODE_OPTIONS ?? '', /inspect/, 'only ours')
  }
  assert.equal(claude.NODE_OPTIONS, undefined)
  assert.deepEqual(
    [claude.ANTHROPIC_API_KEY, claude.ANTHROPIC_DEFAULT_OPUS_MODEL, claude.GEMINI_API_KEY],
    ['a', 'm', undefined],
  )
  assert.deepEqual(
    [gemini.GEMINI_API_KEY, gemini.GOOGLE_CLOUD_PROJECT, gemini.ANTHROPIC_API_KEY],
    ['g', 'p', undefined],
  )
})

test('neither CLI gets a PATH that leads into the folder that it stands in: what it starts by name would be of the repository', () => {
  const loose = { ...operator, PATH: './node_modules/.bin::/usr/bin:bin:/bin' }
  for (const env of [
    buildClaudeEnvironment(loose, { tmpdir: '/t' }),
    buildGeminiEnvironment(loose, { tmpdir: '/t' }),
  ]) {
    assert.equal(env.PATH, '/usr/bin:/bin')
  }
})

test('the keys of a cloud go in only where Claude is served from it', () => {
  const off = buildClaudeEnvironment({ ...operator, CLAUDE_CODE_USE_BEDROCK: '0' }, { tmpdir: '/t' })
  assert.equal(off.AWS_REGION, undefined)
  const on = buildClaudeEnvironment({ ...operator, CLAUDE_CODE_USE_BEDROCK: '1' }, { tmpdir: '/t' })
  assert.deepEqual([on.AWS_REGION, on.AWS_SECRET_ACCESS_KEY, on.GITHUB_TOKEN], ['r', 's', undefined])
  const vertex = buildClaudeEnvironment({ ...operator, CLAUDE_CODE_USE_VERTEX: 'true' }, { tmpdir: '/t' })
  assert.deepEqual([vertex.GOOGLE_CLOUD_PROJECT, vertex.AWS_REGION], ['p', undefined])
})

test('the operator may set how patient the CLI is, and can not switch on what we switch off', () => {
  const set = {
    ...operator,
    CLAUDE_CODE_MAX_RETRIES: '2',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '0',
    CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: '3',
    DISABLE_TELEMETRY: '0',
  }
  const env = buildClaudeEnvironment(set, { tmpdir: '/t', thinkingBudget: 20_000 })
  assert.equal(env.CLAUDE_CODE_MAX_RETRIES, '2')
  assert.equal(env.CLAUDE_CODE_DISABLE_BACKGROUND_TASKS, '1')
  assert.equal(env.CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS, '20', 'what fixers are told')
  assert.equal(env.DISABLE_TELEMETRY, '1')
  assert.equal(env.MAX_THINKING_TOKENS, '20000')
  assert.equal(env.IS_SANDBOX, process.getuid?.() === 0 ? '1' : undefined)
})
