// Which of the operator's folders are programs, and which only lie beside them.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { expandHome, listProgramPaths } from '../../../src/platform/sandbox/visible-programs.ts'
import { setHome } from './support.ts'

test('installations on the PATH are seen whole, and no repository, home or folder with sign-ins for a bin in it', (t) => {
  const { home, seenWith } = setHome(t, [
    ...['.nvm/versions/node/v26/bin/node', '.nvm/versions/node/v26/lib/node_modules/cli/main.js'],
    ...['.pyenv/shims/python', '.pyenv/versions/3.13/x', '.pyenv/.git/HEAD', 'venv/bin/python', 'venv/pyvenv.cfg'],
    ...[
      'app/bin/run',
      'app/lib/x',
      'app/.git/HEAD',
      'dotfiles/bin/tool',
      '.cargo/bin/cargo',
      '.cargo/credentials.toml',
    ],
    ...['.cargo/registry/x', 'bin/mine', '.local/bin/x', 'web/node_modules/.bin/x', 'web/.env'],
  ])
  symlinkSync('../lib/node_modules/cli/main.js', join(home, '.nvm/versions/node/v26/bin/cli'))
  const folders = ['.nvm/versions/node/v26/bin', '.pyenv/shims', 'venv/bin', 'app/bin', 'dotfiles/bin', '.cargo/bin']
  const more = ['bin', '.local/bin', 'web/node_modules/.bin']
  const path = [...folders, ...more].map((name) => join(home, name))
  const cli = join(home, '.nvm/versions/node/v26/bin/cli')
  const isSeen = seenWith([...path, '/', home, dirname(home), 'relative/bin'], [cli])

  const programs = [
    '.nvm/versions/node/v26/lib',
    '.pyenv/versions',
    'venv/pyvenv.cfg',
    'app/bin/run',
    'dotfiles/bin/tool',
  ]
  const also = ['.cargo/bin/cargo', '.cargo/registry', 'bin/mine', '.local/bin/x', 'web/node_modules/pkg']
  assert.deepEqual(
    [...programs, ...also].filter((name) => !isSeen(name)),
    [],
  )
  const hidden = [
    'app/lib/x',
    'dotfiles/secret',
    '.cargo/credentials.toml',
    '.ssh',
    '.local/share/fixwright',
    'web/.env',
  ]
  assert.deepEqual(hidden.filter(isSeen), [])
})

test('what package managers keep of sign-ins and keys beside their packages is not seen', (t) => {
  const { seenWith } = setHome(t, [
    ...['.gem/credentials', '.gem/gem-private_key.pem', '.gem/ruby/3.3.0/gems/rake/x'],
    ...[
      '.local/share/uv/credentials/credentials.toml',
      '.local/share/uv/python/3.13/x',
      '.local/share/uv/tools/ruff/x',
    ],
    ...['.local/share/pipx/logs/cmd.log', '.local/share/pipx/venvs/black/x', '.local/pipx/venvs/black/x'],
    ...['.local/share/gem/credentials', '.local/share/gem/ruby/3.3.0/gems/x'],
    ...[
      '.volta/bin/node',
      '.volta/tools/image/node/22/bin/node',
      '.volta/tools/user/platform.json',
      '.volta/hooks.json',
    ],
    ['.volta/tools/image/node/22/etc/npmrc', '//registry.example.com/:_authToken=x'],
    ...['.bun/bin/x', '.bun/install/global/node_modules/x/x', '.bun/install/cache/x'],
    ...['.cache/ms-playwright/mcp-chrome-profile/Cookies', '.cache/ms-playwright/chromium_headless_shell-1187/x'],
  ])
  const isSeen = seenWith([])
  const packages = [
    ...['.gem/ruby/3.3.0/gems/rake/x', '.local/share/uv/python/3.13/x', '.local/share/uv/tools/ruff/x'],
    ...['.local/share/pipx/venvs/black/x', '.local/pipx/venvs/black/x'],
    '.cache/ms-playwright/chromium_headless_shell-1187/x',
    ...['.local/share/gem/ruby/3.3.0/gems/x', '.bun/bin/x', '.bun/install/global/node_modules/x/x'],
    ...['.volta/bin/node', '.volta/tools/image/node/22/bin/node', '.volta/tools/user/platform.json'],
  ]
  assert.deepEqual(
    packages.filter((name) => !isSeen(name)),
    [],
  )
  const hidden = [
    ...['.gem/credentials', '.gem/gem-private_key.pem', '.local/share/uv/credentials/credentials.toml'],
    ...['.local/share/pipx/logs/cmd.log', '.cache/ms-playwright/mcp-chrome-profile/Cookies'],
    ...['.local/share/gem/credentials', '.volta/hooks.json', '.volta/tools/image/node/22/etc/npmrc'],
  ]
  assert.deepEqual(hidden.filter(isSeen), [])
})

