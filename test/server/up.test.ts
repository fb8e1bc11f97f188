// `fixwright up` serves the API, and `fixwright token` lets people and programs in: the real commands.
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LOOPBACK } from '../../src/runtime/temporal-server/free-port.ts'
import { setDesk } from '../cli/support.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'
import { ask } from './support.ts'

test('up serves the API of its home until it ends; a token from the terminal opens it', async (t) => {
  const stage = await setMadeStage(t, 1)
  const port = 20_000 + (process.pid % 10_000)
  const up = stage.commandWith({ FIXWRIGHT_SERVER_PORT: `${port}` }, 'up')
  let said = ''
  up.child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  await until('up says where the API is', () => /sign in +http:\S+/.test(said))
  const [, url = ''] = /API +(http:\/\/127\.0\.0\.1:\d+)\/api/.exec(said) ?? []
  assert.equal(new URL(url).hostname, LOOPBACK)
  const made = await stage.command('token', 'create', '--name', 'ci', '--role', 'viewer', '--expires', '2h').ended
  assert.equal(made.status, 0, made.stderr)
  const token = made.stdout.trim()
  const version = await ask(url, '/api/version', { token })
  assert.equal(version.status, 200, version.text)
  const ready = await ask(url, '/api/ready', {})
  assert.deepEqual([ready.status, ready.body], [200, { ready: true, store: true, instance: true }])
  const [, code] = /#login=(\S+)/.exec(said) ?? []
  assert.equal((await ask(url, '/api/login', { method: 'POST', body: { code } })).status, 201)
  const [, id = ''] = token.split('_')
  assert.equal((await stage.command('token', 'revoke', id).ended).status, 0)
  assert.equal((await ask(url, '/api/version', { token })).status, 401, 'another process has revoked it')
  const log = readFileSync(join(stage.home.logs, 'server.log'), 'utf8')
  assert.match(log, /"path":"\/api\/version","status":200,[^\n]*"by":"ci"/)
  up.child.kill('SIGINT')
  assert.equal((await up.ended).status, 0)
  await assert.rejects(ask(url, '/api/health', {}), /ECONNREFUSED/)
})

test('token create writes its token into a file that only its user can read, and lists it without', async (t) => {
  const desk = await setDesk(t)
  const file = join(desk.folder, 'token')
  const made = await desk.run('token', 'create', '--name', 'kim at work', '--file', file)
  assert.deepEqual([made.status, made.stdout], [0, ''], made.stderr)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8').trim()
  const listed = await desk.run('token', 'list')
  assert.match(listed.stdout, /operator +valid +made .*kim at work/)
  assert.ok(!listed.stdout.includes(text.slice(15)))
  const again = await desk.run('token', 'create', '--name', 'other', '--file', file)
  assert.equal(again.status, 2)
  assert.match(again.stderr, /--file .* can't be made/)
  const [other] = JSON.parse((await desk.run('token', 'list', '--json')).stdout)
  assert.equal(other.state, 'revoked', 'nobody has the token that could not be written')
  for (const wrong of [
    ['--role', 'king'],
    ['--expires', 'soon'],
    ['--name', '-x'],
  ]) {
    const ran = await desk.run('token', 'create', '--name', 'x', ...wrong)
    assert.equal(ran.status, 2, wrong.join(' '))
  }
  assert.equal((await desk.run('token', 'revoke', 'nothing')).status, 2)
})
