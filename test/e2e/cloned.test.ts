// Repositories by their address: cloned into the home through one door, and fetched before each session.
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createToken } from '../../src/app/access/tokens.ts'
import { ask, serveStage } from '../server/support.ts'
import { NO_OPENSSL } from '../support/certificate.ts'
import { GIT_PASSWORD, GIT_USER, startGitServer } from '../support/git-server.ts'
import { gitAt, setMadeStage } from '../support/session.ts'
import { startTokenHunt } from '../support/token-hunt.ts'

test('a repository is cloned by https from a named host, fetched before each session, and its password is nowhere in the home', {
  skip: NO_OPENSSL,
  timeout: 180_000,
}, async (t) => {
  const stage = await setMadeStage(t, 2)
  const { made, home, folder } = stage
  const server = await startGitServer(t, stage.repository)
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, `${GIT_PASSWORD}\n`, { mode: 0o600 })
  const credentials = [{ host: server.host, username: GIT_USER, password_file: passwordFile }]
  const hunt = await startTokenHunt(t, stage, { secrets: [GIT_PASSWORD], holders: [passwordFile] })
  const named = {
    GIT_SSL_CAINFO: server.ca,
    FIXWRIGHT_REPOSITORIES_HOSTS: JSON.stringify([server.host]),
    FIXWRIGHT_REPOSITORIES_CREDENTIALS: JSON.stringify(credentials),
  }
  // A person's own configuration leads elsewhere; it does not count.
  writeFileSync(join(`${stage.environment.HOME}`, '.gitconfig'), `[url "file://${folder}/"]\n\tinsteadOf = https://\n`)
  const add = async (status: number, url: string, more: Readonly<Record<string, string>> = named) => {
    const ended = await stage.commandWith(more, 'repo', 'add', url, '--json').ended
    assert.equal(ended.status, status, `${url}: ${ended.stderr}${ended.stdout}`)
    return ended
  }
  const clones = () => (existsSync(join(home.path, 'repositories')) ? readdirSync(join(home.path, 'repositories')) : [])

  assert.match((await add(2, server.url, {})).stderr, /is no host of repositories\.hosts: none is named/)
  for (const url of [`file://${server.bare}`, 'ext::sh -c "touch pwned"', 'http://localhost/x.git']) await add(2, url)
  // A named host, and its address is one that no setting allows; so it is with a proxy that does not count for it, and by ssh.
  const metadata = { ...named, FIXWRIGHT_REPOSITORIES_HOSTS: '["169.254.169.254", "169.254.169.254:22"]' }
  const proxied = { ...metadata, HTTPS_PROXY: 'http://127.0.0.1:9', no_proxy: '169.254.169.254', NO_PROXY: 'x' }
  for (const [url, environment] of [
    ['https://169.254.169.254/x', metadata],
    ['https://169.254.169.254/x', proxied],
    ['ssh://git@169.254.169.254/x', proxied],
  ] as const)
    assert.match(
      (await add(2, url, environment)).stderr,
      /169\.254\.169\.254 is an address that nothing may be sent to/,
    )
  assert.equal(server.requests.length, 0, 'nothing was asked of any host')
  const { FIXWRIGHT_REPOSITORIES_CREDENTIALS: _, ...unknown } = named
  assert.match((await add(3, server.url, unknown)).stderr, /can't be fetched/)
  assert.match((await add(3, `https://${server.host}/moved/acme/shop.git`)).stderr, /can't be fetched/)
  assert.deepEqual(clones(), [], 'what failed leaves nothing')

  const repository = JSON.parse((await add(0, server.url)).stdout)
  assert.deepEqual([repository.outcome, repository.name, repository.url], ['added', 'shop', server.url])
  assert.equal(JSON.parse((await add(0, server.url)).stdout).outcome, 'known')
  const clone = repository.path
  assert.deepEqual(clones(), [repository.repository_id])

  const file = join(folder, 'findings.json')
  writeFileSync(file, JSON.stringify(made.findings))
  const fix = async (code: string, status = 0) => {
    const ended = await stage.commandWith(named, 'fix', file, '--repo', 'shop', '--only', code, '--json').ended
    assert.equal(ended.status, status, ended.stderr)
    return ended
  }
  const { result } = await fix('T-001')
  assert.equal(gitAt(clone, ['rev-list', '--count', `main..${result?.branch_name}`]), '1')
  // Whoever changed the clone's configuration leads nobody elsewhere.
  appendFileSync(join(clone, '.git', 'config'), `[url "file://${folder}/"]\n\tinsteadOf = https://\n`)
  const pushed = server.commit('NEWS.md', 'news\n')
  const second = await fix('T-002')
  assert.equal(
    gitAt(clone, ['rev-parse', `${second.result?.branch_name}~1`]),
    pushed,
    'the session begins from the push',
  )
  assert.equal(gitAt(clone, ['rev-parse', 'main']), pushed)
  assert.equal(
    gitAt(clone, ['rev-list', '--count', `${pushed}~1..${result?.branch_name}`]),
    '1',
    'the first branch is as it was',
  )
  await stage.quiet()
  await hunt.end()
  await server.close()
  assert.match((await fix('T-001', 3)).stderr, /can't be fetched/)
})

test('a repository is cloned by ssh, asked for no password and led by no option, and over HTTP by an admin alone', async (t) => {
  const stage = await setMadeStage(t, 1)
  // No sshd is on every machine: this stands for ssh, notes how git calls it, and runs what the other host would.
  const bin = join(stage.folder, 'bin')
  const calls = join(stage.folder, 'ssh-calls')
  mkdirSync(bin)
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> '${calls}'\nfor last; do :; done\ncase "$last" in git-upload-pack*) exec git upload-pack '${stage.repository}';; esac\nexit 255\n`
  writeFileSync(join(bin, 'ssh'), script)
  chmodSync(join(bin, 'ssh'), 0o755)
  const environment = {
    PATH: `${bin}:${stage.environment.PATH}`,
    FIXWRIGHT_REPOSITORIES_HOSTS: '["localhost"]',
  }
  const added = await stage.commandWith(environment, 'repo', 'add', 'git@localhost:acme/shop.git', '--json').ended
  assert.equal(added.status, 0, added.stderr)
  const { url, path } = JSON.parse(added.stdout)
  assert.equal(url, 'ssh://git@localhost/acme/shop.git')
  assert.equal(gitAt(path, ['rev-parse', 'main']), stage.git('rev-parse', 'main'))
  for (const call of readFileSync(calls, 'utf8').trim().split('\n'))
    assert.match(
      call,
      /^-o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=30 -o ServerAliveInterval=30 .*git@localhost git-upload-pack '\/acme\/shop\.git'$/,
    )
  for (const refused of [
    'ssh://-oProxyCommand=x/y',
    'ssh://git@localhost:2222/x',
    'git@elsewhere:x/y.git',
    'ssh://git:pw@localhost/x',
  ])
    assert.equal((await stage.commandWith(environment, 'repo', 'add', refused).ended).status, 2, refused)

  const api = await serveStage(stage, { role: 'admin' })
  const post = (body: object, token = api.token) => ask(api.url, '/api/repositories', { method: 'POST', token, body })
  const { text: operator } = await createToken(api.app, { name: 'o', role: 'operator', expires: '1h' })
  assert.equal((await post({ url }, operator)).status, 403)
  const unnamed = await post({ url: 'https://elsewhere.example/x.git' })
  assert.deepEqual([unnamed.status, unnamed.body.code], [403, 'remote_not_allowed'])
  const known = await post({ url })
  assert.deepEqual([known.status, known.body.url], [200, url])
  for (const wrong of [{}, { url, path }, { url: '' }]) assert.equal((await post(wrong)).status, 400)
})
