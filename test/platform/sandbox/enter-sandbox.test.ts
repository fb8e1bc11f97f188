// Ordinary commands in the sandbox, ended in every way there is, and what is kept of them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { findMarkedProcesses } from '../../../src/platform/processes/marked-processes.ts'
import { tryBubblewrap } from '../../../src/platform/processes/pid-namespace.ts'
import { type RunOptions, runProcess } from '../../../src/platform/processes/run-process.ts'
import { buildMountArguments } from '../../../src/platform/sandbox/bubblewrap-arguments.ts'
import { enterSandbox, type SandboxedRun, sandboxHome } from '../../../src/platform/sandbox/enter-sandbox.ts'
import { discardFolder, readSmallFile, recreateFolder } from '../../../src/platform/sandbox/scratch-folders.ts'
import { countVisits, NO_SANDBOX, sandboxSettings } from './support.ts'

function setRoom(t: TestContext) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-sandbox-')))
  const [user, work, call] = [join(folder, 'user'), join(folder, 'work'), join(folder, 'call')]
  for (const each of [user, work, call]) mkdirSync(each)
  const marker = `sandbox-${process.pid}-${folder.slice(-6)}/call/1/n`
  t.after(() => {
    assert.deepEqual(findMarkedProcesses(marker), [], 'nothing that carries the marker is left')
    rmSync(folder, { recursive: true, force: true })
  })
  const plain = { PATH: process.env.PATH, HOME: user }
  return { folder, user, work, run }

  async function run(
    script: string,
    network: SandboxedRun['network'],
    more: Partial<RunOptions> & { open?: string[] } = {},
  ) {
    const { open = [], env, ...options } = more
    const environment = { ...plain, ...env }
    await recreateFolder(sandboxHome(call))
    const enclosed = await enterSandbox(
      { settings: sandboxSettings('require', { endpoints: open }), hidden: [] },
      { command: 'sh', environment, folder: call, readable: [], writable: [work], network },
    )
    const lines: string[] = []
    const result = await runProcess({
      command: 'sh',
      args: ['-c', script],
      cwd: work,
      env: { ...environment, ...enclosed.environment },
      stdin: '',
      stdoutFile: join(folder, 'out'),
      stderrFile: join(folder, 'err'),
      deadlineMs: 30_000,
      graceMs: 300,
      signal: new AbortController().signal,
      marker,
      bubblewrap: enclosed.bubblewrap,
      onLine: (line) => void lines.push(line),
      ...options,
    }).finally(() => enclosed.release())
    return { ...result, lines, refused: enclosed.refusedEndpoints() }
  }
}

test('programs that are reached through links start, from a folder that is seen and from one that is not', {
  skip: NO_SANDBOX,
}, async (t) => {
  const { user, run } = setRoom(t)
  const installed = join(user, '.pyenv/versions/3.13')
  mkdirSync(join(installed, 'bin'), { recursive: true })
  mkdirSync(join(installed, 'lib'))
  writeFileSync(join(installed, 'lib/main'), 'echo "started from $0"')
  writeFileSync(join(installed, 'bin/tool'), '#!/bin/sh\n. "$(dirname "$0")/../lib/main"\n', { mode: 0o755 })
  mkdirSync(join(user, '.pyenv/shims'))
  mkdirSync(join(user, '.sdkman/tool'), { recursive: true })
  const links = ['.pyenv/versions/mine', '.pyenv/versions/alias', '.sdkman/tool/current']
  const [whole, again, alone] = links.map((name) => join(user, name))
  assert.ok(whole && again && alone)
  symlinkSync(installed, whole)
  symlinkSync(whole, again)
  symlinkSync(installed, alone)
  const shims = join(user, '.pyenv/shims')
  for (const folder of [whole, again, alone]) {
    const PATH = [shims, join(folder, 'bin'), process.env.PATH].join(':')
    const { lines } = await run('tool', 'none', { env: { PATH, VIRTUAL_ENV: whole, JAVA_HOME: again } })
    assert.deepEqual(lines, [`started from ${join(folder, 'bin/tool')}`])
  }
})

test('what is hidden behind a link that is seen stays hidden, and a folder in it can be worked in by both its names', {
  skip: NO_SANDBOX,
}, async (t) => {
  const { folder, user } = setRoom(t)
  const [seen, ours] = [join(folder, 'seen'), join(folder, 'ours')]
  mkdirSync(seen)
  mkdirSync(join(ours, 'work'), { recursive: true })
  writeFileSync(join(ours, 'secret'), 'x')
  symlinkSync(ours, join(seen, 'home'))
  const view = buildMountArguments(
    {
      home: { at: user, folder: user },
      hidden: [join(seen, 'home')],
      readable: [seen],
      writable: [join(seen, 'home/work')],
    },
    'none',
  )
  const { bwrap = '' } = await tryBubblewrap(view)
  const script = 'cd "$1/home/work" && echo x > made && ls .. "$2" "$2/work"'
  const said = execFileSync(bwrap, [...view, '--', 'sh', '-c', script, 'sh', seen, ours], { encoding: 'utf8' })
  assert.equal(said, `..:\nwork\n\n${ours}:\nwork\n\n${ours}/work:\nmade\n`)
})

