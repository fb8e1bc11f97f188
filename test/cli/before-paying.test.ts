// What `fix` looks at before anything is paid for, all of it at once: files, keys, sign-ins, versions, checks, size.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readOwnIdentity } from '../../src/platform/processes/process-identity.ts'
import { writeInstanceFile } from '../../src/runtime/instance/instance-file.ts'
import { repositoryOf } from '../support/session.ts'
import { type Desk, type Ran, setDesk } from './support.ts'

const KEYS = { ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' }

async function setStart(t: Parameters<typeof setDesk>[0], versions = { claude: '2.1.327', gemini: '0.61.0' }) {
  const desk = await setDesk(t)
  const repository = join(desk.folder, 'repo')
  repositoryOf({ 'src/cart.py': 'x = 1\n', 'src/deep/price.py': 'y = 1\n' })(repository)
  const bin = join(desk.folder, 'bin')
  mkdirSync(bin)
  for (const [name, version] of Object.entries(versions)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  }
  const PATH = `${bin}:${desk.environment.PATH}`
  const fix = (findings: readonly object[], env: Record<string, string> = KEYS, ...args: string[]): Promise<Ran> => {
    const file = join(desk.folder, 'findings.json')
    writeFileSync(file, JSON.stringify(findings))
    // No server is there: a start that passes every check ends here, and nothing is ever paid.
    const nowhere = ['--temporal', '127.0.0.1:9']
    return desk.runWith({ PATH, ...env }, 'fix', file, '--repo', repository, ...nowhere, ...args)
  }
  return { desk, PATH, fix }
}

const finding = (code: string, more: object = {}): object => ({
  issue_code: code,
  title: `About ${code}`,
  file: 'src/cart.py',
  ...more,
})

async function hasNothing({ store }: Desk): Promise<void> {
  assert.deepEqual([await store.sessions.list(), await store.issues.list()], [[], []])
}

describe('before anything is paid', { concurrency: 3 }, () => {
  test('files that are not there, a folder, and a missing key are told at once, with what was meant', async (t) => {
    const { desk, fix } = await setStart(t)
    const findings = [
      finding('A-1', { file: 'price.py' }),
      finding('A-2', { file: 'src/deep' }),
      finding('A-3', { file: 'src/gone.py' }),
      finding('A-4'),
    ]
    const { status, stderr } = await fix(findings, { ANTHROPIC_API_KEY: 'k' })
    assert.equal(status, 2)
    assert.match(
      stderr,
      /A-1: price\.py is no file of the repository \(did you mean src\/deep\/price\.py\?\), at \w+ \(\w{10}\)/,
    )
    assert.match(stderr, /A-2: src\/deep is a folder: name a file in it/)
    assert.match(stderr, /A-3: src\/gone\.py is no file of the repository, at/)
    assert.doesNotMatch(stderr, /A-4/)
    assert.match(stderr, /gemini has no key and no sign-in here: .*set GEMINI_API_KEY/)
    await hasNothing(desk)
  })

  test('a misspelt key is told the right one, and another tool’s own key is left alone', async (t) => {
    const { desk, fix } = await setStart(t)
    const { status, stderr } = await fix([finding('A-1', { severty: 'critical', cwe: 79, rule: 'x' })])
    assert.equal(status, 2)
    assert.match(stderr, /\[0\]\.severty: is no key of a finding; did you mean severity\?/)
    assert.doesNotMatch(stderr, /cwe|rule/)
    await hasNothing(desk)
  })

  test('a missing sign-in and a version that is too old end the start with 3, by the codes for them', async (t) => {
    const { desk, fix } = await setStart(t, { claude: '2.0.9', gemini: '0.61.0' })
    const json = await fix([finding('A-1')], { ANTHROPIC_API_KEY: 'k' }, '--json')
    assert.equal(json.status, 3)
    const { error } = JSON.parse(json.stdout)
    assert.equal(error.code, 'command_too_old')
    assert.match(error.message, /claude 2\.0\.9 is too old[\s\S]*gemini has no key/)
    const plain = await fix([finding('A-1')], { GEMINI_API_KEY: 'k' }, '--profile', 'verify', '--verify', 'true')
    assert.equal(plain.status, 3)
    assert.doesNotMatch(plain.stderr, /gemini/)
    await hasNothing(desk)
  })

  test('a check whose program is not installed is told with the rest, unless it is ignored or a setup comes first', async (t) => {
    const { desk, fix } = await setStart(t)
    const findings = [finding('A-1', { file: 'src/gone.py' })]
    const checks = ['--verify', 'cd src && test -e cart.py', '--verify', 'no-such-runner --all']
    const { status, stderr } = await fix(findings, KEYS, ...checks)
    assert.equal(status, 2)
    assert.match(
      stderr,
      /A-1: src\/gone\.py is no file[\s\S]*"no-such-runner --all" can't run: no-such-runner is not installed here/,
    )
    assert.doesNotMatch(stderr, /"cd src/)
    for (const more of [
      ['--ignore-broken-checks', 'no-such-runner --all'],
      ['--setup', 'true'],
    ]) {
      const ended = await fix([finding('A-1')], KEYS, ...checks, ...more)
      assert.deepEqual([ended.status, /no-such-runner/.test(ended.stderr)], [3, false], ended.stderr)
    }
    await hasNothing(desk)
  })

  test('the environment of a running instance counts, not that of the terminal', async (t) => {
    const { desk, fix, PATH } = await setStart(t)
    writeInstanceFile(desk.home, {
      identity: readOwnIdentity(),
      version: '0.1.0',
      startedAt: new Date().toISOString(),
      embedded: false,
      address: '127.0.0.1:9',
      uiUrl: null,
      namespace: 'fixwright',
      taskQueue: 'queue',
      hostQueue: 'queue-host',
      attributes: [],
      environment: { PATH, HOME: desk.folder, ANTHROPIC_API_KEY: '(set)' },
    })
    const { status, stderr } = await fix([finding('A-1')])
    assert.equal(status, 3, stderr)
    assert.match(
      stderr,
      /gemini has no key and no sign-in in the environment of the running instance: end what holds it/,
    )
    await hasNothing(desk)
  })

  test('what is to come is told in one line, and many issues want --yes where nobody can be asked', async (t) => {
    const { desk, fix } = await setStart(t)
    const many = Array.from({ length: 51 }, (_, n) => finding(`A-${n}`))
    const refused = await fix(many)
    assert.equal(refused.status, 2)
    assert.match(
      refused.stderr,
      /^sandbox: agents run in \S.*\nto come: 51 issue\(s\), 22 to 44 agent calls, roughly \d+k tokens or more/,
    )
    assert.match(
      refused.stderr,
      /51 issues are more than limits\.ask_above_issues \(50\): give --yes, or choose some with --only/,
    )
    await hasNothing(desk)
    for (const args of [['--yes'], ['--set', 'limits.ask_above_issues=100']]) {
      const begun = await fix(many, KEYS, ...args)
      // It went on to what comes next: the server that is not there.
      assert.deepEqual([begun.status, /127\.0\.0\.1:9/.test(begun.stderr)], [3, true], begun.stderr)
    }
  })
})
