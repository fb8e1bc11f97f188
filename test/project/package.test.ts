// What a user gets: the tarball, installed into an empty prefix (with a space in its path, as some have), run with the Node that is there.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { findCommand } from '../../src/platform/processes/find-command.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { startGitHub } from '../support/github.ts'
import { installGlobally, mustRun, type Packed, pack, run } from './packing.ts'

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
}

const root = packageRoot()
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest
const checkoutBin = join(root, 'bin/fixwright')
let scratch: string

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'package-'))
})
after(() => rm(scratch, { recursive: true, force: true }))

/** A folder for the PATH in which `node` is what the script says; without a script there is none. */
async function pathWith(name: string, script?: string): Promise<string> {
  const folder = join(scratch, name)
  await mkdir(folder)
  for (const tool of ['sh', 'dirname', 'readlink']) {
    await symlink((await findCommand(tool, process.env.PATH)) ?? tool, join(folder, tool))
  }
  if (script !== undefined) {
    await writeFile(join(folder, 'node'), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, 'node'), 0o755)
  }
  return folder
}

// Packing and an installation by npm come first: on a loaded machine they take more than a test's two minutes. A hook does not inherit
// the time of its suite.
const UNHURRIED = { timeout: 480_000 }

describe('the package', UNHURRIED, () => {
  let packed: Packed
  let bin: string

  before(async () => {
    packed = await pack(scratch)
    bin = await installGlobally(packed.tarball, join(scratch, 'an empty prefix'), scratch)
  }, UNHURRIED)

  test('starts with the Node on the PATH, and says its version', async () => {
    const { status, stdout, stderr } = await run(bin, ['--version'], { cwd: '/' })
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `${manifest.version}\n`, stderr: '' })
  })

  test('is a module that scripts can import', async () => {
    const script = join(scratch, 'an empty prefix', 'lib', 'script.mjs')
    await writeFile(
      script,
      `import { openFixwright } from 'fixwright'
       const fixwright = await openFixwright({ home: process.argv[2] })
       const { createSessionClient, SESSION_WORKFLOW } = await import('fixwright/client')
       console.log(typeof createSessionClient, SESSION_WORKFLOW)
       await fixwright.status('fx-none').catch((error) => console.log(error.message))
       fixwright.close()`,
    )
    const { stdout, stderr } = await run(process.execPath, [script, join(scratch, 'home')], {
      env: { PATH: process.env.PATH, HOME: scratch },
    })
    assert.equal(stdout, 'function fixSession\nthere is no session fx-none: there is none at all yet\n', stderr)
  })

  test('explains itself', async () => {
    const { status, stdout } = await run(bin, ['--help'])
    assert.equal(status, 0)
    assert.match(stdout, /Usage: fixwright/)
  })

  test('holds what is needed to run, and nothing else', () => {
    const wanted = [
      'bin/fixwright',
      'dist/cli/main.js',
      'dist/workflow-bundle.js',
      'dist/kysely.js',
      'docs/operating.md',
      'docs/demo.svg',
      'LICENSE',
      'package.json',
    ]
    const allowed =
      /^(bin\/fixwright|dist\/.+\.(js|d\.ts)|agents\/.+\.md|config\/.+\.yaml|docs\/.+\.(md|svg)|LICENSE|README\.md|package\.json)$/
    assert.deepEqual(
      wanted.filter((path) => !packed.paths.includes(path)),
      [],
    )
    assert.deepEqual(
      packed.paths.filter((path) => !allowed.test(path)),
      [],
    )
  })

  test('signs in to GitHub as an App, and says if its key is none', async (t) => {
    const [name, folder] = ['fixwright-bot', join(scratch, 'of an App')]
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    })
    await mustRun('git', ['init', '-q', folder])
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
    await mustRun('git', ['-C', folder, ...author, 'commit', '-q', '--allow-empty', '-m', 'begin'])
    const bot = { login: `${name}[bot]`, id: 9 }
    const github = await startGitHub(t, { from: folder, app: { id: 1, slug: name, installation: 2, publicKey, bot } })
    await mustRun('git', ['-C', folder, 'remote', 'add', 'origin', github.remote])
    const key = join(scratch, 'app.pem')
    const settings = [`host=${github.host}`, 'app_id=1', `app_key_file=${key}`]
    const doctor = async (text: string) => {
      await writeFile(key, text)
      const args = ['github', 'doctor', '--repo', folder, ...settings.flatMap((each) => ['--set', `github.${each}`])]
      return run(bin, args, { env: { PATH: process.env.PATH, HOME: scratch } })
    }
    const { status, stdout, stderr } = await doctor(privateKey)
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /App 1: the App fixwright-bot\[bot\]/)
    const refused = await doctor('-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----')
    assert.match(
      refused.stdout,
      /github\.app_key_file holds no private key that can sign for App 1 .*download a new one/,
    )
  })

  test('has the defaults of the sources, and those of its own file once that is edited', async () => {
    const env = { ...process.env, FIXWRIGHT_HOME: join(scratch, 'home for settings') }
    const show = (program: string) => mustRun(program, ['config', '--json'], { cwd: '/', env })
    assert.equal(await show(bin), await show(checkoutBin))

    const file = join(dirname(await realpath(bin)), '../config/settings.yaml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/^profile: batched$/m, 'profile: sequential'))
    assert.match(await show(bin), /"path": "profile",\s+"value": "sequential",\s+"origin": "default"/)
    await writeFile(file, text)
  })

  test('refuses an old Node with one sentence', async () => {
    const PATH = await pathWith('old', 'echo v18.20.8')
    const { status, stdout, stderr } = await run(bin, ['--version'], { env: { PATH } })
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
    assert.match(stderr, /^fixwright: needs Node\.js 22\.13\.0 or newer, and .*\/node is 18\.20\.8\. .*\n$/)
  })

  test('refuses the Node of this machine too, if that is old', async (t) => {
    const own = '/usr/bin/node'
    const version = (await run(own, ['--version'])).stdout
    if (!/^v(1\d|2[01])\./.test(version)) return t.skip(`${own} is ${version || 'not there'}`)
    const { status, stderr } = await run(bin, ['--version'], { env: { PATH: `${dirname(own)}:/bin` } })
    assert.equal(status, 2)
    assert.match(stderr, /^fixwright: needs Node\.js .*\n$/)
  })

  test('says so where there is no Node, or a broken one', async () => {
    const none = await run(bin, [], { env: { PATH: await pathWith('none') } })
    assert.deepEqual([none.status, /there is no node on the PATH/.test(none.stderr)], [2, true])
    const broken = await run(bin, [], { env: { PATH: await pathWith('broken', 'exit 1') } })
    assert.deepEqual([broken.status, /is not a working Node\.js/.test(broken.stderr)], [2, true])
  })
})