test('a folder that shows with the one around it is not mounted again, but for one in a hidden folder', {
  skip: NO_SANDBOX,
}, async (t) => {
  const { folder, user } = setRoom(t)
  const seen = join(folder, 'seen')
  const [plain, hidden] = [join(seen, 'plain'), join(seen, 'hidden')]
  const inHidden = join(hidden, 'shown')
  for (const each of [plain, inHidden]) {
    mkdirSync(each, { recursive: true })
    writeFileSync(join(each, 'file'), `${basename(each)}\n`)
  }
  writeFileSync(join(hidden, 'secret'), 'x')
  const view = buildMountArguments(
    { home: { at: user, folder: user }, hidden: [hidden], readable: [inHidden, plain, seen, '/usr/bin'], writable: [] },
    'none',
  )
  const { bwrap = '' } = await tryBubblewrap(view)
  const script = 'cat "$1/plain/file" "$1/hidden/shown/file"; ls "$1/hidden"; cut -d" " -f5 /proc/self/mountinfo'
  const said = execFileSync(bwrap, [...view, '--', 'sh', '-c', script, 'sh', seen], { encoding: 'utf8' }).split('\n')
  assert.deepEqual(said.slice(0, 3), ['plain', 'shown', 'shown'])
  assert.deepEqual(
    [seen, hidden, inHidden, plain, '/usr', '/usr/bin'].map((at) => said.filter((line) => line === at).length),
    [1, 1, 1, 0, 1, 0],
  )
})

