// Where programs are looked for. Most of a person's folders are repositories, and an entry of the PATH such as `./node_modules/.bin`
// names a folder of whichever one is worked in.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findCommand, keepAbsoluteEntries, listRelativeEntries } from '../../../src/platform/processes/find-command.ts'
import { tryBubblewrap } from '../../../src/platform/processes/pid-namespace.ts'
import { runProcess } from '../../../src/platform/processes/run-process.ts'
import { readTool } from '../../../src/runtime/temporal-server/install.ts'

const LOOSE = ['', '.', './node_modules/.bin', 'bin', '~/bin']

/** A folder that we stand in, with programs of these names wherever an entry that is not absolute leads to, and at `firm`. */
function stand(t: TestContext, ...names: readonly string[]) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-which-')))
  const [before, PATH] = [process.cwd(), process.env.PATH]
  process.chdir(folder)
  t.after(() => {
    process.chdir(before)
    process.env.PATH = PATH
    rmSync(folder, { recursive: true })
  })
  const trace = join(folder, 'it-ran')
  for (const place of [...LOOSE, 'firm']) {
    mkdirSync(join(folder, place), { recursive: true })
    const does = place === 'firm' ? 'echo firm' : `: > '${trace}'`
    for (const name of names) writeFileSync(join(folder, place, name), `#!/bin/sh\n${does}\n`, { mode: 0o755 })
  }
  return { folder, trace, firm: join(folder, 'firm'), loose: LOOSE.join(delimiter) }
}

test('a command is only found in folders that are the same from everywhere', async (t) => {
  const { folder, firm, loose } = stand(t, 'tool')
  assert.equal(await findCommand('tool', loose), undefined)
  assert.equal(await findCommand('tool', `${loose}${delimiter}${firm}`), join(firm, 'tool'))
  assert.equal(await findCommand('tool', ''), undefined)
  assert.equal(
    await findCommand('bin/tool', loose, folder),
    join(folder, 'bin/tool'),
    'what is named by its path is meant',
  )
})

test('what is left of a PATH holds in every folder, and nothing left is no PATH: an empty one is the folder itself', () => {
  assert.equal(
    keepAbsoluteEntries(`${LOOSE.join(delimiter)}${delimiter}/usr/bin${delimiter}${delimiter}/bin`),
    '/usr/bin:/bin',
  )
  for (const path of [undefined, '', '.', './x:y']) assert.equal(keepAbsoluteEntries(path), undefined)
  assert.deepEqual(listRelativeEntries(`/bin${delimiter}${LOOSE.join(delimiter)}`), LOOSE)
  assert.deepEqual(listRelativeEntries(undefined), [])
})

test('a process is no program of the folder that it is started in', async (t) => {
  const { folder, trace, firm, loose } = stand(t, 'claude')
  const started = (path: string) =>
    runProcess({
      ...{ command: 'claude', args: [], cwd: folder, env: { PATH: path }, stdin: '' },
      ...{ stdoutFile: join(folder, 'out'), stderrFile: join(folder, 'err') },
      ...{ deadlineMs: 20_000, graceMs: 300, signal: new AbortController().signal },
      marker: `which-test-${process.pid}/call/1/n`,
    })
  assert.equal((await started(`${loose}${delimiter}/usr/bin${delimiter}/bin`)).ended, 'not_found')
  assert.equal((await started(`${loose}${delimiter}${firm}`)).ended, 'exited')
  assert.equal(readFileSync(join(folder, 'out'), 'utf8'), 'firm\n')
  assert.throws(() => readFileSync(trace), /ENOENT/)
})

test('neither bubblewrap nor what it tries is a program of the folder we stand in, nor what gets Temporal', async (t) => {
  const { trace, loose } = stand(t, 'bwrap', 'true', 'go')
  process.env.PATH = [loose, process.env.PATH].join(delimiter)
  // A view that nobody has tried yet.
  await tryBubblewrap(['--dev-bind', '/', '/', '--setenv', 'WHICH', 'test'])
  await readTool('go', ['version'], { env: process.env, timeoutMs: 10_000 }).catch(() => undefined)
  assert.throws(() => readFileSync(trace), /ENOENT/)
})
