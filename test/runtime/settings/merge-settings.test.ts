import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import {
  acceptsUnproven,
  effectiveIterations,
  effectivePlanner,
  getProfile,
  isChallenged,
  isStrict,
  Settings,
} from '../../../src/domain/settings/schema.ts'
import {
  describeSettings,
  loadSettings,
  SettingsError,
  type SettingsSources,
} from '../../../src/runtime/settings/merge-settings.ts'
import { listSettingPaths } from '../../../src/runtime/settings/schema-introspection.ts'
import { toVariableName } from '../../../src/runtime/settings/settings-sources.ts'

const defaultsFile = fileURLToPath(new URL('../../../config/settings.yaml', import.meta.url))

function load(sources: Partial<SettingsSources> = {}) {
  return loadSettings({ home: { settingsFile: '/nowhere/settings.yaml' }, env: {}, ...sources })
}

function fromRepository(text: string, isTrusted = false): Partial<SettingsSources> {
  return { repositoryYaml: { text, label: '.fixwright.yaml of 1a2b3c4', isTrusted } }
}

function userFile(t: TestContext, text: string): Pick<SettingsSources, 'home'> {
  const folder = mkdtempSync(path.join(tmpdir(), 'fixwright-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const settingsFile = path.join(folder, 'settings.yaml')
  writeFileSync(settingsFile, text)
  return { home: { settingsFile } }
}

function problemsOf(sources: Partial<SettingsSources>): readonly string[] {
  try {
    load(sources)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.problems
  }
  return assert.fail('these settings should have been refused')
}

test('one file of defaults holds every setting there is, and nothing else [S0-1]', () => {
  const defaults = Settings.parse(parse(readFileSync(defaultsFile, 'utf8')))
  assert.deepEqual(load().settings, defaults)
  const told = describeSettings(load())
  assert.deepEqual(
    told.map((row) => row.path),
    listSettingPaths(['batched', 'parallel', 'sequential', 'one-call', 'review-fix', 'verify']),
  )
  assert.ok(told.every((row) => row.origin === 'default'))
})

test('the defaults are those of the source documents [S2-26, S2-27, S0-14, S2-1]', () => {
  const { settings } = load()
  assert.equal(effectiveIterations(settings), 2)
  assert.equal(effectiveIterations({ ...settings, profile: 'sequential' }), 3)
  assert.deepEqual(settings.fix_challenger, {
    enabled: null,
    solved_threshold: 90,
    satisfaction_threshold: 95,
    allow_same_vendor: false,
    sees: 'context',
    when_checks_fail: 'skip',
  })
  assert.equal(settings.claude.timeout_seconds, 900)
  assert.equal(settings.gemini.timeout_seconds, 120)
  assert.equal(settings.claude.models[0], 'opus')
  assert.match(settings.gemini.models[0] ?? '', /flash/)
  assert.equal(settings.claude.thinking_budget, 20_000)
  assert.equal(settings.gemini.thinking_budget, 10_000)
})

test('the limits of a batch and the estimate for an issue without one are settings [S0-6, S0-7]', () => {
  assert.deepEqual(load().settings.limits, {
    max_issues_per_cli_call: 5,
    max_workload_points_per_batch: 15,
    max_workload_points_per_one_call: 90,
    max_prompt_characters: 400_000,
    ask_above_issues: 50,
    default_effort: 3,
    default_files_count: 1,
    lanes: null,
  })
})

test('a conversation is compacted above 150 000 tokens, unless the settings say otherwise [S2-28]', () => {
  assert.equal(load().settings.claude.max_session_tokens, 150_000)
  const { settings } = load({ env: { FIXWRIGHT_CLAUDE_MAX_SESSION_TOKENS: '20000' } })
  assert.equal(settings.claude.max_session_tokens, 20_000)
})

test('nobody is asked and the rules plan, unless the settings say otherwise; a decision has seven days [C11]', () => {
  const { people, planner, scope } = load().settings
  const week = 7 * 24 * 3600
  assert.deepEqual(people, {
    clarify: false,
    approve_plan: false,
    four_eyes: false,
    wait_for_start: false,
    clarify_deadline_seconds: week,
    plan_deadline_seconds: week,
    scope_deadline_seconds: week,
    max_clarify_rounds: 5,
    max_plan_rejections: 3,
  })
  assert.equal(planner, null)
  assert.deepEqual([scope.workspace_path, scope.allowed_extra_paths], [null, []])
})

test('who plans: what is said for the session, else an agent where a person approves, else as the profile has it [S1-1]', () => {
  const { settings } = load()
  const approved = { ...settings, people: { ...settings.people, approve_plan: true } }
  assert.equal(effectivePlanner(settings), 'rules')
  assert.equal(effectivePlanner({ ...settings, profile: 'one-call' }), 'agent')
  assert.equal(effectivePlanner({ ...settings, profile: 'one-call', planner: 'rules' }), 'rules')
  assert.equal(effectivePlanner(approved), 'agent')
  assert.equal(effectivePlanner({ ...approved, planner: 'rules' }), 'rules')
})

test('the profile one-call makes one call for the whole session, and has two iterations [S1-2, S1-7]', () => {
  const { settings } = load({ flags: { profile: 'one-call' } })
  assert.deepEqual(getProfile(settings), {
    stage: 'session',
    max_iterations: 2,
    whole_diff_score: false,
    calls: 'one',
    planner: 'agent',
    challenge: true,
    strict: false,
    max_attempts_per_issue: null,
    lanes: 1,
  })
  assert.equal(effectiveIterations(settings), 2)
})

test('the profile verify is settings: one call, three cycles, no challenger, and everything must pass [S4-1, S4-9]', () => {
  const { settings } = load({ flags: { profile: 'verify' } })
  assert.deepEqual(getProfile(settings), {
    stage: 'session',
    max_iterations: 3,
    whole_diff_score: false,
    calls: 'one-plain',
    planner: 'rules',
    challenge: false,
    strict: true,
    max_attempts_per_issue: null,
    lanes: 1,
  })
  assert.deepEqual([isChallenged(settings), isStrict(settings)], [false, true])
  const { settings: plain } = load()
  assert.deepEqual([isChallenged(plain), isStrict(plain)], [true, false])
})

test('acceptsUnproven follows the setting, else whether a command could have said anything', () => {
  const command = { '--verify': ['npm test'] }
  const accepts = (flags: Record<string, unknown>) => acceptsUnproven(load({ flags }).settings)
  assert.deepEqual([accepts({}), accepts(command)], [true, false])
  assert.equal(accepts({ ...command, 'verification.unproven': 'accept' }), true)
  assert.equal(accepts({ 'verification.unproven': 'refuse' }), false)
})

test('challenger, strictness and cycles are what is said for the session, else as the profile has them [S4-2]', () => {
  const flags = { profile: 'verify', 'fix_challenger.enabled': 'true', 'verification.strict': 'false' }
  const { settings } = load({ flags: { ...flags, max_iterations: '0' } })
  assert.deepEqual([isChallenged(settings), isStrict(settings), effectiveIterations(settings)], [true, false, 0])
  const [problem] = problemsOf({ flags: { max_iterations: '11' } })
  assert.equal(problem, 'command line: max_iterations is 11, must be a whole number from 0 to 10, or null')
})

test('what is stronger wins, maps merge, lists replace, and each value says where it came from', (t) => {
  const sources = {
    ...fromRepository('git:\n  branch_prefix: repo/\nlimits: { max_issues_per_cli_call: 4, default_effort: 2 }\n'),
    ...userFile(t, 'limits:\n  default_effort: 1\nclaude:\n  models: [sonnet]\n  timeout_seconds: 100\n'),
    env: { FIXWRIGHT_CLAUDE_TIMEOUT_SECONDS: '200', FIXWRIGHT_GEMINI_MODELS: 'a, b', HOME: '/x' },
    flags: { 'claude.timeout_seconds': '300', 'verification.commands': ['npm test, please'] },
  }
  const { settings, origins } = load(sources)
  assert.equal(settings.git.branch_prefix, 'repo/')
  assert.equal(settings.git.naming, 'rules')
  assert.equal(settings.limits.max_issues_per_cli_call, 4)
  assert.equal(settings.limits.default_effort, 1)
  assert.deepEqual(settings.claude.models, ['sonnet'])
  assert.deepEqual(settings.gemini.models, ['a', 'b'])
  assert.equal(settings.claude.timeout_seconds, 300)
  assert.deepEqual(settings.verification.commands, ['npm test, please'])
  assert.equal(origins['git.branch_prefix'], '.fixwright.yaml of 1a2b3c4:2')
  assert.equal(origins['limits.default_effort'], `${sources.home.settingsFile}:2`)
  assert.equal(origins['gemini.models'], 'FIXWRIGHT_GEMINI_MODELS')
  assert.equal(origins['claude.timeout_seconds'], 'command line')
  assert.equal(origins['git.naming'], 'default')
})

test('a user’s own profile is a profile like the others', (t) => {
  const own = userFile(t, 'profiles:\n  thorough: { stage: session, max_iterations: 5, whole_diff_score: true }\n')
  const { settings } = load({
    ...own,
    env: { FIXWRIGHT_PROFILE: 'thorough', FIXWRIGHT_PROFILES_THOROUGH_MAX_ITERATIONS: '6' },
  })
  assert.equal(effectiveIterations(settings), 6)
  const { calls, planner, challenge, strict } = getProfile(settings)
  assert.deepEqual([calls, planner, challenge, strict], ['batched', 'rules', true, false])
  assert.ok(
    describeSettings(load(own)).some(({ path, origin }) => path === 'profiles.thorough.calls' && origin === 'default'),
  )
  const oneCall = { ...own, env: { FIXWRIGHT_PROFILE: 'thorough', FIXWRIGHT_PROFILES_THOROUGH_CALLS: 'one' } }
  assert.equal(getProfile(load(oneCall).settings).calls, 'one')
  const [missing] = problemsOf(userFile(t, 'profiles:\n  half: { stage: session, max_iterations: 5 }\n'))
  assert.match(missing ?? '', /settings\.yaml:2: profiles\.half\.whole_diff_score is missing, must be true or false$/)
})

test('every way in which a text can say a value is understood by the type of the setting', () => {
  const { settings } = load({
    env: {
      FIXWRIGHT_VERIFICATION_STRICT: 'true',
      FIXWRIGHT_MAX_ITERATIONS: '4',
      FIXWRIGHT_CLAUDE_EFFORT: 'null',
      FIXWRIGHT_TEMPORAL_ADDRESS: 'localhost:7233',
      FIXWRIGHT_VERIFICATION_COMMANDS: '["npm test -- a,b", "tsc"]',
      FIXWRIGHT_CLAUDE_MODELS: '',
    },
  })
  assert.equal(settings.verification.strict, true)
  assert.equal(settings.max_iterations, 4)
  assert.equal(settings.claude.effort, null)
  assert.equal(settings.temporal.address, 'localhost:7233')
  assert.deepEqual(settings.verification.commands, ['npm test -- a,b', 'tsc'])
  assert.deepEqual(settings.claude.models, [])
})

test('all that is wrong is told at once: the place, the path, what is expected and the nearest right key', (t) => {
  const problems = problemsOf({
    ...userFile(
      t,
      'claude:\n  timeout_second: 3\n  effort: much\nprofile: [batched]\nlimits: 5\ntimeout_seconds: 9\nfix_chalenger: {}\n',
    ),
    env: {
      FIXWRIGHT_CLAUDE_TIMEOUT: '3',
      FIXWRIGHT_VERIFICATION_STRICT: 'yess',
      FIXWRIGHT_MAX_ITERATIONS: '11',
      FIXWRIGHT_LIMIT_WAIT_BACKOFF_MIN_SECONDS: '0',
      FIXWRIGHT_PEOPLE_PLAN_DEADLINE_SECONDS: '1e15',
      FIXWRIGHT_GIT_BRANCH_PREFIX: '../x',
    },
    flags: { 'worker.max_parallel_call': '1', claude: 'x', 'verification.commands': '["npm test"' },
  })
  const expected = [
    /^\S+settings\.yaml:2: there is no setting claude\.timeout_second; did you mean claude\.timeout_seconds\?$/,
    /^\S+settings\.yaml:3: claude\.effort is "much", must be one of low, medium, high, xhigh, max, or null$/,
    /^\S+settings\.yaml:4: profile is \["batched"\], must be a text/,
    /^\S+settings\.yaml:5: limits must be a map of settings$/,
    /^\S+settings\.yaml:6: there is no setting timeout_seconds; did you mean claude\.timeout_seconds\?$/,
    /^\S+settings\.yaml:7: there is no setting fix_chalenger; did you mean fix_challenger\?$/,
    /^FIXWRIGHT_CLAUDE_TIMEOUT: there is no such setting; did you mean FIXWRIGHT_CLAUDE_TIMEOUT_SECONDS\?$/,
    /^FIXWRIGHT_VERIFICATION_STRICT: verification\.strict is "yess", must be true or false, or null$/,
    /^FIXWRIGHT_MAX_ITERATIONS: max_iterations is 11, must be a whole number from 0 to 10, or null$/,
    /^FIXWRIGHT_LIMIT_WAIT_BACKOFF_MIN_SECONDS: limit_wait\.backoff_min_seconds is 0, must be a number above 0$/,
    /^FIXWRIGHT_PEOPLE_PLAN_DEADLINE_SECONDS: people\.plan_deadline_seconds is .*, must be a number above 0 and up to 316224000$/,
    /^FIXWRIGHT_GIT_BRANCH_PREFIX: git\.branch_prefix is "\.\.\/x", must be what git takes/,
    /^command line: there is no setting worker\.max_parallel_call; did you mean worker\.max_parallel_calls\?$/,
    /^command line: claude is a group of settings; set one of claude\.command, /,
    /^command line: verification\.commands is .*, must be a list of texts, none of them empty$/,
  ]
  assert.equal(problems.length, expected.length, problems.join('\n'))
  for (const [index, pattern] of expected.entries()) assert.match(problems[index] ?? '', pattern)
})

test('a flag that is a setting is read in its own unit, and what it can not be is said in its own name', () => {
  const flags = { '--max-cost': '5', '--max-tokens': '1.5M', '--max-minutes': '1.5', '--max-fix-cycles': '0' }
  const more = { '--verify': ['npm test'], '--strict': true, '--ignore-untrusted': 'ignore', 'claude.effort': 'null' }
  const { settings, origins } = load({ flags: { ...flags, ...more } })
  const { session_usd, session_tokens, session_seconds } = settings.budgets
  assert.deepEqual([session_usd, session_tokens, session_seconds, settings.max_iterations], [5, 1_500_000, 90, 0])
  const { commands, strict } = settings.verification
  assert.deepEqual([commands, strict, settings.repository.untrusted], [['npm test'], true, 'ignore'])
  assert.equal(origins['budgets.session_usd'], 'command line')

  const wrong: Record<string, readonly (readonly [unknown, string])[]> = {
    '--max-cost': ['abc', '', '0', 'null'].map((text) => [text, 'a number of dollars above 0']),
    '--max-tokens': ['1.5', 'many', '0k'].map((text) => [text, 'a whole number of tokens above 0, also as 500k or 2M']),
    '--max-minutes': ['soon', '0', '1e9'].map((text) => [
      text,
      'a number of minutes above 0, and of no more than a year',
    ]),
    '--max-iterations': ['11', '1.5'].map((text) => [text, 'a whole number from 0 to 10']),
    '--max-fix-cycles': [['x', 'a whole number from 0 to 10']],
    '--temporal': [['', 'an address, as host:port']],
    '--verify': [[[''], 'a list of texts, none of them empty']],
  }
  for (const [flag, cases] of Object.entries(wrong)) {
    for (const [value, words] of cases) {
      const problem = `command line: ${flag} is ${JSON.stringify(value)}, must be ${words}`
      assert.deepEqual(problemsOf({ flags: { [flag]: value } }), [problem])
    }
  }
})

test('one setting that is given in two ways is refused with the names of both, also where they agree', () => {
  const twice = (flags: Record<string, unknown>) => problemsOf({ flags })
  assert.deepEqual(twice({ '--max-cost': '5', 'budgets.session_usd': '5' }), [
    'command line: --max-cost and --set budgets.session_usd are the same setting: give one',
  ])
  assert.deepEqual(twice({ '--max-iterations': '1', '--max-fix-cycles': '2' }), [
    'command line: --max-iterations and --max-fix-cycles are the same setting: give one',
  ])
})

test('an unknown profile is refused with the ones there are', () => {
  assert.deepEqual(problemsOf({ flags: { profile: 'bached' } }), [
    'command line: profile is "bached", must be one of batched, parallel, sequential, one-call, review-fix, verify; did you mean batched?',
  ])
})

test('a file that is no YAML, no map or says a key twice is refused with its line and column', (t) => {
  assert.match(problemsOf(userFile(t, 'claude:\n  models: [a\n'))[0] ?? '', /settings\.yaml:3:1: can't be read as YAML/)
  assert.match(problemsOf(userFile(t, '- a\n'))[0] ?? '', /settings\.yaml: must be a map of settings$/)
  assert.match(problemsOf(userFile(t, 'profile: batched\nprofile: batched\n'))[0] ?? '', /settings\.yaml:2:1: /)
  assert.match(problemsOf(userFile(t, `a: ${'x'.repeat(300_000)}`))[0] ?? '', /longer than 256 KiB/)
})

test('an empty file, one of comments only and one that is not there say nothing', (t) => {
  assert.deepEqual(load(userFile(t, '')).settings, load().settings)
  assert.deepEqual(load(userFile(t, '# nothing\nclaude:\n')).settings, load().settings)
  assert.deepEqual(load({ home: { settingsFile: '/nowhere/settings.yaml' } }).settings, load().settings)
})

test('a workspace and what is allowed besides it are paths inside of the repository, spelled in one way [S2-31]', () => {
  const scopeOf = (flags: Record<string, unknown>) => load({ flags }).settings.scope
  for (const spelled of ['packages/web', 'packages/web/', './packages//web/.']) {
    assert.equal(scopeOf({ 'scope.workspace_path': spelled }).workspace_path, 'packages/web')
  }
  assert.equal(scopeOf({ 'scope.workspace_path': '.github' }).workspace_path, '.github')
  assert.equal(scopeOf({ 'scope.workspace_path': '' }).workspace_path, null)
  const extra = ['packages/shared/', './.env', 'app/[id]/page.tsx']
  assert.deepEqual(scopeOf({ 'scope.allowed_extra_paths': extra }).allowed_extra_paths, [
    'packages/shared',
    '.env',
    'app/[id]/page.tsx',
  ])
  assert.deepEqual(scopeOf({ 'scope.allowed_extra_paths': 'a/, b' }).allowed_extra_paths, ['a', 'b'])
  for (const wrong of [
    '/packages',
    '..',
    '../x',
    'a/../../b',
    'a/../b',
    '.',
    './',
    '/',
    ' ',
    '.git',
    'a/.GIT/hooks',
    'a/*',
    'a\\b',
    'a\nb',
  ]) {
    const [workspace] = problemsOf({ flags: { 'scope.workspace_path': wrong } })
    assert.match(
      workspace ?? '',
      /scope\.workspace_path is .*, must be the path of a file or folder from the root.*, or null$/,
    )
    const [allowed] = problemsOf({ flags: { 'scope.allowed_extra_paths': ['ok', wrong] } })
    assert.match(
      allowed ?? '',
      /scope\.allowed_extra_paths is .*, must be a list, and each of it the path of a file or folder/,
    )
  }
})

/** What nobody who only gets a commit in may say, and their operator may. */
const NEVER = [
  'claude: { command: ./evil }',
  'claude: { timeout_seconds: 1 }',
  'claude: { max_session_tokens: 1000 }',
  'gemini: { models: [cheap] }',
  'people: { clarify: true }',
  'people: { clarify: false }',
  'people: { approve_plan: true }',
  'people: { approve_plan: false }',
  'people: { scope_deadline_seconds: 1 }',
  'planner: agent',
  'planner: null',
  'fix_challenger: { enabled: false }',
  'fix_challenger: { solved_threshold: 1 }',
  'profiles: { batched: { max_iterations: 9 } }',
  'profiles: { own: { stage: batch, max_iterations: 1, whole_diff_score: false } }',
  'temporal: { address: "evil:7233" }',
  'git: { author_name: Somebody Else }',
  'git: { sign_off: true }',
  'repository: { untrusted: ignore }',
  'repository: { without: [signing] }',
  'sandbox: { pid_namespace: "off" }',
  'artifacts: { retention_days: 1 }',
  'worker: { max_parallel_calls: 99 }',
  'verification: { environment: [GITHUB_TOKEN] }',
  'max_iterations: 0',
]
/** What the project's people know best. */
const WITH_TRUST = [
  'verification: { commands: ["curl evil"] }',
  'verification: { strict: false }',
  'verification: { timeout_seconds: 1 }',
  'scope: { protected: [] }',
  'scope: { artefacts: ["*"] }',
  'scope: { workspace_path: packages/web }',
  'scope: { allowed_extra_paths: [.github] }',
  'git: { naming: agent }',
  'limits: { max_issues_per_cli_call: 6 }',
  'limits: { max_workload_points_per_one_call: 91 }',
  'max_iterations: 3',
  'profile: own',
  'profile: verify',
]

test('a repository may name no binary, endpoint, model, person or threshold, whether it is trusted or not', () => {
  for (const text of NEVER) {
    for (const isTrusted of [false, true]) {
      const problems = problemsOf(fromRepository(text, isTrusted))
      assert.ok(problems.length > 0 && problems.every((problem) => problem.includes('a repository may')), text)
    }
  }
  assert.match(problemsOf(fromRepository(NEVER[0]!))[0]!, /claude\.command: a repository may not set this, only/)
})

test('what a repository says of its checks, its scope and higher limits counts only where its file is trusted', () => {
  const { settings: defaults, origins } = load()
  for (const text of WITH_TRUST) {
    const { settings, ignored, ...found } = load(fromRepository(text))
    assert.deepEqual([settings, found.origins], [defaults, origins], text)
    const [path = ''] = ignored.map(({ what }) => what)
    assert.deepEqual(ignored, [{ what: path, origin: '.fixwright.yaml of 1a2b3c4:1' }], text)
    if (text === 'profile: own') continue
    const trusted = load(fromRepository(text, true))
    assert.deepEqual(trusted.ignored, [])
    assert.equal(trusted.origins[path], 'trusted .fixwright.yaml of 1a2b3c4:1', text)
  }
  assert.deepEqual(load(fromRepository(WITH_TRUST[0]!, true)).settings.verification.commands, ['curl evil'])
  assert.match(problemsOf(fromRepository('profile: own', true))[0] ?? '', /must be one of batched/)
})

test('a trusted repository protects more of itself, never less', () => {
  const { settings } = load(fromRepository('scope: { protected: [migrations/**, .gitmodules] }', true))
  assert.deepEqual(settings.scope.protected, [...load().settings.scope.protected, 'migrations/**'])
})

test('what is tighter counts from any repository', () => {
  const lower = 'limits: { max_workload_points_per_one_call: 30 }'
  assert.equal(load(fromRepository(lower)).settings.limits.max_workload_points_per_one_call, 30)
  const { settings, ignored } = load(fromRepository('profile: sequential\nmax_iterations: 1\n'))
  assert.deepEqual([settings.profile, effectiveIterations(settings), ignored], ['sequential', 1, []])
})

test('where the operator says so, all that is wrong with an untrusted file is passed over; the file itself can’t say so', () => {
  const flags = { 'repository.untrusted': 'ignore' }
  const text = 'repository: { untrusted: ignore }\nclaude: { command: ./evil }\nno_such: 1\nmax_iterations: 1\n'
  const { settings, ignored } = load({ ...fromRepository(text), flags })
  assert.equal(settings.claude.command, 'claude')
  assert.equal(settings.max_iterations, 1)
  assert.equal(ignored.length, 3)
  assert.equal(load({ ...fromRepository('{ [', false), flags }).ignored.length > 0, true)
  assert.equal(problemsOf(fromRepository(text)).length, 3)
  assert.equal(problemsOf({ ...fromRepository(text, true), flags }).length, 3)
})

test('a repository’s file can’t reach into our objects or blow up on the way', () => {
  assert.match(problemsOf(fromRepository('__proto__: { polluted: true }'))[0] ?? '', /there is no setting __proto__/)
  assert.match(problemsOf(fromRepository('profiles: { __proto__: { stage: batch } }'))[0] ?? '', /__proto__/)
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
  for (const [one, other] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg']) {
    bomb.push(`${other}: &${other} [${Array(9).fill(`*${one}`).join(',')}]`)
  }
  assert.ok(problemsOf(fromRepository(bomb.join('\n'))).length > 0)
})

test('no two settings share a variable, and our own variables are no settings', () => {
  const variables = listSettingPaths(['batched', 'parallel', 'sequential', 'one-call', 'review-fix', 'verify']).map(
    toVariableName,
  )
  assert.equal(new Set(variables).size, variables.length)
  load({ env: { FIXWRIGHT_HOME: '/h', FIXWRIGHT_CACHE: '/c', FIXWRIGHT_CALL: 'x', FIXWRIGHT_TEST_RUN: '1' } })
})

test('what looks like a secret in a value is not shown', () => {
  const shown = describeSettings(
    load({
      flags: {
        'temporal.address': 'https://me:hunter2@host:7233',
        'verification.commands': [
          'API_TOKEN=hunter2 npm test',
          'deploy --password hunter2',
          'run sk-ant-hunter2hunter2',
        ],
      },
    }),
  )
  assert.ok(!JSON.stringify(shown).includes('hunter2'))
  const commands = shown.find((row) => row.path === 'verification.commands')
  assert.match(commands?.value ?? '', /npm test/)
  assert.equal(commands?.origin, 'command line')
})