test('a checkout starts through a chain of symbolic links, from anywhere, with the Node of its own', async () => {
  const folder = join(scratch, 'with a space')
  await mkdir(folder)
  await symlink(checkoutBin, join(folder, 'one'))
  await symlink('one', join(folder, 'two'))
  const { status, stdout, stderr } = await run(join(folder, 'two'), ['--version'], {
    cwd: '/',
    env: { PATH: await pathWith('nodeless') },
  })
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `${manifest.version}\n`, stderr: '' })
})

test('bin/fixwright becomes the program: one process, its signals and its status', async () => {
  const folder = join(scratch, 'fake')
  await mkdir(join(folder, 'bin'), { recursive: true })
  await mkdir(join(folder, 'node_modules/node/bin'), { recursive: true })
  await writeFile(join(folder, 'bin/fixwright'), await readFile(checkoutBin), { mode: 0o755 })
  await writeFile(join(folder, 'node_modules/node/bin/node'), '#!/bin/sh\nprintf "%s|" "$@"\nkill -TERM $$\n', {
    mode: 0o755,
  })
  const start = async (...args: string[]) => {
    const child = execFile(join(folder, 'bin/fixwright'), args)
    let output = ''
    child.stdout?.on('data', (text) => (output += text))
    const signal = await new Promise((resolve) => child.on('close', (_status, name) => resolve(name)))
    return { signal, output }
  }
  const main = join(folder, 'dist/cli/main.js')
  assert.deepEqual(await start('a b', '', '*'), {
    signal: 'SIGTERM',
    output: `--min-semi-space-size=16|--no-memory-reducer|${main}|a b||*|`,
  })
  assert.deepEqual(await start('up'), { signal: 'SIGTERM', output: `--max-semi-space-size=1|${main}|up|` })
})

test('bin/fixwright takes the files that npm ci made of a checkout while no source is newer, and the sources for --debug', async () => {
  const folder = join(scratch, 'checkout')
  const files = {
    made: join(folder, 'node_modules/.cache/fixwright/program/cli/main.js'),
    source: join(folder, 'src/cli/main.ts'),
    lock: join(folder, 'package-lock.json'),
    node: join(folder, 'node_modules/node/bin/node'),
    bin: join(folder, 'bin/fixwright'),
  }
  for (const file of Object.values(files)) await mkdir(dirname(file), { recursive: true })
  await writeFile(files.bin, await readFile(checkoutBin), { mode: 0o755 })
  await writeFile(files.node, '#!/bin/sh\nprintf "%s\\n" "$@" | grep /cli/main\n', { mode: 0o755 })
  for (const file of [files.source, files.lock, files.made]) await writeFile(file, '')
  const makeOlder = async (file: string, minutes: number) => {
    const time = new Date(Date.now() - minutes * 60_000)
    await utimes(file, time, time)
  }
  const started = async (...args: string[]) => (await run(files.bin, args)).stdout.trim()

  for (const file of [files.source, dirname(files.source), join(folder, 'src'), files.lock]) await makeOlder(file, 5)
  await makeOlder(files.made, 3)
  assert.equal(await started('list'), files.made)
  assert.equal(await started('list', '--debug'), files.source)
  await makeOlder(files.source, 1)
  assert.equal(await started('list'), files.source)
  await makeOlder(files.source, 5)
  await makeOlder(files.lock, 1)
  assert.equal(await started('list'), files.source)
  await makeOlder(files.lock, 5)
  await rm(files.made)
  assert.equal(await started('list'), files.source)
})

test('bin/fixwright and package.json name the same oldest Node', async () => {
  assert.equal(`>=${/minimum=(\S+)/.exec(await readFile(checkoutBin, 'utf8'))?.[1]}`, manifest.engines.node)
})
