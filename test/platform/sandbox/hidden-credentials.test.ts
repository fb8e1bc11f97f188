// What lies among the operator's programs and signs them in.
import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setHome } from './support.ts'

test('a settings file in what is seen is seen where it holds no sign-in, and what is one never is', (t) => {
  const [plain, token] = ['registry=https://mirror.example.com/\n', '//npm.example.com/:_authToken=npm_0123\n']
  const { home, seenWith } = setHome(t, [
    ['.cargo/config.toml', '[registry]\nglobal-credential-providers = ["cargo:token"]\n[http]\ncheck-revoke = true\n'],
    ['elsewhere/cargo/config.toml', '[registries.own]\ntoken = "Bearer x"\n'],
    ['.nvm/versions/node/v24/etc/npmrc', plain],
    ['.nvm/versions/node/v26/etc/npmrc', token],
    ...['.nvm/versions/node/v26/bin/node', '.nvm/versions/node/v26/lib/x', '.rye/shims/python', '.rye/credentials'],
    ['.virtualenvs/web/pip.conf', '[global]\nindex-url = https://me:pass@pypi.example.com/simple\n'],
    ...['.virtualenvs/web/bin/python', '.virtualenvs/web/lib/x', '.dotnet/dotnet', '.dotnet/sdk/x'],
    ...[
      '.dotnet/corefx/cryptography/x509stores/my/key.pfx',
      'conda/conda-meta/x',
      'conda/bin/python',
      'conda/var/db/x',
    ],
    ['conda/envs/web/.condarc', 'channels: [https://conda.example.com/t/ab-01234567/main]\n'],
    ['conda/envs/web/lib/x', ''],
    ['maven/conf/settings.xml', '<server><password>x</password></server>'],
    ...['maven/conf/logging/x', 'maven/bin/mvn', 'maven/lib/x', 'private/x'],
    [
      '.local/share/pipx/venvs/black/pipx_metadata.json',
      '{"pip_args": ["--index-url", "https://t0ken@pypi.example.com"]}',
    ],
    ['.local/share/pipx/venvs/black/bin/black', ''],
  ])
  // Seen in a folder that is seen it leads nowhere, and so it does where that is not seen as one.
  symlinkSync('../private', join(home, 'maven/link'))
  const bins = ['.nvm/versions/node/v26/bin', '.rye/shims', 'maven/bin', 'conda/bin', '.dotnet']
  const path = bins.map((name) => join(home, name))
  const isSeen = seenWith(path, [], { CARGO_HOME: join(home, 'elsewhere/cargo') })
  const programs = [
    ...['.cargo/config.toml', '.nvm/versions/node/v24/etc/npmrc', '.nvm/versions/node/v26/lib/x', '.rye/shims/python'],
    ...[
      '.virtualenvs/web/bin/python',
      '.virtualenvs/web/lib/x',
      '.dotnet/dotnet',
      '.dotnet/sdk/x',
      'conda/conda-meta/x',
    ],
    ...['conda/envs/web/lib/x', 'maven/conf/logging/x', 'maven/lib/x', '.local/share/pipx/venvs/black/bin/black'],
  ]
  assert.deepEqual(
    programs.filter((name) => !isSeen(name)),
    [],
  )
  const hidden = [
    ...[
      'elsewhere/cargo/config.toml',
      '.nvm/versions/node/v26/etc/npmrc',
      '.rye/credentials',
      '.virtualenvs/web/pip.conf',
    ],
    ...['.dotnet/corefx/cryptography/x509stores/my/key.pfx', 'conda/var/db/x', 'conda/envs/web/.condarc'],
    ...['maven/conf/settings.xml', '.local/share/pipx/venvs/black/pipx_metadata.json', 'private/x'],
  ]
  assert.deepEqual(hidden.filter(isSeen), [])
})

test('of packages none is taken for a sign-in by its name', (t) => {
  const packages = ['web/node_modules/var/index.js', 'web/node_modules/tools/credentials/main.js']
  const { home, seenWith } = setHome(t, [...packages, 'web/node_modules/.bin/x'])
  const isSeen = seenWith([join(home, 'web/node_modules/.bin')])
  assert.deepEqual(packages.map(isSeen), [true, true])
})
