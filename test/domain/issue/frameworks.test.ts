import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frameworksForKind, namesFrameworks, readFrameworks } from '../../../src/domain/issue/frameworks.ts'

const python = (text: string) => readFrameworks([{ path: 'requirements.txt', text }])
const node = (manifest: unknown) => readFrameworks([{ path: 'web/package.json', text: JSON.stringify(manifest) }])

test('frameworks are those that a manifest requires, however it says so', () => {
  for (const text of [
    'fastapi\n',
    'uvicorn\nfastapi[standard]>=0.110\n',
    '[project]\ndependencies = ["uvicorn", "fastapi==0.115"]\n',
    '[tool.poetry.dependencies]\nFastAPI = "*"\n',
    "install_requires=['fastapi']",
  ])
    assert.deepEqual(python(text), ['fastapi'], text)
  for (const text of ['', '# fastapi was here\n', 'fastapi-utils\n', 'my-fastapi\n', 'flask  # not fastapi\n'])
    assert.deepEqual(python(text), [], text)
  assert.deepEqual(node({ dependencies: { next: '15', react: '19' } }), ['react', 'next'])
  assert.deepEqual(node({ peerDependencies: { react: '>=18' } }), ['react'])
  for (const manifest of [
    { name: 'react' },
    { dependencies: { 'react-like': '1' } },
    { dependencies: null },
    [],
    'react',
  ])
    assert.deepEqual(node(manifest), [])
  assert.deepEqual(readFrameworks([{ path: 'package.json', text: '{"dependencies": {"react"' }]), [])
})

test('manifests are files of the repository itself, and a framework counts for code of its kind', () => {
  const paths = ['package.json', 'apps/web/package.json', 'requirements-dev.txt', 'api/pyproject.toml', 'Pipfile']
  assert.ok(paths.every(namesFrameworks))
  assert.ok(
    !['node_modules/react/package.json', 'a/vendor/x/setup.py', 'package.json5', 'src/setup.py.txt'].some(
      namesFrameworks,
    ),
  )
  const all = ['fastapi', 'react', 'next'] as const
  assert.deepEqual(frameworksForKind(all, 'backend'), ['fastapi'])
  assert.deepEqual(frameworksForKind(all, 'frontend'), ['react', 'next'])
  assert.deepEqual(frameworksForKind(all, 'both'), all)
})
