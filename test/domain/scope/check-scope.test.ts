import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import {
  checkScope,
  filterFilesToAskAbout,
  type Scope,
  type ScopedChange,
} from '../../../src/domain/scope/check-scope.ts'
import { Settings } from '../../../src/domain/settings/schema.ts'

const settings = Settings.parse(parse(readFileSync(new URL('../../../config/settings.yaml', import.meta.url), 'utf8')))
const DEFAULTS: Scope = settings.scope
const WEB: Scope = { ...DEFAULTS, workspace_path: 'packages/web', allowed_extra_paths: ['packages/shared', 'Makefile'] }

/** All of it changed by A, whose issue is about package-lock.json. */
function check(changes: readonly ScopedChange[], scope: Scope = DEFAULTS) {
  const owners = Object.fromEntries(
    changes.flatMap(({ path, from }) => [path, from ?? path]).map((path) => [path, ['A']]),
  )
  return checkScope(changes, owners, [{ code: 'A', file: 'package-lock.json' }], scope)
}

function asked(changes: readonly ScopedChange[], scope?: Scope): string[] {
  const { outside, violations, outOfScope } = check(changes, scope)
  assert.deepEqual([violations, outOfScope], [[], []])
  return outside.map(({ path, why }) => `${path}: ${why}`)
}

function never(...changes: ScopedChange[]): readonly string[] {
  const { violations, outOfScope, outside } = check(changes)
  assert.deepEqual(outOfScope, violations.length > 0 ? ['A'] : [])
  assert.deepEqual(outside, [])
  return violations
}

test('a lockfile is spared for its own issue, however many others there are, and for no other one', () => {
  const issues = [
    { code: 'A', file: 'package-lock.json' },
    { code: 'B', file: 'src/app.ts' },
  ]
  const changed = (code: string) =>
    checkScope([{ path: 'package-lock.json' }], { 'package-lock.json': [code] }, issues, DEFAULTS)
  assert.deepEqual(changed('A').outside, [])
  assert.deepEqual(
    changed('B').outside.map(({ why }) => why),
    ['protected'],
  )
})

test('of what a path brings, what is asked about waits, and what is rejected fails its issue', () => {
  const brings = (decision: 'ask' | 'reject') =>
    check([{ path: 'a.bin' }], { ...DEFAULTS, findAdditions: () => [{ decision, why: 'a binary' }] })
  assert.deepEqual(brings('ask').outside, [{ path: 'a.bin', why: 'a binary', codes: ['A'] }])
  assert.deepEqual([brings('reject').outside, brings('reject').violations], [[], ['a.bin (a binary)']])
})

