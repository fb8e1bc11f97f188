import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cloneRepository } from '../../../src/app/repositories/clone-repository.ts'
import { openHome } from '../../../src/runtime/home/home.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { sandbox } from '../../platform/git/support.ts'

test('cloneRepository: what throws leaves no clone', async (t) => {
  const box = sandbox(t)
  const ssh = join(box.home, 'ssh')
  writeFileSync(ssh, `#!/bin/sh\nexec git upload-pack '${box.repository}'\n`, { mode: 0o755 })
  const { GIT_SSH_COMMAND } = process.env
  process.env.GIT_SSH_COMMAND = ssh
  t.after(() => {
    if (GIT_SSH_COMMAND === undefined) delete process.env.GIT_SSH_COMMAND
    else process.env.GIT_SSH_COMMAND = GIT_SSH_COMMAND
  })
  const env = { FIXWRIGHT_HOME: join(box.home, 'fixwright'), FIXWRIGHT_REPOSITORIES_HOSTS: '["localhost"]' }
  const home = openHome(env)
  const store = await openStore(home.database)
  t.after(() => store.close())
  const add = () => Promise.reject(new Error('the store is gone'))
  const dying = { ...store, repositories: { ...store.repositories, list: () => store.repositories.list(), add } }
  const cloning = cloneRepository({ store: dying, home, env, flags: {} }, { url: 'git@localhost:acme/shop.git' })
  await assert.rejects(cloning, /the store is gone/)
  assert.deepEqual(readdirSync(home.repositories), [])
})
