// Commands in comments: the first line alone says whether it is one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findCommandOfSession,
  formatCommandId,
  formatPullPrefix,
  toCommandSessionId,
} from '../../../src/domain/forge/command-id.ts'
import { isCommand, parseCommand } from '../../../src/domain/forge/parse-command.ts'

test('/fix takes codes, each once, and nothing else; only the first line counts', () => {
  assert.deepEqual(parseCommand('/fix F001, F003 F001\nplease'), { kind: 'fix', codes: ['F001', 'F003'] })
  assert.deepEqual(parseCommand('/fix\r\n'), { kind: 'fix', codes: [] })
  for (const body of ['please /fix F001', '\n/fix F001', '> /fix F001', '/fixed', '/fix-it', '', '`/fix`']) {
    assert.deepEqual([parseCommand(body), isCommand(body)], [undefined, false], body)
  }
  for (const body of [
    '/fix $(rm -rf /)',
    '/fix ../x',
    '/fix --force',
    `/fix ${Array.from({ length: 101 }, (_, n) => `F${n}`).join(' ')}`,
  ]) {
    assert.equal(parseCommand(body)?.kind, 'unreadable', body)
  }
})

test('/answer takes a number and a text of several lines, several times; /skip stands alone', () => {
  assert.deepEqual(parseCommand('/answer 1 Yes,\nalways.\n\n/answer 2. No\r\n'), {
    kind: 'answer',
    answers: [
      { number: 1, text: 'Yes,\nalways.' },
      { number: 2, text: 'No' },
    ],
  })
  for (const body of ['/answer', '/answer yes', '/answer 1', '/answer 1 a\n/answer', '/answer 1 a\n/answer 1 b']) {
    assert.equal(parseCommand(body)?.kind, 'unreadable', body)
  }
  assert.deepEqual([parseCommand('/skip')?.kind, parseCommand('/skip it')?.kind], ['skip', 'unreadable'])
})

test('a comment has one workflow, however its address is written, and its session is known by it', () => {
  const remote = 'https://github.com/Acme/Shop.git'
  const id = formatCommandId({ remote, number: 1, commentId: 42 })
  assert.equal(id, 'pull-command/github.com/acme/shop#1/42')
  assert.equal(formatCommandId({ remote: 'git@github.com:acme/shop', number: 1, commentId: 42 }), id)
  assert.equal(findCommandOfSession(toCommandSessionId(id)), id)
  assert.deepEqual([findCommandOfSession(id), findCommandOfSession('fix-session/fx-a')], [undefined, undefined])
  assert.ok(!formatCommandId({ remote, number: 12, commentId: 4 }).startsWith(formatPullPrefix({ remote, number: 1 })))
})