describe('protected paths', () => {
  const cases = [
    'CLAUDE.md',
    'Claude.MD',
    'CLAUDE\u200b.md',
    'docs/.hidden/AGENTS.md',
    '.github/workflows/.deploy.yml',
    '.GitHub/workflows/x.yml',
    '.github/wor\u212aflowſ/x.yml',
    'web/.claude/.settings.json',
    '.lefthook.yml',
    'lefthook.yml',
    'a/.env.production',
    'a/yarn.lock',
    '.pre-commit-config.yaml',
    '.vscode/tasks.json',
    'web/.devcontainer/devcontainer.json',
    '.devcontainer.json',
    'app.code-workspace',
    '.envrc',
    'web/.npmrc',
    '.yarnrc.yml',
    '.yarn/releases/yarn-4.cjs',
    '.pnpmfile.cjs',
    '.cargo/config.toml',
    'gradle/wrapper/gradle-wrapper.properties',
    '.cursor/rules/x.mdc',
    '.cursorrules',
    '.clinerules',
    '.windsurf/rules.md',
    '.github/copilot-instructions.md',
    '.github/CODEOWNERS',
    'CODEOWNERS',
    '.github/dependabot.yml',
    '.woodpecker.yml',
    '.woodpecker/test.yaml',
    '.forgejo/workflows/ci.yml',
    'appveyor.yml',
    '.mise.toml',
    'mise.local.toml',
    '.huskyrc.json',
    '.lintstagedrc',
    '.dir-locals.el',
    // What has to be protected whatever else the settings come to name.
    ...['AGENTS.md', 'web/GEMINI.md', '.claude/agents/x.md', '.gemini/settings.json', '.mcp.json', 'web/.mcp.json'],
    ...['.env', 'web/.env', '.fixwright.yaml', '.gitmodules', 'web/.gitattributes', '.netrc'],
    ...['.github/actions/x/action.yml', '.gitlab-ci.yml', '.gitlab/ci/x.yml', '.circleci/config.yml', '.travis.yml'],
    ...['Jenkinsfile', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', '.buildkite/x.yml', '.drone.yml', '.ci/run'],
    ...['web/package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'bun.lock', 'uv.lock', 'web/poetry.lock'],
    ...['Pipfile.lock', 'Cargo.lock', 'go.sum', 'Gemfile.lock', 'composer.lock', 'flake.lock'],
  ]
  for (const path of cases) {
    test(`${JSON.stringify(path)} asks`, () => assert.deepEqual(asked([{ path }]), [`${path}: protected`]))
  }

  test('every pattern of the settings protects what it says', () => {
    const { protected: always, protected_unless_about: unlessAbout } = DEFAULTS
    for (const glob of [...always, ...unlessAbout]) {
      const first = glob.replace(/\{([^,}]*)[^}]*\}/g, '$1')
      const path = first
        .replace(/^\*\*\//, '.a/b/')
        .replace(/\*\*$/, 'c/.d')
        .replaceAll('*', 'x')
      const { outside, violations } = check([{ path }])
      assert.equal(outside.length + violations.length, 1, `${glob}: ${path}`)
    }
  })

  test('an accent is the same however it is composed', () => {
    const scope = { ...DEFAULTS, protected: ['caf\u00e9/**', 'r?sum\u00e9'] }
    for (const path of ['cafe\u0301/x', 'CAFE\u0301/x', 'r\u00e9sum\u00e9', 're\u0301sume\u0301']) {
      assert.deepEqual(asked([{ path }], scope), [`${path}: protected`])
    }
  })

  test('a name that only looks like a protected one may be changed', () => {
    assert.deepEqual(asked([{ path: 'src/environment.ts' }, { path: 'docs/git/config' }, { path: 'ci/run' }]), [])
  })

  test('what an issue is about may be changed by its fix, by no other', () => {
    const changes = [{ path: 'package-lock.json' }]
    const issues = [{ code: 'A', file: 'package-lock.json' }]
    assert.deepEqual(checkScope(changes, { 'package-lock.json': ['A'] }, issues, DEFAULTS).outside, [])
    assert.deepEqual(checkScope(changes, { 'package-lock.json': ['B'] }, issues, DEFAULTS), {
      violations: [],
      outOfScope: [],
      outside: [{ path: 'package-lock.json', why: 'protected', codes: ['B'] }],
    })
  })

  test('a finding is no permission: what is protected asks also where an issue is about it, but for a lockfile [S4-17]', () => {
    const about = (path: string) => {
      const { outside, outOfScope } = checkScope([{ path }], { [path]: ['A'] }, [{ code: 'A', file: path }], DEFAULTS)
      return [...outside.map(({ why }) => why), ...outOfScope]
    }
    for (const path of [
      'CLAUDE.md',
      '.github/workflows/ci.yml',
      '.claude/settings.json',
      '.env',
      '.husky/pre-commit',
      '.npmrc',
    ])
      assert.deepEqual(about(path), ['protected'], path)
    for (const path of ['web/yarn.lock', 'Cargo.lock', 'go.sum', 'uv.lock']) assert.deepEqual(about(path), [], path)
  })

  test('a rename out of a protected path, or into one, counts', () => {
    assert.deepEqual(asked([{ path: 'notes.md', from: 'CLAUDE.md' }]), ['CLAUDE.md: protected'])
    assert.deepEqual(asked([{ path: 'x/AGENTS.md', from: 'notes.md' }]), ['x/AGENTS.md: protected'])
  })
})

describe('the workspace (S2-31)', () => {
  const inside = [
    'packages/web/a.ts',
    'packages/web/.eslintrc',
    'packages/web/.config/..x/y',
    'packages/shared/deep/er/b.ts',
    'Makefile',
  ]
  const outside = [
    'packages/webapp/a.ts',
    'packages/web.ts',
    'packages/we',
    'packages/Web/a.ts',
    'Packages/web/a.ts',
    'packages/we\u200bb/a.ts',
    'packages/shared2/a.ts',
    'packages/.shared/a.ts',
    'Makefile.am',
    'makefile',
    '.editorconfig',
    'README.md',
    'x/packages/web/a.ts',
    'packages/web\\a.ts',
  ]
  test('what lies in it or in the extra paths may be changed, dotfiles too', () => {
    assert.deepEqual(
      asked(
        inside.map((path) => ({ path })),
        WEB,
      ),
      [],
    )
  })
  for (const path of outside) {
    test(`${JSON.stringify(path)} asks`, () => {
      assert.deepEqual(asked([{ path }], WEB), [`${path}: outside the workspace`])
    })
  }

  test('a path allows the same with a slash at its end and a dot before it; one that leaves the repository allows nothing', () => {
    const spelled = (workspace_path: string) =>
      asked([{ path: 'packages/web/a' }, { path: 'packages/webapp/a' }], { ...DEFAULTS, workspace_path }).length
    assert.deepEqual(['packages/web/', './packages//web', 'packages/x/../web'].map(spelled), [1, 1, 1])
    assert.deepEqual(['../packages', '/packages/web', '.', '/', '.git', 'packages/*'].map(spelled), [2, 2, 2, 2, 2, 2])
  })

  test('without one it is the whole repository', () => {
    assert.deepEqual(asked([{ path: 'any/where' }, { path: 'CLAUDE.md' }], DEFAULTS), ['CLAUDE.md: protected'])
  })

  test('both ends of a rename count', () => {
    const [here, there] = ['packages/web/a.ts', 'packages/api/a.ts']
    assert.deepEqual(asked([{ path: here, from: there }], WEB), [`${there}: outside the workspace`])
    assert.deepEqual(asked([{ path: there, from: here }], WEB), [`${there}: outside the workspace`])
  })

  test('a file outside of it that an issue is about still asks, and so does what is protected in it', () => {
    assert.deepEqual(asked([{ path: 'package-lock.json' }], WEB), ['package-lock.json: outside the workspace'])
    assert.deepEqual(asked([{ path: 'packages/web/yarn.lock' }], WEB), ['packages/web/yarn.lock: protected'])
    assert.deepEqual(asked([{ path: 'packages/api/yarn.lock' }], WEB), [
      'packages/api/yarn.lock: outside the workspace, protected',
    ])
  })
})

describe('links and submodules', () => {
  const leaving = ['/etc/passwd', '../../x', 'C:\\x', '..\\x', 'a/../../x', '../.git/hooks', '../.GIT/config', 'out/x']
  const links = new Map([
    ['docs/out', '/srv'],
    ['docs/loop', 'loop2/x'],
    ['docs/loop2', 'loop'],
    ['docs/in', '../src/lib'],
    ['src/lib', '../vendor'],
  ])
  const linkAt = (path: string) => links.get(path)

  for (const symlink of [...leaving, 'loop/y']) {
    test(`a link to ${symlink} leaves the tree`, () => {
      const { violations, outOfScope, outside } = check([{ path: 'docs/link', symlink }], {
        ...DEFAULTS,
        readLink: linkAt,
      })
      assert.deepEqual([violations.length, outOfScope, outside], [1, ['A'], []])
    })
  }
  for (const symlink of ['..', '../src/x', './x', 'x/y', 'in/x']) {
    test(`a link to ${symlink} stays inside`, () => {
      assert.deepEqual(asked([{ path: 'docs/link', symlink }], { ...DEFAULTS, readLink: linkAt }), [])
    })
  }

  test('a link in the workspace that leads out of it asks, unless what it leads to is allowed (S2-31)', () => {
    const why = (symlink: string, more: Partial<Scope> = {}) =>
      asked([{ path: 'packages/web/link', symlink }], { ...WEB, ...more }).length
    assert.deepEqual(
      ['../api', '../../README.md', '..', '../..', '../webapp/x', '../../packages'].map((to) => why(to)),
      [1, 1, 1, 1, 1, 1],
    )
    assert.deepEqual(
      ['.', 'x', '../web/x', '../shared', '../shared/x', '../../Makefile'].map((to) => why(to)),
      [0, 0, 0, 0, 0, 0],
    )
    assert.equal(why('../api/x', { grants: ['packages/api/'] }), 0)
    assert.equal(why('../api', { grants: ['packages/api/'] }), 0)
    assert.equal(why('../api/x', { grants: ['packages/api/x'] }), 0)
    assert.equal(why('../api/x', { grants: ['packages/web/link'] }), 0)
    assert.equal(why('../api/x', { grants: ['packages/web/', 'packages/ap', 'packages/api'] }), 1)
  })

  test('what a link leads to is followed through other links', () => {
    const through = new Map([['packages/web/lib', '../api/lib']])
    const scope = { ...WEB, readLink: (path: string) => through.get(path) }
    assert.deepEqual(asked([{ path: 'packages/web/link', symlink: 'lib/x' }], scope), [
      'packages/web/link: a link to lib/x, outside the workspace',
    ])
  })

  test('a submodule is none of an issue’s business, granted or not', () => {
    assert.deepEqual(never({ path: 'vendor/x', submodule: true }), ['vendor/x (a submodule)'])
    const granted = { ...DEFAULTS, grants: ['vendor/x', 'vendor/'] }
    assert.deepEqual(check([{ path: 'vendor/x', submodule: true }], granted).outOfScope, ['A'])
  })
})

describe('what no person can let through', () => {
  const gits = ['.git/config', 'nested/.git/config', 'a/.GIT/x', '.g\u200cit/x', '.git./x', '.git /x', 'a/GIT~1/x']
  const more = ['.git::$INDEX_ALLOCATION/x', 'a/.git\\config', '.git:x', '.g\u0131t/x', '.\u034fgit']
  for (const path of [...gits, ...more]) {
    test(`${JSON.stringify(path)} is git’s own`, () => assert.deepEqual(never({ path }), [`${path} (git's own)`]))
  }
  for (const path of ['.husky', '.husky/pre-commit', 'web/.HUSKY/x', '.githooks/pre-push', '.git\u200bhooks/x']) {
    test(`${JSON.stringify(path)} is a hook`, () => assert.deepEqual(never({ path }), [`${path} (a hook)`]))
  }
  test('a rename into a hook counts; an issue about that very hook may change it', () => {
    assert.deepEqual(never({ path: '.husky/pre-commit', from: 'notes.md' }), ['.husky/pre-commit (a hook)'])
    const about = [{ code: 'A', file: '.husky/pre-commit' }]
    const changes = [{ path: '.husky/pre-commit' }]
    assert.deepEqual(checkScope(changes, { '.husky/pre-commit': ['A'] }, about, DEFAULTS).violations, [])
    assert.deepEqual(checkScope(changes, { '.husky/pre-commit': ['B'] }, about, DEFAULTS).outOfScope, ['B'])
  })
  test('.gitignore and the like are files as any other', () => {
    assert.deepEqual(asked([{ path: '.gitignore' }, { path: 'a/.gitkeep' }, { path: 'git/config' }]), [])
  })
})

describe('what people let through', () => {
  const outside = [{ path: 'packages/api/a.ts' }, { path: 'packages/api/sub/b.ts' }, { path: 'packages/apis/c.ts' }]
  const left = (...grants: string[]) => asked(outside, { ...WEB, grants }).map((line) => line.split(':')[0])

  test('a path opens itself, a folder what lies in it, and neither anything else', () => {
    assert.deepEqual(left('packages/api/a.ts'), ['packages/api/sub/b.ts', 'packages/apis/c.ts'])
    assert.deepEqual(left('packages/api/'), ['packages/apis/c.ts'])
    const useless = [
      'packages/api',
      'Packages/api/',
      'packages/api/a',
      '/',
      './packages/',
      'api/',
      '',
      '*',
      'packages/*',
    ]
    assert.equal(left(...useless).length, 3)
  })

  test('a protected file is opened by its name, or by a folder in which everything is protected', () => {
    const files = ['packages/web/CLAUDE.md', '.github/workflows/ci.yml', 'docs/.claude/x'].map((path) => ({ path }))
    const open = (...grants: string[]) => 3 - asked(files, { ...DEFAULTS, grants }).length
    assert.equal(open('packages/web/CLAUDE.md'), 1)
    assert.equal(open('packages/web/', 'packages/', '.github/', 'docs/'), 0)
    assert.equal(open('.github/workflows/'), 1)
    assert.equal(open('docs/.claude/'), 1)
    assert.equal(open('.GitHub/workflows/'), 0)
  })
})

test('a change that was undone is no violation, whatever its name', () => {
  for (const path of ['CLAUDE.md', '.git/x', 'constructor', '__proto__']) {
    const none = { violations: [], outOfScope: [], outside: [] }
    assert.deepEqual(checkScope([{ path }], {}, [], { ...DEFAULTS, protected: ['**'] }), none)
  }
})

test('nobody is asked about what goes anyway, with an issue of the same knot', () => {
  const file = (path: string, ...codes: string[]) => ({ path, why: 'protected', codes })
  const outside = [file('a', 'A'), file('b', 'B'), file('c', 'C'), file('d', 'D', 'E')]
  const owners = { a: ['A'], b: ['B'], shared: ['A', 'B'], c: ['C'], d: ['D', 'E'], e: ['E', 'F'] }
  const left = (...outOfScope: string[]) => filterFilesToAskAbout(outside, owners, outOfScope).map(({ path }) => path)
  assert.deepEqual(left(), ['a', 'b', 'c', 'd'])
  assert.deepEqual(left('A'), ['c', 'd'])
  assert.deepEqual(left('F'), ['a', 'b', 'c'])
})

describe('whatever the paths', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'packages',
      'web',
      'webapp',
      'Web',
      '.web',
      'api',
      '.git',
      '.GIT',
      '.husky',
      'CLAUDE.md',
      'a.ts',
      '..a',
    ),
    fc.string({ minLength: 1, maxLength: 4 }).filter((text) => !/[/\0]/.test(text) && text !== '.' && text !== '..'),
  )
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'))
  const grant = fc.oneof(
    path,
    path.map((each) => `${each}/`),
  )
  const scopeOf = fc.record({
    workspace_path: fc.constantFrom('packages/web', 'packages', 'api', 'web/'),
    allowed_extra_paths: fc.array(path, { maxLength: 2 }),
    protected: fc.constant(DEFAULTS.protected),
    protected_unless_about: fc.constant([]),
  })

  function verdictOn(each: string, scope: Scope): 'free' | 'asks' | 'never' {
    const { outside, outOfScope } = checkScope([{ path: each }], { [each]: ['A'] }, [], scope)
    return outOfScope.length > 0 ? 'never' : outside.length > 0 ? 'asks' : 'free'
  }

  test('nothing is free but what lies, name by name, in a folder that is (S2-31)', () => {
    fc.assert(
      fc.property(path, scopeOf, (each, scope) => {
        if (verdictOn(each, scope) !== 'free') return
        const folders = [scope.workspace_path, ...scope.allowed_extra_paths].map((folder) =>
          folder.split('/').filter((part) => part !== '' && part !== '.'),
        )
        const names = each.split('/')
        assert.ok(folders.some((folder) => folder.every((part, at) => names[at] === part)))
      }),
      { numRuns: 2000 },
    )
  })

  test('a grant never opens what it does not cover, nor what nobody can let through', () => {
    fc.assert(
      fc.property(path, scopeOf, fc.array(grant, { maxLength: 3 }), grant, (each, scope, before, added) => {
        const without = verdictOn(each, { ...scope, grants: before })
        const withIt = verdictOn(each, { ...scope, grants: [...before, added] })
        if (without === withIt) return
        assert.deepEqual([without, withIt], ['asks', 'free'])
        assert.ok(added.endsWith('/') ? each.startsWith(added) : each === added)
      }),
      { numRuns: 2000 },
    )
  })

  test('another spelling of a path is never freer than git’s own and what is protected', () => {
    const hidden = fc.constantFrom('\u200b', '\u200d', '\ufeff', '\u00ad', '\u034f', '\ufe0f')
    const spelled = fc.tuple(fc.constantFrom('.git', 'a/.git', 'CLAUDE.md', '.env.x'), fc.nat(), hidden, fc.boolean())
    fc.assert(
      fc.property(spelled, ([each, seed, invisible, loud]) => {
        const at = seed % (each.length + 1)
        const text = each.slice(0, at) + invisible + each.slice(at)
        assert.equal(verdictOn(loud ? text.toUpperCase() : text, DEFAULTS), each.endsWith('.git') ? 'never' : 'asks')
      }),
    )
  })
})
