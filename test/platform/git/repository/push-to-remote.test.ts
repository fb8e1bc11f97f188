// Which ways to a remote git is given, and that a credential in a remote's address is seen by git's helper alone.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readRemoteUrl } from '../../../../src/platform/git/repository/branches.ts'
import { pushToRemote } from '../../../../src/platform/git/repository/push-to-remote.ts'
import { startGitHub, TOKEN } from '../../../support/github.ts'
import { listenSilently } from '../../../support/silent-server.ts'
import { temporaryFolder } from '../../../support/temporal.ts'

function prepare(t: TestContext) {
  const { path, remove } = temporaryFolder('push')
  t.after(remove)
  const [root, bare] = [join(path, 'work'), join(path, 'up.git')]
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()
  execFileSync('git', ['init', '-q', '-b', 'fix', root])
  execFileSync('git', ['init', '-q', '--bare', bare])
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-q', '--allow-empty', '-m', 'begin')
  const commit = git('rev-parse', 'HEAD')
  const push = async (remote: string) => {
    const url = (await readRemoteUrl(root, remote)) ?? ''
    return { url, ...(await pushToRemote({ root, folder: join(path, 'push'), url, branch: 'fix', commit })) }
  }
  return { path, root, bare, commit, git, push }
}

test('readRemoteUrl: an address is absolute, and holds no credential', async (t) => {
  const { root, git } = prepare(t)
  const cases = [
    ['https://x-access-token:ghp_1@github.com/o/r.git', 'https://github.com/o/r.git'],
    ['https://ghp_1@github.com/o/r.git', 'https://github.com/o/r.git'],
    ['ssh://git:secret@example.org:22/o/r.git', 'ssh://git@example.org:22/o/r.git'],
    ['git@example.org:o/r.git', 'git@example.org:o/r.git'],
    ['../up.git', join(root, '../up.git')],
    ['file:///srv/up.git', 'file:///srv/up.git'],
  ]
  for (const [written = '', url] of cases) {
    git('config', 'remote.origin.url', written)
    assert.equal(await readRemoteUrl(root, 'origin'), url)
  }
})

test('pushToRemote: the credential of an address reaches the host through the helper', async (t) => {
  const { root, commit, git, push } = prepare(t)
  const github = await startGitHub(t, { from: root })
  github.git('update-ref', '-d', 'refs/heads/fix')
  git('remote', 'add', 'open', github.remote)
  assert.equal((await push('open')).kind, 'refused')
  git('remote', 'add', 'signed', github.remote.replace('//', `//ada:${TOKEN}@`))
  git('remote', 'remove', 'open')
  const { kind, url } = await push('signed')
  assert.deepEqual([kind, url], ['pushed', github.remote])
  assert.equal(github.git('rev-parse', 'refs/heads/fix'), commit)
})

test('pushToRemote: to a folder, and by ssh with the operator’s agent and without a question', async (t) => {
  const { path, bare, commit, git, push } = prepare(t)
  const headOf = () => execFileSync('git', ['-C', bare, 'rev-parse', 'refs/heads/fix'], { encoding: 'utf8' }).trim()
  git('remote', 'add', 'near', '../up.git')
  assert.equal((await push('near')).kind, 'pushed')
  assert.equal(headOf(), commit)

  // It stands for ssh and its server: it writes down how it was called, and runs git's command here.
  const [ssh, called] = [join(path, 'ssh'), join(path, 'called')]
  writeFileSync(ssh, `#!/bin/sh\necho "$SSH_AUTH_SOCK $*" >> ${called}\nfor last; do :; done\nexec sh -c "$last"\n`, {
    mode: 0o755,
  })
  const { GIT_SSH_COMMAND, SSH_AUTH_SOCK } = process.env
  t.after(() => Object.assign(process.env, { GIT_SSH_COMMAND, SSH_AUTH_SOCK }))
  Object.assign(process.env, { GIT_SSH_COMMAND: ssh, SSH_AUTH_SOCK: '/run/agent' })
  execFileSync('git', ['-C', bare, 'update-ref', '-d', 'refs/heads/fix'])
  git('remote', 'add', 'far', `git@example.org:${bare}`)
  assert.equal((await push('far')).kind, 'pushed')
  assert.equal(headOf(), commit)
  assert.match(readFileSync(called, 'utf8'), /^\/run\/agent .*git@example\.org/)
})

test('pushToRemote: an address that runs a command is refused', async (t) => {
  const { path, git, push } = prepare(t)
  const trap = join(path, 'trap')
  for (const url of [`ext::sh -c 'touch ${trap}'`, 'git://example.org/o/r.git']) {
    git('config', 'remote.bad.url', url)
    const refused = await push('bad')
    assert.ok(refused.kind === 'refused')
    assert.match(refused.why, /transport '\w+' not allowed/)
  }
  assert.equal(existsSync(trap), false)
})

test('pushToRemote: a remote that takes the connection and says nothing is given up', {
  timeout: 60_000,
}, async (t) => {
  const { path, root, commit } = prepare(t)
  const url = `http://127.0.0.1:${(await listenSilently(t)).port}/o/r.git`
  const pushing = pushToRemote({ root, folder: join(path, 'push'), url, branch: 'fix', commit, silenceSeconds: 1 })
  await assert.rejects(pushing, /Operation too slow/)
})
