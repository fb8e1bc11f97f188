// Which folder counts as a known repository that has moved, and which folder is fetched into.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addRepository } from '../../../src/app/repositories/repositories.ts'
import { updateClone } from '../../../src/preflight/remotes/update-clone.ts'
import { openHome } from '../../../src/runtime/home/home.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { DEFAULTS } from '../../activities/support.ts'
import { temporaryFolder } from '../../store/support.ts'

test('a person’s checkout never takes the place of a clone of ours, and nothing is fetched into it', async (t) => {
  const folder = temporaryFolder(t)
  const root = join(folder, 'shop')
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()
  execFileSync('git', ['init', '-q', root])
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-q', '--allow-empty', '-m', 'begin')
  const home = openHome({ FIXWRIGHT_HOME: join(folder, 'home') })
  const store = await openStore(home.database)
  t.after(() => store.close())
  const url = 'https://example.org/shop.git'
  const clone = { repository_id: 'repo-0000000000000000', path: join(home.repositories, 'gone'), name: 'shop', url }
  await store.repositories.add({ ...clone, known_commit: git('rev-parse', 'HEAD') })

  const outcome = await addRepository({ store }, { folder: root })
  assert.equal(outcome.kind, 'added')
  assert.equal((await store.repositories.get(clone.repository_id))?.path, clone.path)

  writeFileSync(join(root, 'work.txt'), 'of a person')
  const ports = { home, env: {}, settings: { ...DEFAULTS.repositories, hosts: ['example.org'] } }
  const refused = await updateClone({ folder: root, url }, ports)
  assert.ok(refused.kind === 'refused')
  assert.match(refused.problems.join(), /is no clone in .*remove it, and add https:\/\/example\.org\/shop\.git/)
})
