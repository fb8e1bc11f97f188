import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeUnusedFiles } from '../../scripts/remove-unused-files.ts'
import { temporaryFolder } from '../store/support.ts'

test('files of an earlier build stay for a program that may still load them, and go when none runs', async (t) => {
  const folder = join(temporaryFolder(t), 'program')
  const [main, old, young] = ['main.js', 'chunks/late-1.js', 'chunks/late-2.js'].map((name) => join(folder, name))
  assert.ok(main && old && young)
  mkdirSync(join(folder, 'chunks'), { recursive: true })
  writeFileSync(main, "process.stdin.once('data', () => import('./chunks/late-1.js')); console.log('it runs')")
  for (const file of [old, young]) writeFileSync(file, "console.log('loaded'); process.stdin.pause()")
  const lastWeek = new Date(Date.now() - 7 * 24 * 60 * 60_000)
  utimesSync(old, lastWeek, lastWeek)
  const program = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => program.kill('SIGKILL'))
  await once(program.stdout, 'data')
  removeUnusedFiles(folder)
  const said = once(program.stdout, 'data')
  program.stdin.write('go on')
  assert.match(String(await said), /loaded/)
  if (program.exitCode === null) await once(program, 'exit')
  removeUnusedFiles(folder)
  assert.deepEqual([main, old, young].map(existsSync), [true, false, true])
})
