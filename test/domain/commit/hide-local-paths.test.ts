import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hideLocalPaths } from '../../../src/domain/commit/hide-local-paths.ts'

const FOLDERS = ['/home/ada/shop', '/home/ada', '/tmp']

test('hideLocalPaths makes paths in the repository relative and leaves only the name of tools', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['npm test', 'npm test'],
    ['/usr/bin/env python3 -m pytest', 'env python3 -m pytest'],
    ['/home/ada/shop/node_modules/.bin/jest --ci', 'node_modules/.bin/jest --ci'],
    ['cd /home/ada/shop && make check', 'cd . && make check'],
    ['cd "/home/ada/shop/" && make', 'cd "." && make'],
    ['/home/ada/.local/bin/uv run pytest', '.local/bin/uv run pytest'],
    ['PATH=/opt/x/bin:/usr/local/bin go test ./...', 'PATH=bin:bin go test ./...'],
    ['node --import=file:///home/ada/shop/hook.mjs x.ts', 'node --import=hook.mjs x.ts'],
    ["sh -c '/opt/t/check >/dev/null 2>&1'", "sh -c 'check >/dev/null 2>&1'"],
    ['~/bin/check; $HOME/bin/more', 'check; more'],
    ['curl http://localhost:8080/health', 'curl http://localhost:8080/health'],
    ['/tmp/venv-3/bin/python -B check.py', 'venv-3/bin/python -B check.py'],
    ['/home/adam/x', 'x'],
    ['a / b', 'a / b'],
  ]
  for (const [command, shown] of cases) assert.equal(hideLocalPaths(command, FOLDERS), shown)
})

test('hideLocalPaths shows no folder it was given, whatever stands around it', () => {
  const Piece = fc.constantFrom('/home/ada/shop', '/home/ada', '/tmp', '/', ' ', '"', '=', ':', 'x', '.py', '&&', '/a')
  fc.assert(
    fc.property(fc.array(Piece, { maxLength: 12 }), (pieces) => {
      const shown = hideLocalPaths(pieces.join(''), FOLDERS)
      assert.doesNotMatch(shown, /(^|[\s"=:])\/home\/ada/)
    }),
  )
})
