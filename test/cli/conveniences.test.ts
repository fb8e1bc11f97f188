// What people are used to from other commands: standard input, the latest by default, pages, completion, and plain terminals.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { fixBatchStarted } from '../../src/domain/session/events/batch-events.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { anyEvent } from '../domain/session/events/made-events.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'
import { atTerminal } from '../support/terminal.ts'
import { addSession, type Desk, endSession, setDesk } from './support.ts'

const BIN = join(packageRoot(), 'bin', 'fixwright')

async function setLongSession(desk: Desk, count = 60): Promise<void> {
  await addSession(desk, 'fx-long', ['BE-001'])
  const batch = { label: 'BE 1/2', workload: 3, codes: ['BE-001'], iteration: 1 }
  await desk.store.events.append(
    'fx-long',
    Array.from({ length: count }, (_, index) => fixBatchStarted({ ...batch, stepId: `s1.i${index}.b1.fix` })),
  )
}

describe('conveniences', { concurrency: 3 }, () => {
  test('status, watch, logs and report without an id are about the latest session of the repository that one is in', async (t) => {
    const desk = await setDesk(t)
    const repository = join(desk.folder, 'app')
    mkdirSync(join(repository, '.git'), { recursive: true })
    mkdirSync(join(repository, 'src'))
    const runIn = async (cwd: string, ...args: string[]) => {
      const child = spawn(BIN, args, { cwd, env: desk.environment })
      const [stdout, stderr, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      return { stdout, stderr, status }
    }
    const none = await runIn(repository, 'status')
    assert.deepEqual([none.status, none.stdout], [2, ''])
    assert.match(none.stderr, /there is no session of \S+\/app yet; "fixwright list" shows those of others/)
    await addSession(desk, 'fx-here', ['A'], { repository, task_id: 'one' })
    await addSession(desk, 'fx-there', ['B'], { repository: '/elsewhere', task_id: 'two' })
    for (const id of ['fx-here', 'fx-there']) await endSession(desk, id)
    for (const command of ['status', 'watch', 'logs', 'report']) {
      const { stdout, stderr, status } = await runIn(join(repository, 'src'), command)
      assert.equal(status, 0, `${command} ${stderr}`)
      assert.match(stderr, /session fx-here, the latest here, started \d+ s ago/, command)
      assert.doesNotMatch(stdout, /fx-there/, command)
    }
    assert.match((await runIn(desk.folder, 'status')).stdout, /fx-there/, 'outside of any repository, of all')
  })

  test('logs and report are JSON for programs too', async (t) => {
    const desk = await setDesk(t)
    await setLongSession(desk, 1)
    await endSession(desk, 'fx-long')
    const logs = JSON.parse((await desk.run('logs', 'fx-long', '--json')).stdout)
    assert.deepEqual(Object.keys(logs), ['events', 'messages', 'calls', 'artifacts'])
    assert.equal(logs.events[0].type, 'fix_batch_started')
    const [one, other] = await Promise.all([
      desk.run('report', 'fx-long', '--json'),
      desk.run('report', 'fx-long', '--format', 'json'),
    ])
    assert.equal(JSON.parse(one.stdout).session_id, 'fx-long')
    assert.equal(one.stdout, other.stdout)
  })

  test('findings come from standard input as well; what is no JSON is told so', async (t) => {
    const desk = await setDesk(t)
    const repository = join(desk.folder, 'app')
    execFileSync('git', ['init', '--quiet', repository])
    execFileSync('git', [
      '-C',
      repository,
      '-c',
      'user.name=k',
      '-c',
      'user.email=k@k',
      'commit',
      '-qm',
      'x',
      '--allow-empty',
    ])
    const feed = async (given: string) => {
      const child = spawn(BIN, ['fix', '-', '--repo', repository, '--dry-run'], { env: desk.environment })
      child.stdin.end(given)
      const [stdout, stderr, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      return { stdout, stderr, status }
    }
    assert.match((await feed('{"issues": []}')).stdout, /Nothing would be started/)
    const wrong = await feed('- a\n- b\n')
    assert.deepEqual(
      [wrong.status, wrong.stderr],
      [2, 'fixwright: standard input: must be JSON, as in {"issues": […]}\n'],
    )
  })

  test('in 80 columns list has heads and names, and no line wraps or loses the head of its branch', async (t) => {
    const desk = await setDesk(t)
    const repository = join(desk.folder, 'a-repository-with-quite-a-long-name')
    const branch_name = 'fix/null-checks-in-the-cart-and-the-order-history-of-services'
    await addSession(desk, 'fx-abcd2345', ['A'], { repository, branch_name })
    const piped = (await desk.run('list')).stdout.split('\n')
    assert.match(piped[0] ?? '', /^SESSION +REPOSITORY +BRANCH +STATUS +FIXED +STARTED$/)
    assert.ok(piped[1]?.includes(branch_name), 'a program gets the whole name')
    const terminal = atTerminal(t, { ...desk, size: { rows: 24, columns: 80 } }, 'list')
    await terminal.ended
    const lines = terminal.shown().trimEnd().split('\n')
    assert.equal(lines.length, 2)
    for (const line of lines) assert.ok(line.length <= 80, `${line.length}: ${line}`)
    assert.match(lines[1] ?? '', /^fx-abcd2345 {2}a-repo\S+name {2}fix\/\S+ {2}generating {2}0\/1 +\d+ s ago$/)
  })

  test('what is longer than the terminal goes to the pager, and elsewhere to nobody’s', async (t) => {
    const desk = await setDesk(t)
    await setLongSession(desk)
    const paging = { ...desk.environment, PAGER: "sed 's/^/page: /'" }
    const paged = atTerminal(
      t,
      { environment: paging, folder: desk.folder, size: { rows: 24, columns: 100 } },
      'logs',
      'fx-long',
    )
    await paged.ended
    assert.equal(paged.shown().match(/^page: .*Batch 1\/2/gm)?.length, 60)
    const short = atTerminal(t, { environment: paging, folder: desk.folder, size: { rows: 24, columns: 100 } }, 'list')
    await short.ended
    assert.doesNotMatch(short.shown(), /page: /)
    const plain = await desk.runWith({ PAGER: "sed 's/^/page: /'" }, 'logs', 'fx-long')
    assert.doesNotMatch(plain.stdout, /page: /)
    const missing = { ...desk.environment, PAGER: 'no-such-pager' }
    const unpaged = atTerminal(
      t,
      { environment: missing, folder: desk.folder, size: { rows: 24, columns: 100 } },
      'logs',
      'fx-long',
    )
    await unpaged.ended
    assert.equal(unpaged.shown().match(/Batch 1\/2/g)?.length, 60, 'a pager that is not there takes nothing away')
  })

  test('a locale without UTF-8 gets ASCII marks and ISO dates, and JSON stays what it is', async (t) => {
    const desk = await setDesk(t)
    await setLongSession(desk, 1)
    const since = '2026-11-19T08:05:06.000Z'
    const waiting = { kind: 'limit', reason: 'a limit … of claude', since } as const
    await desk.store.sessions.update('fx-long', { waiting })
    const plain = { TZ: 'UTC', LC_ALL: 'C' }
    const [logs, status, json] = await Promise.all([
      desk.runWith(plain, 'logs', 'fx-long'),
      desk.runWith(plain, 'status', 'fx-long'),
      desk.runWith(plain, 'status', 'fx-long', '--json'),
    ])
    assert.match(logs.stdout, / \* BE Batch 1\/2 - workload 3 - BE-001/)
    assert.match(status.stdout, /since +2026-11-19 08:05:06\n/)
    assert.doesNotMatch(`${logs.stdout}${status.stdout}`, /[^ -~\n]/)
    assert.equal(JSON.parse(json.stdout).waiting.reason, 'a limit … of claude')
    assert.match((await desk.runWith({ LC_ALL: 'C.UTF-8' }, 'logs', 'fx-long')).stdout, / ● BE Batch 1\/2 · /)
  })

  test('completion knows commands, options and sessions, in each shell that is here', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-abcd', ['A'])
    const completed = async (...words: string[]) => {
      const script = `source <(fixwright completion bash); COMP_WORDS=(fixwright "$@"); COMP_CWORD=$#; _fixwright; printf '%s\\n' "\${COMPREPLY[@]}"`
      const env = { ...desk.environment, PATH: `${dirname(BIN)}:${desk.environment.PATH}` }
      return execFileSync('bash', ['-c', script, 'bash', ...words], { env, encoding: 'utf8' })
        .trim()
        .split('\n')
    }
    assert.deepEqual(await completed('sta'), ['status'])
    assert.deepEqual(await completed('report', 'fx-'), ['fx-abcd'])
    assert.deepEqual(await completed('fix', '--max-c'), ['--max-cost'])
    const [zsh, fish, wrong] = await Promise.all([
      desk.run('completion', 'zsh'),
      desk.run('completion', 'fish'),
      desk.run('completion', 'tcsh'),
    ])
    assert.match(zsh.stdout, /^autoload -U \+X bashcompinit/)
    assert.match(fish.stdout, /^complete -c fixwright -n '__fish_seen_subcommand_from fix' -l max-cost -d '/m)
    assert.match(wrong.stderr, /must be one of bash, zsh, fish/)
    for (const [shell, script] of [
      ['bash', zsh.stdout],
      ['zsh', zsh.stdout],
      ['fish', fish.stdout],
    ] as const) {
      const file = join(desk.folder, `completion.${shell}`)
      writeFileSync(file, script)
      const isHere = spawnable(shell)
      if (isHere) execFileSync(shell, ['-n', file])
    }
  })

  test('a terminal that follows a long session hears of its end, in the way that was set, and a young one’s makes no noise', async (t) => {
    const heard = async (id: string, notify: Partial<typeof DEFAULT_SETTINGS.notify>): Promise<string> => {
      const desk = await setDesk(t)
      const settings = { ...DEFAULT_SETTINGS, notify: { ...DEFAULT_SETTINGS.notify, ...notify } }
      await addSession(desk, id, ['A'], { settings })
      await desk.store.events.append(id, [anyEvent('fix_session_started')])
      const terminal = atTerminal(t, desk, 'watch', id)
      let raw = ''
      terminal.child.stdout?.on('data', (part) => {
        raw += part
      })
      await terminal.shows(/issue\(s\) in/)
      await endSession(desk, id)
      assert.equal(await terminal.ended, 0)
      return raw
    }
    const [bell, osc9, off, young] = await Promise.all([
      heard('fx-bell', { terminal: 'bell', after_seconds: 0 }),
      heard('fx-osc', { terminal: 'osc9', after_seconds: 0 }),
      heard('fx-off', { terminal: 'off', after_seconds: 0 }),
      heard('fx-young', { terminal: 'bell', after_seconds: 60 }),
    ])
    assert.ok(bell.includes('\u0007'))
    assert.ok(osc9.includes('\u001b]9;session fx-osc has ended: 1 fixed, 0 failed'))
    for (const silent of [off, young]) assert.ok(!silent.includes('\u0007'))
  })

  test('version is a command too', async (t) => {
    const desk = await setDesk(t)
    assert.equal((await desk.run('version')).stdout, (await desk.run('--version')).stdout)
  })
})

function spawnable(command: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${command}`])
    return true
  } catch {
    return false
  }
}
