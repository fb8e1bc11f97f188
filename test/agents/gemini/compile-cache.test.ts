// What node has compiled of the challenger's CLI: made once, out of reach of what any call is told, and never needed.
import assert from 'node:assert/strict'
import { globSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { NO_SANDBOX, sandboxSettings } from '../../platform/sandbox/support.ts'
import { answerOf, setStage } from '../support.ts'

/** In place of the CLI: it says what node knows it as, where its compiled code is, and what comes of planting some. */
const SPY = `#!/usr/bin/env node
import { writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
const at = getCompileCacheDir()
let planted = 'planted'
try { writeFileSync(at + '/planted', '') } catch (error) { planted = error.code }
const say = (line) => console.log(JSON.stringify(line))
say({ type: 'init', session_id: 's', model: 'm' })
say({ type: 'message', role: 'assistant', content: [import.meta.filename, at, planted, ...process.execArgv].join(' '), delta: true })
say({ type: 'result', status: 'success', stats: {} })
`

test('two first calls at once compile the CLI once, and leave what every later call starts from', async (t) => {
  const { call, folder, marker } = await setStage(t)
  const compiled = join(folder, 'compiled')
  const both = [
    call('gemini', { compileCache: compiled }),
    call('gemini', { compileCache: compiled, marker: `${marker}-too` }),
  ]
  for (const { kind } of await Promise.all(both)) assert.equal(kind, 'answered')
  assert.equal(readdirSync(compiled).length, 1, 'one version, and nothing of how it was made')
  assert.ok(globSync('*/*/*', { cwd: compiled }).length > 10)
})

test('a call in a sandbox starts from it and can not change it', { skip: NO_SANDBOX }, async (t) => {
  const { call, folder } = await setStage(t)
  const [compiled, command] = [join(folder, 'compiled'), join(folder, 'linked', 'spy.mjs')]
  mkdirSync(join(folder, 'real'))
  writeFileSync(join(folder, 'real', 'spy.mjs'), SPY, { mode: 0o755 })
  symlinkSync('real', join(folder, 'linked'))
  const sandbox = {
    ...{ settings: sandboxSettings('auto'), hidden: [], readable: [], writable: [] },
    conversations: join(folder, 'conversations'),
  }
  const { text, report } = answerOf(await call('gemini', { command, compileCache: compiled, sandbox }))
  assert.equal(report.sandbox, 'files')
  const [program, at = '', planted, ...flags] = text.split(' ')
  assert.equal(program, realpathSync(command), 'as outside: node knows code again by its place')
  assert.ok(at.startsWith(`${compiled}/`), at)
  assert.equal(planted, 'EROFS')
  assert.deepEqual(flags, ['--min-semi-space-size=16'], 'room for garbage')
})

test('where it can not be kept, and for a CLI that is no script of node, a call does without', async (t) => {
  const { call, folder } = await setStage(t)
  const blocked = join(folder, 'a-file')
  writeFileSync(blocked, '')
  assert.equal((await call('gemini', { compileCache: blocked })).kind, 'answered')
  const [compiled, command] = [join(folder, 'compiled'), join(folder, 'wrapper')]
  mkdirSync(compiled)
  writeFileSync(command, '#!/bin/sh\nexit 7\n', { mode: 0o755 })
  assert.equal((await call('gemini', { command, compileCache: compiled })).kind, 'failed')
  assert.deepEqual(readdirSync(compiled), [])
})
