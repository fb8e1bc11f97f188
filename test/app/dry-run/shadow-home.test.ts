// What becomes of the copy of a person's home when whoever uses it is interrupted: real processes, real signals.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const MODULE = pathToFileURL(join(import.meta.dirname, '../../../src/app/dry-run/shadow-home.ts')).href

/** A process that has made its copy and goes on using it until `over` is called in it, if that ever happens. */
async function begin(t: TestContext, before = '') {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shadow-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home/fixwright.db'), 'what the person has')
  const script = `
    import { existsSync } from 'node:fs'
    import { withShadowHome } from '${MODULE}'
    let over
    ${before}
    await withShadowHome(process.env, async ({ home }) => {
      console.log(existsSync(home.database))
      await new Promise((resolve) => { over = resolve; setInterval(() => {}, 60_000) })
      console.log('still ' + existsSync(home.database))
    })
    process.exit(0)`
  const env = { PATH: process.env.PATH, TMPDIR: temporary, FIXWRIGHT_HOME: join(folder, 'home') }
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  assert.equal((await lines.next()).value, 'true')
  return {
    lines,
    left: () => readdirSync(temporary),
    interrupted: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      return await ended
    },
  }
}

test('a copy of a home goes with the process that is interrupted, which ends as by that signal', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const user = await begin(t)
    assert.equal(user.left().length, 1)
    assert.deepEqual(await user.interrupted(signal), [null, signal])
    assert.deepEqual(user.left(), [], signal)
  }
})

test('who has something else in mind with a signal keeps the copy for as long as that lasts', async (t) => {
  const leaving = await begin(t, `process.on('SIGINT', () => process.exit(3))`)
  assert.deepEqual(await leaving.interrupted('SIGINT'), [3, null])
  assert.deepEqual(leaving.left(), [])
  const staying = await begin(t, `process.on('SIGINT', () => over())`)
  assert.deepEqual(await staying.interrupted('SIGINT'), [0, null])
  assert.equal((await staying.lines.next()).value, 'still true')
  assert.deepEqual(staying.left(), [])
})
