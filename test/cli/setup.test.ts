// What a newcomer meets first: help, doctor, config, and what `fix` says when something is missing.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { cliPaths } from '../../rehearsal/environment.ts'
import { repositoryOf } from '../support/session.ts'
import { type Desk, setDesk } from './support.ts'

function program(desk: Desk, name: string, script: string): string {
  const file = join(desk.folder, 'bin', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return dirname(file)
}

describe('setting up', { concurrency: 3 }, () => {
  test('every command explains itself, and each of its options', async (t) => {
    const desk = await setDesk(t)
    const { stdout } = await desk.run('--help')
    const names = [...stdout.matchAll(/^ {2}(?!fixwright )([a-z][a-z-]*) /gm)].map(([, name = '']) => name)
    const expected =
      'answer cancel completion config doctor fix github help import issue issues leftovers list logs pause plan pr repo report resume review review-fix review-pr scope status token trust up version watch watch-pr webhook'.split(
        ' ',
      )
    assert.deepEqual(names.sort(), expected)
    const helps = await Promise.all(names.filter((name) => name !== 'help').map((name) => desk.run(name, '--help')))
    for (const help of helps) {
      assert.equal(help.status, 0)
      for (const option of help.stdout.split('\n').filter((line) => line.startsWith('  -'))) {
        assert.match(option, /^ {2}(-\w, )?--[\w-]+( <[^>]+>| \[[^\]]+\])? {2,}\w/)
      }
    }
    assert.match((await desk.run('fix', '--help')).stdout, /Examples:\n {2}fixwright fix findings\.json/)
  })

  test('a mistyped command or option is told the right one', async (t) => {
    const desk = await setDesk(t)
    const [command, option] = await Promise.all([desk.run('staus', 'fx'), desk.run('list', '--jsn')])
    assert.deepEqual([command.status, option.status], [2, 2])
    assert.match(command.stderr, /Did you mean status\?/)
    assert.match(option.stderr, /Did you mean --json\?/)
    const [unknown, known] = await Promise.all([desk.run('help', 'staus'), desk.run('help', 'status')])
    assert.deepEqual([unknown.status, unknown.stdout, known.status], [2, '', 0])
    assert.match(unknown.stderr, /unknown command 'staus'/)
    assert.match(known.stdout, /^Usage: fixwright status /)
  })

  test('options that contradict each other, and values that are none, are refused in the words that were typed', async (t) => {
    const desk = await setDesk(t)
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['trust', '--list', '--revoke'], /^fixwright: option '--list' cannot be used with option '--revoke'/],
      [['trust', '--revoke', '--without', 'hooks'], /'--revoke' cannot be used with option '--without/],
      [['fix'], /^fixwright: give either findings, or --open for the open issues of the store/],
      [['report', 'fx', '--bogus\u001b[2J'], /^fixwright: unknown option '--bogus'/],
      [['fix', 'x.json', '--set', 'x'], /^fixwright: option '--set <path=value>' argument 'x' is invalid/],
      [
        ['up', '--temporal', 'a:1', '--set', 'temporal.address=b:1'],
        /--temporal and --set temporal\.address are the same/,
      ],
    ]
    for (const [args, words] of cases) {
      const { status, stdout, stderr } = await desk.run(...args)
      assert.deepEqual([status, stdout], [2, ''], args.join(' '))
      assert.match(stderr, words)
    }
  })

  test('doctor finds what is there, shows no key, calls no model, and ends with 0', async (t) => {
    const desk = await setDesk(t)
    const env = {
      PATH: `${cliPaths().bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
      ANTHROPIC_API_KEY: 'sk-secret-one',
      GEMINI_API_KEY: 'secret-two',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9',
    }
    const { status, stdout, stderr } = await desk.runWith(env, 'doctor', '--json')
    const { ready, checks } = JSON.parse(stdout)
    assert.deepEqual([status, ready, stderr], [0, true, ''], stdout)
    const found = Object.fromEntries(checks.map((check: { what: string; found: string }) => [check.what, check.found]))
    assert.match(found.claude, /^2\.\d+\.\d+ \(/)
    assert.match(found.gemini, /^0\.\d+\.\d+ \(/)
    assert.match(found['claude sign-in'], /ANTHROPIC_API_KEY/)
    assert.match(found.git, /^2\.\d+/)
    assert.match(found.home, /mode 700/)
    assert.doesNotMatch(stdout, /secret/)
  })

  test('doctor says which entries of the PATH are passed over, and finds nothing there', async (t) => {
    const desk = await setDesk(t)
    for (const name of ['git', 'claude']) program({ ...desk, folder: desk.folder }, name, 'echo it is mine')
    const { stdout } = await desk.runWith({ PATH: './bin::/usr/bin:/bin' }, 'doctor')
    assert.match(stdout, /PATH +not looked into for git, bubblewrap and the CLIs: "\.\/bin", ""\n +.*from the root/)
    assert.doesNotMatch(stdout, /it is mine/)
    assert.match(stdout, /✗ claude +not found/)
    assert.doesNotMatch((await desk.run('doctor')).stdout, /not looked into/)
  })

  test('doctor says what is missing and how to get it, and ends with 3', async (t) => {
    const desk = await setDesk(t)
    writeFileSync(desk.home.settingsFile, 'claude:\n  timeout: 5\n')
    const settings = await desk.run('doctor')
    assert.equal(settings.status, 3)
    assert.match(settings.stdout, /✗ settings +.*claude\.timeout; did you mean claude\.timeout_seconds\?/)
    writeFileSync(desk.home.settingsFile, '')
    const broken = program(desk, 'claude', 'echo "it is broken" >&2; exit 1')
    const { status, stdout } = await desk.runWith(
      { PATH: `${broken}:/usr/bin:/bin` },
      'doctor',
      '--temporal',
      '127.0.0.1:9',
    )
    assert.equal(status, 3)
    assert.match(stdout, /✗ claude +.*told no version: it is broken/)
    assert.match(stdout, /✗ gemini +not found\n +.*npm install -g @google\/gemini-cli/)
    assert.match(stdout, /✗ Temporal +nothing answers at 127\.0\.0\.1:9\n/)
    assert.match(stdout, /missing: claude, gemini, Temporal\n/)
  })

  test('config shows each value and where it came from; a wrong path is told the right one', async (t) => {
    const desk = await setDesk(t)
    writeFileSync(desk.home.settingsFile, 'gemini:\n  timeout_seconds: 60\n')
    const rows = JSON.parse(
      (await desk.runWith({ FIXWRIGHT_PROFILE: 'sequential' }, 'config', '--json', '--set', 'max_iterations=4')).stdout,
    )
    const at = Object.fromEntries(rows.map(({ path, ...row }: { path: string }) => [path, row]))
    assert.deepEqual(at.profile, { value: 'sequential', origin: 'FIXWRIGHT_PROFILE' })
    assert.deepEqual(at.max_iterations, { value: 4, origin: 'command line' })
    assert.deepEqual(at['gemini.timeout_seconds'], { value: 60, origin: `${desk.home.settingsFile}:2` })
    assert.deepEqual(at['claude.command'], { value: 'claude', origin: 'default' })
    const group = await desk.run('config', 'gemini')
    assert.match(group.stdout, /^gemini\.command +gemini +default\ngemini\.timeout_seconds +60 +\S+:2\n/)
    const wrong = await desk.run('config', 'gemini.timeout')
    assert.equal(wrong.status, 2)
    assert.match(wrong.stderr, /did you mean gemini\.timeout_seconds\?/)
    const bad = await desk.run('config', '--set', 'gemini.timeout_seconds=-1')
    assert.equal(bad.status, 2)
  })

  test('config shows what a repository says, and refuses what it may not say', async (t) => {
    const desk = await setDesk(t)
    const repo = join(desk.folder, 'repo')
    repositoryOf({ '.fixwright.yaml': 'profile: sequential\n', 'a.txt': 'a\n' })(repo)
    const fine = await desk.run('config', 'profile', '--repo', repo)
    assert.match(fine.stdout, /^profile +sequential +\.fixwright\.yaml of \w{10}:1\n$/)
    writeFileSync(join(repo, '.fixwright.yaml'), 'claude:\n  command: ./evil\n')
    const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args], { stdio: 'pipe' })
    git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qam', 'evil')
    const refused = await desk.run('config', '--repo', repo)
    assert.equal(refused.status, 2)
    assert.match(refused.stderr, /claude\.command: a repository may not set this/)
  })

  test('fix refuses with 3 when a CLI is missing, says how to get it, and leaves nothing behind; with no attempt it is not needed', async (t) => {
    const desk = await setDesk(t)
    const repo = join(desk.folder, 'repo')
    repositoryOf({ 'a.py': 'x = 1\n' })(repo)
    const findings = join(desk.folder, 'findings.json')
    writeFileSync(findings, JSON.stringify([{ issue_code: 'A-1', title: 'x is wrong', file: 'a.py' }]))
    const none = await desk.run('fix', findings, '--repo', repo, '--max-fix-cycles', '0')
    assert.equal(none.status, 0)
    assert.match(none.stdout, /^no session was begun: 0 of 1 fixed, 0 failed, 1 skipped/m)
    const { status, stderr } = await desk.run('fix', findings, '--repo', repo)
    assert.equal(status, 3)
    assert.match(stderr, /npm install -g @anthropic-ai\/claude-code.*claude\.command/)
    assert.match(stderr, /npm install -g @google\/gemini-cli/)
    assert.deepEqual(await desk.store.sessions.list(), [])
    assert.deepEqual(await desk.store.issues.list(), [])
  })
})