describe('a command in the sandbox', { skip: NO_SANDBOX, concurrency: 2 }, () => {
  for (const network of ['none', []] as const) {
    const kind = network === 'none' ? 'without a way out' : 'behind a relay'
    test(`${kind} its status, output, input, folder and marker are its own`, async (t) => {
      const { run, work } = setRoom(t)
      const { exitCode, lines } = await run('cat; pwd; env | grep FIXWRIGHT; echo err >&2; exit 3', network, {
        stdin: 'in\n',
      })
      assert.equal(exitCode, 3)
      assert.deepEqual(lines.slice(0, 2), ['in', work])
      assert.equal(lines.length, 3)
      assert.match(lines[2] ?? '', /^FIXWRIGHT_CALL=sandbox-/)
    })

    test(`${kind} a polite process gets its grace, and a stubborn tree is gone a second after it was cancelled`, async (t) => {
      const { run } = setRoom(t)
      const polite = new AbortController()
      const said: string[] = []
      const bye = await run('trap "sleep 0.1; echo bye; exit 0" TERM; echo up; while :; do sleep 0.02; done', network, {
        graceMs: 5_000,
        signal: polite.signal,
        onLine: (line) => {
          said.push(line)
          if (line === 'up') polite.abort()
          return undefined
        },
      })
      assert.deepEqual([bye.ended, said], ['cancelled', ['up', 'bye']])
      const stubborn = new AbortController()
      const loop = 'trap "" TERM INT HUP; while :; do sleep 0.05; done'
      const gone = await run(
        `trap "" TERM; setsid sh -c '${loop}' & env -i setsid sleep 97 & echo up; ${loop}`,
        network,
        {
          graceMs: 60_000,
          signal: stubborn.signal,
          onLine: () => {
            stubborn.abort()
            return undefined
          },
        },
      )
      assert.equal(gone.ended, 'cancelled')
      assert.ok(gone.durationMs < 10_000, `${gone.durationMs} ms`)
    })

    test(`${kind} what it left running is ended with it`, async (t) => {
      const { run } = setRoom(t)
      const { exitCode, durationMs } = await run('setsid sleep 97 >/dev/null 2>&1 & sleep 96 & echo done', network)
      assert.equal(exitCode, 0)
      assert.ok(durationMs < 10_000)
    })
  }

  test('of its operator’s proxy nothing comes in, also where it has no way out at all', async (t) => {
    const { run } = setRoom(t)
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
    const each = [...names, ...names.map((name) => name.toLowerCase())]
    const env = Object.fromEntries(each.map((name) => [name, 'http://operator:pr0xy-pass@proxy.example.com:3128']))
    const line = 'cat /proc/[0-9]*/environ | grep -ac proxy.example'
    for (const network of ['none', []] as const) assert.deepEqual((await run(line, network, { env })).lines, ['0'])
    assert.deepEqual((await run('env | grep -ic _proxy=', 'none', { env })).lines, ['0'])
  })

  test('nothing can be written but its folder, its home and temporary files, and of these only its folder is kept', async (t) => {
    const { run, folder } = setRoom(t)
    const tries = ['/usr/x', '/etc/x', '/x', '/var/x', `${folder}/x`, '$HOME/x', '$TMPDIR/x', '/tmp/x', 'x']
    const { lines } = await run(
      tries.map((path) => `(echo 1 > "${path}") 2>/dev/null && echo '${path}'`).join('; '),
      'none',
    )
    // This folder lies below /tmp, of which it has its own.
    assert.deepEqual(
      lines.filter((line) => !line.startsWith(folder)),
      ['$HOME/x', '$TMPDIR/x', '/tmp/x', 'x'],
    )
    const there = ['work/x', 'user/x', 'x', 'call/home'].filter((name) => existsSync(join(folder, name)))
    assert.deepEqual(there, ['work/x'])
  })

  test('loopback works for a test that starts its own server, and nothing else of the network is there', async (t) => {
    const { run } = setRoom(t)
    const service = await countVisits(t)
    const { lines, refused } = await run(
      `node -e '
        const net = require("net")
        const server = net.createServer((s) => s.end()).listen(0, "127.0.0.1", () => {
          net.connect(server.address().port, "127.0.0.1").on("connect", () => { console.log("own"); server.close() })
          for (const [port, host] of [[${service.port}, "127.0.0.1"], [80, "169.254.169.254"], [53, "1.1.1.1"]])
            net.connect(port, host).on("connect", () => console.log("reached", host)).on("error", () => undefined)
        })'`,
      'none',
    )
    assert.deepEqual([lines, refused, service.visits()], [['own'], [], 0])
  })

  test('the way out leads where it was told to, and says what else was asked for', async (t) => {
    const { run, folder } = setRoom(t)
    const [model, also, other] = [await countVisits(t), await countVisits(t), await countVisits(t)]
    const ports = JSON.stringify([model.port, also.port, other.port])
    const script = `node -e '
      const { Agent, request } = require("node:http")
      const ask = (options) => new Promise((done) =>
        request({ host: "127.0.0.1", port: 3128, agent: new Agent(), ...options })
          .on("response", (r) => { r.resume(); done(r.statusCode) })
          .on("connect", (r, socket) => { socket.destroy(); done(r.statusCode) })
          .on("error", (e) => done(e.code))
          .end())
      const all = async () => {
        for (const port of ${ports}) console.log(await ask({ path: "http://127.0.0.1:" + port + "/" }))
        for (const port of ${ports}) console.log(await ask({ method: "CONNECT", path: "127.0.0.1:" + port }))
        process.exit()
      }
      all()'`
    const { lines, refused } = await run(script, [{ host: '127.0.0.1', port: model.port }], {
      open: [`127.0.0.1:${also.port}`],
    })
    assert.deepEqual(readFileSync(join(folder, 'err'), 'utf8'), '')
    assert.deepEqual(lines, ['200', '200', '403', '200', '200', '403'])
    assert.deepEqual(refused, [`127.0.0.1:${other.port}`])
    assert.deepEqual([model.visits(), also.visits(), other.visits()], [2, 2, 0])
  })

  test('a service of this machine may have the port of the way out, or two names', async (t) => {
    const { run } = setRoom(t)
    const model = await countVisits(t)
    const ask = (path: string) =>
      `node -e 'require("node:http").get("${path}", { agent: new (require("node:http").Agent)() }, (r) => console.log(r.statusCode))'`
    const script = `echo $HTTP_PROXY; ${ask(`http://127.0.0.1:${model.port}/`)}`
    const services = [3128, 3129, model.port].map((port) => ({ host: '127.0.0.1', port }))
    const { lines } = await run(script, services, { open: [`localhost:${model.port}`] })
    assert.deepEqual([lines, model.visits()], [['http://127.0.0.1:3130', '200'], 1])
  })

  test('a service on a port that is root’s is refused in a sentence, before anything is started', async (t) => {
    const { run, folder } = setRoom(t)
    await assert.rejects(run('true', [{ host: '127.0.0.1', port: 80 }]), /127\.0\.0\.1:80 .*below 1024.*higher port/)
    await assert.rejects(run('true', [], { open: ['localhost'] }), /localhost:443 /)
    assert.ok(!existsSync(join(folder, 'out')) && !existsSync(join(folder, 'call/gateway')))
    assert.equal((await run('true', [{ host: 'models.example.com', port: 80 }])).exitCode, 0)
  })
})

test('a folder that an agent filled with traps is taken away, and a new one is empty', async (t) => {
  const { folder } = setRoom(t)
  const [victim, trapped] = [join(folder, 'victim'), join(folder, 'trapped')]
  mkdirSync(victim)
  writeFileSync(join(victim, 'kept'), 'kept')
  mkdirSync(join(trapped, 'a/b'), { recursive: true })
  symlinkSync(victim, join(trapped, 'a/link'))
  chmodSync(join(trapped, 'a/b'), 0)
  chmodSync(join(trapped, 'a'), 0)
  await recreateFolder(trapped)
  assert.equal(readFileSync(join(victim, 'kept'), 'utf8'), 'kept')
  assert.ok(!existsSync(join(trapped, 'a')))
  await discardFolder(trapped)
  symlinkSync('/etc/passwd', trapped)
  assert.equal(await readSmallFile(trapped), '')
  assert.equal(await readSmallFile('/dev/zero'), '')
})
