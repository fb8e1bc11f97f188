// Reviews and votes of a repository that is a clone of ours: what bringing it up to date left out is told.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkReview } from '../../src/preflight/reviews/check-review.ts'
import { checkVotes } from '../../src/preflight/reviews/check-votes.ts'
import { plainGit } from '../platform/git/support.ts'
import { useSsh } from '../platform/git/use-ssh.ts'
import { setDesk } from '../runtime/support.ts'

test('a review and votes of a clone say which branches of the remote it has no place for', async (t) => {
  const desk = await setDesk(t)
  useSsh(t, join(desk.home, 'ssh'), `exec git upload-pack '${desk.repository}'`)
  desk.git(['checkout', '-q', '-b', 'feature'])
  desk.write({ 'README.md': 'changed\n' })
  desk.git(['commit', '-qam', 'feature'])
  desk.git(['branch', 'release/1.0', 'main'])
  desk.git(['checkout', '-q', 'main'])
  const repository_id = 'repo-00000000000000ab'
  const folder = join(desk.theirs.repositories, repository_id)
  plainGit(['init', '-q', '-b', 'main', folder], desk.home)
  writeFileSync(join(folder, 'own.txt'), 'own\n')
  plainGit(['add', '.'], folder)
  plainGit(['commit', '-qm', 'own'], folder)
  // A branch of ours with a commit of its own stays, so git has no place for release/1.0.
  plainGit(['branch', '-m', 'release'], folder)
  await desk.store.repositories.add({ repository_id, path: folder, url: 'ssh://git@localhost/o/r.git', name: 'shop' })
  const context = {
    home: desk.theirs,
    env: { ...desk.env, FIXWRIGHT_REPOSITORIES_HOSTS: '["localhost"]' },
    store: desk.store,
  }
  const change = { repository: 'shop', base: 'main', head: 'feature', flags: {} }
  for (const checked of [await checkReview(context, change), await checkVotes(context, change)]) {
    assert.ok(checked.kind === 'ready', JSON.stringify(checked))
    assert.deepEqual(checked.prepared.notes, [
      'ssh://git@localhost/o/r.git: its branch release/1.0 is left out, beside the branch release here',
    ])
  }
})