test('a home that is reached through a link is no installation, nor is what it shares with sign-ins', (t) => {
  const { home, linked, seenWith } = setHome(t, [
    ...['.local/bin/x', '.local/lib/python3/x', '.local/share/keyrings/login.keyring', '.ssh/id'],
    ...['work/cargo/bin/cargo', 'work/cargo/lib/x', 'work/cargo/credentials.toml'],
  ])
  symlinkSync('.', join(home, 'itself'))
  const path = [join(linked, '.local/bin'), join(linked, 'itself'), dirname(home), join(linked, 'work/cargo/bin')]
  const isSeen = seenWith(path, [], { HOME: linked, CARGO_HOME: join(linked, 'work/cargo') })
  assert.deepEqual(
    ['.local/bin/x', '.local/lib/python3/x', 'work/cargo/bin/cargo'].filter((name) => !isSeen(name)),
    [],
  )
  const hidden = ['.local/share/keyrings/login.keyring', '.ssh/id', 'work/cargo/credentials.toml']
  assert.deepEqual(hidden.filter(isSeen), [])
})

test('of a repository no folder is an installation, what a version manager has installed in its own apart', (t) => {
  const { home, seenWith } = setHome(t, [
    // A home that is kept in git makes no repository of all that is in it.
    ...['.git/HEAD', 'node/bin/node', 'node/lib/x'],
    ...['mono/.git/HEAD', 'mono/billing/bin/rails', 'mono/billing/lib/x', 'mono/billing/config/master.key'],
    ...['linked/.git', 'linked/api/bin/run', 'linked/api/lib/x', 'linked/api/.env'],
    ...['.config/nvm/.git/HEAD', '.config/nvm/versions/node/v26/bin/node', '.config/nvm/versions/node/v26/lib/x'],
    ...['.asdf/.git/HEAD', '.asdf/installs/ruby/3.3/bin/ruby', '.asdf/installs/ruby/3.3/lib/x'],
    ...['script/.git/HEAD', 'script/pyvenv.cfg', 'script/bin/python', 'script/lib/python3/x', 'script/.env'],
    ...['tools/.bin/x', 'tools/.env'],
  ])
  const bins = ['node/bin', 'mono/billing/bin', 'linked/api/bin', '.config/nvm/versions/node/v26/bin']
  const more = ['.asdf/installs/ruby/3.3/bin', 'script/bin', 'tools/.bin']
  const isSeen = seenWith([...bins, ...more].map((name) => join(home, name)))
  const programs = [
    ...['node/lib/x', 'mono/billing/bin/rails', '.config/nvm/versions/node/v26/lib/x', '.asdf/installs/ruby/3.3/lib/x'],
    ...['script/bin/python', 'script/lib/python3/x', 'script/pyvenv.cfg', 'tools/.bin/x'],
  ]
  assert.deepEqual(
    programs.filter((name) => !isSeen(name)),
    [],
  )
  const hidden = [
    'mono/billing/lib/x',
    'mono/billing/config/master.key',
    'linked/api/.env',
    'script/.env',
    'tools/.env',
  ]
  assert.deepEqual(hidden.filter(isSeen), [])
})

test('`~` in the settings is the home', () => {
  assert.deepEqual(expandHome(['~', '~/x/y', '/z', '~other'], '/home/me').slice(0, 3), [
    '/home/me',
    '/home/me/x/y',
    '/z',
  ])
})

test('modules that are reached through a link are seen by both names', (t) => {
  const { home } = setHome(t, ['main/node_modules/cli/main.js', 'clone/x'])
  mkdirSync(join(home, 'main/node_modules/.bin'))
  symlinkSync('../cli/main.js', join(home, 'main/node_modules/.bin/cli'))
  symlinkSync('../main/node_modules', join(home, 'clone/node_modules'))
  const folder = join(home, 'clone/node_modules/.bin')
  for (const seen of [
    listProgramPaths({ PATH: folder }, home, []),
    listProgramPaths({ PATH: '/usr/bin' }, home, [join(folder, 'cli')]),
  ]) {
    for (const name of ['clone', 'main']) assert.ok(seen.includes(join(home, name, 'node_modules')), name)
  }
})
