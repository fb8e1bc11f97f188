// How a clone of ours follows its remote: which branches go with it, and how long a silent one is waited for.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { syncClone } from '../../../../src/platform/git/remote/sync-clone.ts'
import { processesNaming } from '../../../support/processes-naming.ts'
import { listenSilently } from '../../../support/silent-server.ts'
import { plainGit, sandbox } from '../support.ts'
import { useSsh } from '../use-ssh.ts'

/** A remote by ssh, where ssh is a script that serves the repository. */
function prepare(t: TestContext) {
  const box = sandbox(t)
  const folder = join(box.home, 'clone')
  useSsh(t, join(box.home, 'ssh'), `exec git upload-pack '${box.repository}'`)
  const scratch = join(box.home, 'scratch')
  const sync = () => syncClone({ folder, scratch, scheme: 'ssh', url: 'ssh://git@example.org/o/r.git' })
  const commitOn = (branch: string) => {
    const commit = plainGit(['commit-tree', '-p', branch, '-m', 'own', `${branch}^{tree}`], folder)
    plainGit(['update-ref', `refs/heads/${branch}`, commit], folder)
  }
  const branches = () => plainGit(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'], folder).split('\n')
  return { ...box, folder, sync, branches, commitOn }
}

const CURRENT = { kind: 'current', notes: [] }

test('syncClone: a branch that is gone from the remote makes room for those below its name, and for those above', async (t) => {
  const { git, folder, sync, branches } = prepare(t)
  git(['branch', 'release'])
  git(['branch', 'docs/a'])
  assert.deepEqual(await sync(), CURRENT)
  assert.deepEqual(branches(), ['docs/a', 'main', 'release'])
  git(['branch', '-m', 'release', 'release/1.0'])
  git(['branch', '-m', 'docs/a', 'docs'])
  assert.deepEqual(await sync(), CURRENT)
  assert.deepEqual(branches(), ['docs', 'main', 'release/1.0'])
  // Also the one that is checked out.
  git(['branch', '-m', 'main', 'main/next'])
  assert.deepEqual(await sync(), CURRENT)
  assert.deepEqual(branches(), ['docs', 'main/next', 'release/1.0'])
  assert.equal(plainGit(['symbolic-ref', 'HEAD'], folder), 'refs/heads/main/next')
  assert.equal(plainGit(['status', '--porcelain'], folder), '')
})

test('syncClone: branches with commits of their own and those of sessions stay, and what clashes with them is left out and told', async (t) => {
  const { git, folder, sync, branches, commitOn } = prepare(t)
  git(['branch', 'release'])
  await sync()
  commitOn('release')
  // A session's branch that was pushed, and is removed there after the merge.
  plainGit(['branch', 'fixwright/s-1', 'main'], folder)
  git(['branch', 'fixwright/s-1'])
  assert.deepEqual(await sync(), CURRENT)
  git(['branch', '-D', 'fixwright/s-1'])
  git(['branch', 'fixwright'])
  git(['branch', '-m', 'release', 'release/1.0'])
  git(['branch', 'other'])
  for (let start = 0; start < 2; start += 1) {
    assert.deepEqual(await sync(), {
      kind: 'current',
      notes: [
        'its branch fixwright is left out, beside the branch fixwright/s-1 here',
        'its branch release/1.0 is left out, beside the branch release here',
      ],
    })
    assert.deepEqual(branches(), ['fixwright/s-1', 'main', 'other', 'release'])
  }
})

test('syncClone: a remote that takes the connection and says nothing is given up', { timeout: 60_000 }, async (t) => {
  const { home, folder } = prepare(t)
  const request = { folder, scratch: join(home, 'scratch'), scheme: 'https', answerWithinMs: 500 } as const
  const url = `https://127.0.0.1:${(await listenSilently(t)).port}/o/r.git`
  assert.deepEqual(await syncClone({ ...request, url }), { kind: 'failed', why: 'it did not answer within 0.5 s' })
  assert.deepEqual([...processesNaming(url).values()], [], 'no process of git waits on')
})

test('syncClone: a server by ssh that lists its branches and then sends nothing is given up', {
  timeout: 60_000,
}, async (t) => {
  const { home, repository, folder } = prepare(t)
  const listed = join(home, 'listed')
  useSsh(
    t,
    join(home, 'ssh'),
    `[ -e '${listed}' ] && exec sleep 600; : > '${listed}'; exec git upload-pack '${repository}'`,
  )
  const request = {
    folder,
    scratch: join(home, 'scratch'),
    url: 'ssh://git@example.org/o/r.git',
    scheme: 'ssh',
  } as const
  assert.deepEqual(await syncClone({ ...request, sendWithinMs: 600 }), {
    kind: 'failed',
    why: 'it had not sent everything after 0.01 minutes: clone it yourself, and register the folder with "fixwright repo add"',
  })
  assert.deepEqual([...processesNaming(home).values()], [], 'no process of git or ssh waits on')
})
