// What a program gets where a command refuses or can't go on: its code on standard output, beside the words on standard error.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ERROR_CODES } from '../../src/app/errors.ts'
import { setDesk } from './support.ts'

const cases: readonly (readonly [code: keyof typeof ERROR_CODES, args: readonly string[]])[] = [
  ['session_not_found', ['status', 'fx-none']],
  ['session_not_found', ['watch', 'fx-none']],
  ['issue_not_found', ['issue', 'NONE-1']],
  ['bad_input', ['issues', '--status', 'lost']],
  ['session_not_found', ['status']],
  ['bad_input', ['cancel']],
  ['bad_input', ['status', 'fx-none', '--nonsense']],
  ['settings_invalid', ['config', 'nonsense']],
  ['settings_invalid', ['config', '--set', 'claude.timeout_seconds=soon']],
  ['repository_unusable', ['list', '--repo', 'nowhere']],
  ['repository_unusable', ['fix', 'findings.json']],
]

describe('an error of a command', { concurrency: 2 }, () => {
  for (const [code, args] of cases) {
    test(`--json has the code ${code} of "${args.join(' ')}", and the same status and words as without`, async (t) => {
      const desk = await setDesk(t)
      const [plain, json] = await Promise.all([desk.run(...args), desk.run(...args, '--json')])
      assert.equal(plain.stdout, '')
      const { error } = JSON.parse(json.stdout)
      assert.equal(error.code, code, json.stdout)
      assert.ok(json.stderr.includes(`fixwright: ${error.message}\n`), json.stderr)
      assert.equal(json.stderr, plain.stderr)
      assert.deepEqual([json.status, plain.status], [ERROR_CODES[code].exit, ERROR_CODES[code].exit])
    })
  }

  test('a home that is nobody’s to use is told as such', async (t) => {
    const desk = await setDesk(t)
    const { status, stdout } = await desk.runWith({ FIXWRIGHT_HOME: '/dev/null/home' }, 'list', '--json')
    assert.deepEqual([status, JSON.parse(stdout).error.code], [3, 'home_unusable'])
  })
})
