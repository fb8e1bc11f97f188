// Which of the operator's folders are programs, and which only lie beside them.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { named, programsOf } from '../../src/sandbox/programs.ts'

test('installations on the PATH are seen whole, and no repository, home or folder with sign-ins for a bin in it', (t) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-programs-')))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const files = [
    ...[
      '.nvm/versions/node/v26/bin/node',
      '.nvm/versions/node/v26/lib/node_modules/cli/main.js',
      '.pyenv/shims/python',
    ],
    ...['.pyenv/versions/3.13/x', '.pyenv/.git/HEAD', 'venv/bin/python', 'venv/pyvenv.cfg', 'app/bin/run', 'app/lib/x'],
    ...[
      'app/.git/HEAD',
      'dotfiles/bin/tool',
      '.cargo/bin/cargo',
      '.cargo/credentials.toml',
      'bin/mine',
      '.local/bin/x',
    ],
    ...['web/node_modules/.bin/x', 'web/.env'],
  ]
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), '')
  }
  symlinkSync('../lib/node_modules/cli/main.js', join(home, '.nvm/versions/node/v26/bin/cli'))
  const folders = ['.nvm/versions/node/v26/bin', '.pyenv/shims', 'venv/bin', 'app/bin', 'dotfiles/bin', '.cargo/bin']
  const more = ['bin', '.local/bin', 'web/node_modules/.bin']
  const path = [...folders, ...more].map((name) => join(home, name))
  const env = { PATH: [...path, '/', home, dirname(home), 'relative/bin'].join(':') }
  const cli = join(home, '.nvm/versions/node/v26/bin/cli')
  const seen = programsOf(env, home, [cli])
  const isSeen = (name: string) =>
    seen.some((each) => join(home, name) === each || join(home, name).startsWith(`${each}/`))

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

test('`~` in the settings is the home', () => {
  assert.deepEqual(named(['~', '~/x/y', '/z', '~other'], '/home/me').slice(0, 3), ['/home/me', '/home/me/x/y', '/z'])
})

test('modules that are reached through a link are seen by both names', (t) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-programs-')))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, 'main/node_modules/.bin'), { recursive: true })
  mkdirSync(join(home, 'main/node_modules/cli'))
  writeFileSync(join(home, 'main/node_modules/cli/main.js'), '')
  symlinkSync('../cli/main.js', join(home, 'main/node_modules/.bin/cli'))
  mkdirSync(join(home, 'clone'))
  symlinkSync('../main/node_modules', join(home, 'clone/node_modules'))
  const folder = join(home, 'clone/node_modules/.bin')
  for (const seen of [
    programsOf({ PATH: folder }, home, []),
    programsOf({ PATH: '/usr/bin' }, home, [join(folder, 'cli')]),
  ]) {
    for (const name of ['clone', 'main']) assert.ok(seen.includes(join(home, name, 'node_modules')), name)
  }
})
