import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { findMarkedProcesses } from '../../../src/platform/processes/marked-processes.ts'
import { canUsePidNamespace } from '../../../src/platform/processes/pid-namespace.ts'
import { isRunning } from '../../../src/platform/processes/process-identity.ts'
import { type RunOptions, type RunResult, runProcess } from '../../../src/platform/processes/run-process.ts'
import type { LineVerdict } from '../../../src/platform/processes/supervise-process.ts'

let folder: string
let marker: string
let serial = 0

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixwright-run-'))
  serial += 1
  marker = `run-test-${process.pid}-${serial}/call/1/n`
})

afterEach(async () => {
  assert.deepEqual(findMarkedProcesses(marker), [], 'nothing that carries the marker is left')
  await rm(folder, { recursive: true, force: true })
})

/** A grace of which nobody sees the end: whoever has it and is gone was hurried. */
const FOR_EVER_MS = 2 ** 31 - 1

const namespaces = (await canUsePidNamespace()) ? (['off', 'auto'] as const) : (['off'] as const)

function run(script: string, more: Partial<RunOptions> = {}): Promise<RunResult> {
  return runProcess({
    command: 'sh',
    args: ['-c', script],
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdin: '',
    stdoutFile: join(folder, 'out'),
    stderrFile: join(folder, 'err'),
    deadlineMs: 30_000,
    graceMs: 300,
    signal: new AbortController().signal,
    marker,
    ...more,
  })
}

function nodeScript(script: string, more: Partial<RunOptions> = {}): Promise<RunResult> {
  return run('', { command: process.execPath, args: ['-e', script], ...more })
}

for (const pidNamespace of namespaces) {
  describe(pidNamespace === 'auto' ? 'in a PID namespace' : 'without a namespace', () => {
    test('exit status, output, error and times come back as a value', async () => {
      const result = await run('echo out; echo err >&2; exit 3', { pidNamespace })
      assert.equal(result.ended, 'exited')
      assert.equal(result.exitCode, 3)
      assert.equal(result.stderr, 'err')
      assert.equal(await readFile(join(folder, 'out'), 'utf8'), 'out\n')
      assert.equal(await readFile(join(folder, 'err'), 'utf8'), 'err\n')
    })

    test('the command has the marker, the folder and only the environment it was given', async () => {
      const lines: string[] = []
      await run('pwd; env', { pidNamespace, env: { PATH: process.env.PATH, A: '1' }, onLine: collect(lines) })
      assert.equal(lines[0], folder)
      const names = lines.slice(1).map((line) => line.slice(0, line.indexOf('=')))
      assert.deepEqual(names.filter((name) => !['PWD', '_', 'SHLVL', 'OLDPWD'].includes(name)).sort(), [
        'A',
        'FIXWRIGHT_CALL',
        'PATH',
      ])
      assert.ok(lines.includes(`FIXWRIGHT_CALL=${marker}`))
    })

    test('a prompt goes through standard input whole, whatever its size and bytes [S0-21]', async () => {
      const prompt = Buffer.alloc(6 * 2 ** 20, Buffer.from('-p --help "\'`$(x) \u0000 \u{1f600} é\r\n'))
      await run('cat', { pidNamespace, stdin: prompt })
      assert.ok(prompt.equals(await readFile(join(folder, 'out'))))
    })

    test('a deadline ends a tree that ignores TERM, also what is in a session of its own', async () => {
      const lines: string[] = []
      const result = await run(
        'trap "" TERM; setsid sleep 97 & (trap "" TERM; while :; do sleep 0.05; done) & echo up; while :; do sleep 0.05; done',
        { pidNamespace, deadlineMs: 1_000, graceMs: 100, onLine: collect(lines) },
      )
      assert.deepEqual(lines, ['up'])
      assert.equal(result.ended, 'deadline')
    })

    test('a polite process gets its grace: what it says after TERM is kept', async () => {
      const lines: string[] = []
      const controller = new AbortController()
      const result = await run('trap "sleep 0.05; echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done', {
        pidNamespace,
        graceMs: FOR_EVER_MS,
        signal: controller.signal,
        onLine: (line) => {
          lines.push(line)
          controller.abort()
          return undefined
        },
      })
      assert.equal(result.ended, 'cancelled')
      assert.deepEqual(lines, ['up', 'bye'])
      assert.equal(result.exitCode, 0)
    })

    test('a cancellation ends the tree and is told apart from a failure', async () => {
      const controller = new AbortController()
      const result = await run('sleep 97 & echo up; wait', {
        pidNamespace,
        signal: controller.signal,
        onLine: (line) => {
          if (line === 'up') controller.abort(new Error('a person said stop'))
          return undefined
        },
      })
      assert.equal(result.ended, 'cancelled')
    })

    test('a cancelled tree is ended by KILL, however long its grace: also children that ignore TERM, in a session of their own or re-started in the group', async () => {
      const controller = new AbortController()
      const stubborn = `trap "" TERM INT HUP; while :; do sleep 0.05; done`
      const result = await run(
        `trap "" TERM; setsid sh -c '${stubborn}' & sh -c '${stubborn}' & (setsid sleep 97) & echo up; wait; sleep 97`,
        {
          pidNamespace,
          graceMs: FOR_EVER_MS,
          signal: controller.signal,
          onLine: () => {
            controller.abort()
            return undefined
          },
        },
      )
      assert.equal(result.ended, 'cancelled')
    })

    test('a cancellation hurries a process that is being ended for another reason', async () => {
      const controller = new AbortController()
      const lines: string[] = []
      const result = await run('trap "echo told" TERM; echo up; while :; do sleep 0.05; done', {
        pidNamespace,
        deadlineMs: 100,
        graceMs: FOR_EVER_MS,
        signal: controller.signal,
        onLine: (line) => {
          lines.push(line)
          if (line === 'told') controller.abort()
          return undefined
        },
      })
      assert.equal(result.ended, 'deadline')
      assert.equal(lines.at(-1), 'told')
    })

    test('a process that is to be killed is never told, so nothing of its group can do anything more', async () => {
      const lines: string[] = []
      const each = 'trap "echo told" TERM; echo up; while :; do :; done'
      const result = await run(`for nth in 1 2 3 4 5 6; do sh -c '${each}' & done; sleep 97; echo woken`, {
        pidNamespace,
        graceMs: FOR_EVER_MS,
        onLine: (line) => {
          lines.push(line)
          return 'kill'
        },
      })
      assert.deepEqual(new Set(lines), new Set(['up']))
      assert.equal(result.ended, 'finished_early')
    })

    test('what a successful command left running is ended, also in a session of its own', async () => {
      const result = await run('setsid sleep 97 >/dev/null 2>&1 & sleep 96 & echo done', {
        pidNamespace,
        graceMs: FOR_EVER_MS,
      })
      assert.equal(result.ended, 'exited')
      assert.equal(result.exitCode, 0)
      assert.ok(result.durationMs < 96_000, 'a leftover that holds the pipe does not keep us waiting')
      if (pidNamespace === 'off') assert.equal(result.leftovers, 2)
    })

    test('a process that hangs after its result is ended after a short grace', async () => {
      const result = await run('echo start; echo result; sleep 97', {
        pidNamespace,
        finishGraceMs: 100,
        onLine: (line) => (line === 'result' ? 'finish' : undefined),
      })
      assert.equal(result.ended, 'finished_early')
    })

    test('a missing executable is a value of its own', async () => {
      for (const command of ['no-such-command-anywhere', './here', '/nor/there']) {
        const result = await run('', { pidNamespace, command, args: [] })
        assert.equal(result.ended, 'not_found')
        assert.match(result.stderr, /no executable/)
      }
    })
  })
}

