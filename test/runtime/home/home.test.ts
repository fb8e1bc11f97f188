import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { openHome } from '../../../src/runtime/home/home.ts'

const linux = { skip: process.platform !== 'linux' }
let folder = ''

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'fixwright-home-')))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('FIXWRIGHT_HOME is made, private to its user, with everything under it', () => {
  const home = openHome({ FIXWRIGHT_HOME: join(folder, 'a', 'home'), FIXWRIGHT_CACHE: join(folder, 'cache') })
  assert.equal(statSync(home.path).mode & 0o777, 0o700)
  assert.equal(home.cache, join(folder, 'cache'))
  for (const [name, path] of Object.entries(home)) {
    if (name !== 'cache' && name !== 'hostId') assert.ok(path.startsWith(join(folder, 'a', 'home')), `${name}: ${path}`)
  }
})

test('without it the home is where Linux keeps such data, and the cache where it keeps caches', linux, () => {
  const byUser = openHome({ HOME: folder })
  assert.equal(byUser.path, join(folder, '.local/share/fixwright'))
  assert.equal(byUser.cache, join(folder, '.cache/fixwright'))
  const byXdg = openHome({ HOME: folder, XDG_DATA_HOME: join(folder, 'd'), XDG_CACHE_HOME: join(folder, 'c') })
  assert.deepEqual([byXdg.path, byXdg.cache], [join(folder, 'd/fixwright'), join(folder, 'c/fixwright')])
  assert.equal(openHome({ HOME: folder, XDG_DATA_HOME: 'relative' }).path, byUser.path, 'a relative one is ignored')
})

test('a home that others could read is closed to them', linux, () => {
  const open = join(folder, 'open')
  mkdirSync(open)
  chmodSync(open, 0o755)
  openHome({ FIXWRIGHT_HOME: open })
  assert.equal(statSync(open).mode & 0o777, 0o700)
})

test('a home of somebody else is refused, with what to do', { skip: process.getuid?.() !== 0 }, () => {
  const foreign = join(folder, 'foreign')
  mkdirSync(foreign)
  chownSync(foreign, 4242, 4242)
  assert.throws(() => openHome({ FIXWRIGHT_HOME: foreign }), /belongs to user 4242.*set FIXWRIGHT_HOME/)
})

test('a home that is a file, or can not be made, is refused, with what to do', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  assert.throws(() => openHome({ FIXWRIGHT_HOME: file }), /set FIXWRIGHT_HOME/)
  assert.throws(() => openHome({ FIXWRIGHT_HOME: join(file, 'below') }), /can't be made.*set FIXWRIGHT_HOME/)
})

test('one home has one path, by whatever link it is reached', () => {
  const home = openHome({ FIXWRIGHT_HOME: join(folder, 'real') })
  symlinkSync(home.path, join(folder, 'link'))
  assert.equal(openHome({ FIXWRIGHT_HOME: join(folder, 'link') }).path, home.path)
})

test('the id of the host is made once and kept', () => {
  const env = { FIXWRIGHT_HOME: join(folder, 'home') }
  const first = openHome(env).hostId
  assert.match(first, /^[0-9a-f]{8}$/)
  assert.equal(openHome(env).hostId, first)
  assert.ok(existsSync(join(folder, 'home', 'host-id')))
})
