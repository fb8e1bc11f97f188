import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSetupDependence, steersInstaller } from '../../../src/domain/verification/pure-setup.ts'

const why = (command: string, manifests: Readonly<Record<string, string>> = {}) =>
  findSetupDependence([command], new Map(Object.entries(manifests)))

test('a setup that only installs dependencies can be shared', () => {
  for (const command of [
    'npm ci',
    'npm ci --no-audit --prefer-offline',
    'cd web && npm ci --ignore-scripts',
    'pnpm install --frozen-lockfile',
    'yarn install --immutable',
    'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt',
    'pip install pytest==9.2.0 tox',
    'poetry install --no-root',
    'uv sync --frozen --no-install-project',
    'go mod download',
    'cargo fetch --locked',
    'env GOFLAGS=-mod=mod GOPROXY=off go mod download',
  ])
    assert.equal(why(command), undefined, command)
})

test('a setup that builds or installs the project has to run on each tree', () => {
  for (const command of [
    'npm ci && npm run build',
    'npm install ./packages/a',
    'npm install ../a',
    'pip install .',
    'pip install -e .',
    'pip install ./lib',
    'pip install -r requirements.txt .',
    'poetry install',
    'uv sync',
    'make deps',
    'npm ci || true',
    'npm ci $(cat flags)',
    'go build ./...',
    'sh setup.sh',
    'NODE_OPTIONS=$(cat x) npm ci',
  ])
    assert.match(why(command) ?? '', /may depend on more/, command)
})

test('a manifest may make an install run the project', () => {
  const scripts = (name: string) => JSON.stringify({ scripts: { [name]: 'node build.js' } })
  assert.equal(why('npm ci', { 'package.json': scripts('test') }), undefined)
  assert.match(why('npm ci', { 'a/package.json': scripts('prepare') }) ?? '', /^a\/package\.json has scripts/)
  assert.equal(why('npm ci --ignore-scripts', { 'package.json': scripts('prepare') }), undefined)
  assert.match(why('npm ci', { 'package.json': '{"dependencies":{"a":"file:../a"}}' }) ?? '', /scripts/)
  assert.match(why('npm ci', { 'package.json': 'no JSON' }) ?? '', /scripts/)
  assert.match(why('npm ci', { 'binding.gyp': '{}' }) ?? '', /binding\.gyp/)
  assert.equal(why('pip install -r requirements.txt', { 'requirements.txt': 'a==1\n-r dev.txt\n# .\n' }), undefined)
  for (const line of ['-e .', './lib', 'x @ file:///x', '  .[dev]', 'lib/x'])
    assert.match(
      why('pip install -r requirements.txt', { 'requirements.txt': `a==1\n${line}\n` }) ?? '',
      /of the tree/,
      line,
    )
})

test('files that steer an installer are known by their names', () => {
  for (const path of ['.npmrc', 'a/.python-version', 'patches/a.patch', 'constraints.txt', 'requirements/dev.txt'])
    assert.ok(steersInstaller(path), path)
  for (const path of ['src/a.ts', 'test/a.test.ts']) assert.ok(!steersInstaller(path), path)
})