test('a process that cleared its environment and left the group does not survive a PID namespace', async (t) => {
  if (!namespaces.includes('auto' as never)) return t.skip('bwrap does not work here')
  const seen: number[] = []
  const unique = `97.${process.pid}${serial}`
  const result = await run(`env -i setsid sleep ${unique} >/dev/null 2>&1 & echo started; sleep 0.2`, {
    pidNamespace: 'auto',
    onLine: collect([]),
  })
  assert.equal(result.exitCode, 0)
  const { readdirSync, readFileSync } = await import('node:fs')
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(unique)) seen.push(Number(pid))
    } catch {
      // Gone between the listing and the look.
    }
  }
  assert.deepEqual(seen, [])
})

test('a process that went on after its result, with a second one, is not cut off', async () => {
  const lines: string[] = []
  const result = await run('echo result; sleep 0.05; echo more; sleep 1.6; echo result', {
    finishGraceMs: 1_500,
    onLine: (line) => {
      lines.push(line)
      return line === 'result' ? 'finish' : undefined
    },
  })
  assert.equal(result.ended, 'exited')
  assert.deepEqual(lines, ['result', 'more', 'result'])
})

test('a cancellation hurries the sweep after a command that ended by itself', async () => {
  const controller = new AbortController()
  await run(`setsid sh -c 'trap "" TERM; while :; do sleep 0.05; done' >/dev/null 2>&1 & echo done`, {
    pidNamespace: 'off',
    graceMs: FOR_EVER_MS,
    signal: controller.signal,
    onLine: () => {
      setTimeout(() => controller.abort(), 300)
      return undefined
    },
  })
})

test('the sweep misses no process that is just being forked or executed while the table is read', async () => {
  // When the table was read once, one turn in twenty left something: it was behind the reader, or had no environment just then.
  const scripts = [
    '(setsid sh -c "setsid sleep 97 & " & ) >/dev/null 2>&1',
    'for n in 1 2 3; do (setsid setsid setsid sleep 97 &) ; done >/dev/null 2>&1',
  ]
  for (let turn = 0; turn < 100; turn += 1)
    await run(scripts[turn % 2] ?? '', { pidNamespace: 'off', marker: `${marker}/${turn}` })
  assert.deepEqual(findMarkedProcesses(marker), [])
})

