// Whatever breaks below a command, it ends with a sentence, a code and status 3, and shows a stack trace only to who asks for one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readOwnIdentity } from '../../src/platform/processes/process-identity.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { writeInstanceFile } from '../../src/runtime/instance/instance-file.ts'
import { repositoryOf } from '../support/session.ts'
import { addSession, type Desk, type Ran, setDesk } from './support.ts'

const BIN = join(packageRoot(), 'bin', 'fixwright')
const TRACE = /^ {4}at /m

function setRepository(desk: Desk): readonly [findings: string, repository: string] {
  const repository = join(desk.folder, 'repo')
  repositoryOf({ 'a.py': 'x = 1\n' })(repository)
  const findings = join(desk.folder, 'findings.json')
  writeFileSync(findings, JSON.stringify([{ issue_code: 'A-1', title: 'x is wrong', file: 'a.py' }]))
  return [findings, repository]
}

/** Through a shell, for its redirections and limits. */
function runInShell({ environment, folder }: Desk, script: string): Ran {
  const env = { ...environment, BIN }
  try {
    const stdout = execFileSync('/bin/sh', ['-c', script], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
    return { status: 0, stdout, stderr: '' }
  } catch (error) {
    const { status, stdout, stderr } = error as Ran
    return { status, stdout, stderr }
  }
}

function isSentence({ status, stderr }: Ran, words: RegExp): void {
  assert.match(stderr, words)
  assert.doesNotMatch(stderr, TRACE)
  assert.equal(status, 3, stderr)
}

describe('a command that breaks', { concurrency: 3 }, () => {
  test('names the one command that helps where git takes the repository for another user’s, and doctor goes on', {
    skip: process.getuid?.() !== 0 && 'only root can give a folder away',
  }, async (t) => {
    const desk = await setDesk(t)
    const [findings, repository] = setRepository(desk)
    for (const path of [repository, join(repository, '.git')]) chownSync(path, 12_345, 12_345)
    const words = /belongs to another user.*git config --global --add safe\.directory \S+\/repo/
    for (const args of [['fix', findings], ['trust'], ['config']]) {
      isSentence(await desk.run(...args, '--repo', repository), words)
    }
    const json = await desk.run('fix', findings, '--repo', repository, '--json')
    assert.equal(JSON.parse(json.stdout).error.code, 'git_refuses')
    assert.match((await desk.run('fix', findings, '--repo', repository, '--debug')).stderr, TRACE)
    const doctor = await desk.run('doctor', '--repo', repository)
    assert.match(doctor.stdout, /✗ repository +git refuses .*safe\.directory/)
    assert.match(doctor.stdout, /✓ store /)
  })

  test('says that git is not there', async (t) => {
    const desk = await setDesk(t)
    const [findings, repository] = setRepository(desk)
    const bin = join(desk.folder, 'bin')
    mkdirSync(bin)
    for (const name of ['sh', 'dirname', 'readlink']) {
      const found = ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find((path) => existsSync(path))
      if (found) symlinkSync(found, join(bin, name))
    }
    symlinkSync(process.execPath, join(bin, 'node'))
    isSentence(await desk.runWith({ PATH: bin }, 'fix', findings, '--repo', repository), /git is not on the PATH/)
  })

  test('says which store is damaged, and so does doctor', async (t) => {
    const desk = await setDesk(t)
    const FIXWRIGHT_HOME = join(desk.folder, 'damaged')
    mkdirSync(FIXWRIGHT_HOME)
    writeFileSync(join(FIXWRIGHT_HOME, 'fixwright.db'), Buffer.alloc(8192, 'no database'))
    isSentence(await desk.runWith({ FIXWRIGHT_HOME }, 'list'), /the store \S+fixwright\.db is damaged/)
    const { status, stdout } = await desk.runWith({ FIXWRIGHT_HOME }, 'doctor')
    assert.equal(status, 3)
    assert.match(stdout, /✗ store +the store \S+ is damaged/)
    assert.match(stdout, /missing: .*store/)
  })

  test('says that the disk is full', async (t) => {
    const desk = await setDesk(t)
    // A limit of 20 blocks for each file, which the store's own reaches: the same errors as on a full disk, without one.
    const ran = runInShell(
      desk,
      'FIXWRIGHT_HOME=$PWD/small; export FIXWRIGHT_HOME; ulimit -f 20; exec "$BIN" list --json',
    )
    isSentence(ran, /there is no space left for the store \S+small\/fixwright\.db/)
    assert.equal(JSON.parse(ran.stdout).error.code, 'disk_full')
  })

  test('says that standard output can’t be written, and works on without standard error', {
    skip: !existsSync('/dev/full') && 'there is no /dev/full here',
  }, async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-one', ['A-1'])
    for (const args of ['list', 'list --json', 'doctor', '--help', 'status fx-one', 'config']) {
      isSentence(runInShell(desk, `exec "$BIN" ${args} >/dev/full`), /standard output can't be written: ENOSPC/)
    }
    const mute = runInShell(desk, 'exec "$BIN" list 2>/dev/full')
    assert.deepEqual([mute.status, /fx-one/.test(mute.stdout)], [0, true])
  })

  test('a mistake in a command’s options points to the help of that command', async (t) => {
    const desk = await setDesk(t)
    const [option, missing, surplus] = await Promise.all([
      desk.run('status', 'fx', '--nonsense'),
      desk.run('fix'),
      desk.run('list', 'what'),
    ])
    assert.match(option.stderr, /unknown option '--nonsense'\n\("fixwright status --help" explains it\)/)
    assert.match(missing.stderr, /give either findings, or --open .*; "fixwright fix --help" explains both/)
    assert.match(surplus.stderr, /\("fixwright list --help"/)
  })
})

describe('doctor', () => {
  test('looks for the sign-ins of the running instance, whose environment counts, and says which versions are too old', async (t) => {
    const desk = await setDesk(t)
    const bin = join(desk.folder, 'bin')
    mkdirSync(bin)
    const tells = (version: string) => `#!/bin/sh\necho ${version}\n`
    writeFileSync(join(bin, 'claude'), tells('2.0.9'), { mode: 0o755 })
    writeFileSync(join(bin, 'gemini'), tells('0.61.0'), { mode: 0o755 })
    writeFileSync(join(bin, 'git'), tells('git version 2.30.1$GEMINI_API_KEY'), { mode: 0o755 })
    const PATH = `${bin}:${desk.environment.PATH}`
    const here = { PATH, GEMINI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }
    const alone = await desk.runWith(here, 'doctor')
    assert.match(alone.stdout, /✗ claude +2\.0\.9 \(.*\n +claude 2\.0\.9 is too old: 2\.\d+\.\d+ or newer/)
    assert.match(alone.stdout, /✓ gemini +0\.61\.0/)
    assert.match(alone.stdout, /✗ git +2\.30\.1 .*\n +install git 2\.38 or newer/)
    assert.match(alone.stdout, /✓ gemini sign-in /)
    writeInstanceFile(desk.home, {
      identity: readOwnIdentity(),
      version: '0.1.0',
      startedAt: new Date().toISOString(),
      embedded: true,
      address: '127.0.0.1:9',
      uiUrl: null,
      namespace: 'fixwright',
      taskQueue: 'queue',
      hostQueue: 'queue-host',
      attributes: [],
      environment: { PATH, ANTHROPIC_API_KEY: '(set)' },
    })
    const { stdout } = await desk.runWith(here, 'doctor')
    assert.match(stdout, /✓ claude sign-in .*ANTHROPIC_API_KEY, as the running instance sees it/)
    assert.match(
      stdout,
      /✗ gemini sign-in .*no sign-in was found, as the running instance sees it\n +this terminal has it/,
    )
  })
})