test('a line on either stream can end the process at once', async () => {
  const stopOn: Partial<RunOptions> = { onErrorLine: (line) => (line === 'no' ? 'stop' : undefined) }
  assert.equal((await run('echo no >&2; sleep 97', stopOn)).ended, 'finished_early')
  assert.equal((await run('echo no; sleep 97', { onLine: () => 'stop' })).ended, 'finished_early')
})

test('bytes split inside a character and lines split anywhere come out whole', async () => {
  const lines: string[] = []
  const text = 'é😀\r\nzwei\n\nletzte ohne Ende ü'
  await nodeScript(
    `const b = Buffer.from(${JSON.stringify(text)}); (async () => { for (const x of b) { process.stdout.write(Buffer.of(x)); await new Promise(setImmediate) } })()`,
    { onLine: collect(lines) },
  )
  assert.deepEqual(lines, ['é😀', 'zwei', '', 'letzte ohne Ende ü'])
})

test('a huge line is passed on cut at a character and is whole in the file', async () => {
  const lines: string[] = []
  await nodeScript('process.stdout.write("é".repeat(5e6) + "\\nnext\\n")', {
    maxLineBytes: 1_001,
    onLine: collect(lines),
  })
  assert.deepEqual(lines, ['é'.repeat(500), 'next'])
  assert.equal((await readFile(join(folder, 'out'))).length, 10_000_006)
})

test('standard error of any length is kept by its first and last lines', async () => {
  const result = await run('seq 1 5000 >&2')
  const lines = result.stderr.split('\n')
  assert.equal(lines[0], '1')
  assert.equal(lines.at(-1), '5000')
  assert.equal(lines[20], '… 4940 lines …')
  assert.equal(lines.length, 61)
})

test('a command that never reads its prompt is no error', async () => {
  const result = await run('exec <&-; sleep 0.1; echo fine', { stdin: 'x'.repeat(4 * 2 ** 20) })
  assert.equal(result.exitCode, 0)
})

test('a run cancelled before it starts starts nothing', async () => {
  const result = await run('touch started', { signal: AbortSignal.abort() })
  assert.equal(result.ended, 'cancelled')
  await assert.rejects(readFile(join(folder, 'started')))
})

test('a cancellation at any moment of the start is not lost', async () => {
  for (let turns = 0; turns < 40; turns += 1) {
    const controller = new AbortController()
    const running = run('sleep 97', { signal: controller.signal, graceMs: 50 })
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
    controller.abort()
    assert.equal((await running).ended, 'cancelled')
  }
})

test('what a command prints in its first moment is not lost, however often it is run', async () => {
  const nths = Array.from({ length: 20 }, (_, nth) => `${nth}`)
  const script = 'echo out; echo err >&2'
  const results = await Promise.all(nths.map((nth) => run(script, { ...outputFiles(nth), marker: `${marker}/${nth}` })))
  for (const { ended, stderr } of results) assert.deepEqual([ended, stderr], ['exited', 'err'])
  for (const nth of nths) assert.equal(await readFile(outputFiles(nth).stdoutFile, 'utf8'), 'out\n')
})

test('a disk that takes nothing ends the process and is thrown, not hidden', async () => {
  await assert.rejects(run('echo x; sleep 97', { stdoutFile: '/dev/full' }), /ENOSPC/)
})

test('a working directory that is gone is said, and no process is looked for in it', async () => {
  await assert.rejects(
    run('true', { cwd: join(folder, 'gone'), pidNamespace: 'off' }),
    /working directory .* is not there/,
  )
})

test('the caller can end it from outside a line', async () => {
  const result = await run('echo up; sleep 97', { onStart: (stop) => setTimeout(stop, 100) })
  assert.equal(result.ended, 'finished_early')
})

test('a process found by its marker is the one that was found', async () => {
  const controller = new AbortController()
  const running = run('sleep 97', { signal: controller.signal })
  let found = findMarkedProcesses(marker)
  while (found.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    found = findMarkedProcesses(marker)
  }
  assert.ok(found.every((each) => each.marker === marker && isRunning(each.identity)))
  controller.abort()
  await running
  assert.ok(found.every((each) => !isRunning(each.identity)))
})

function collect(lines: string[]): (line: string) => LineVerdict {
  return (line) => {
    lines.push(line)
    return undefined
  }
}

function outputFiles(nth: string): Pick<RunOptions, 'stdoutFile' | 'stderrFile'> {
  return { stdoutFile: join(folder, `out-${nth}`), stderrFile: join(folder, `err-${nth}`) }
}
