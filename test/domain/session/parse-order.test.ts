import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { deriveOrderSessionId } from '../../../src/domain/session/idempotency-key.ts'
import { parseOrder, toOrderWords } from '../../../src/domain/session/parse-order.ts'

const ORDER = { repository: '/work/app', findings: [{ issue_code: 'A' }] }

function problems(input: unknown): string {
  const parsed = parseOrder(input)
  return parsed.kind === 'refused' ? parsed.problems.join('\n') : ''
}

test('order: findings come as a list or as what would be in a file of them', () => {
  for (const findings of [ORDER.findings, { issues: ORDER.findings }, { groups: [{ findings: ORDER.findings }] }]) {
    assert.deepEqual(parseOrder({ ...ORDER, findings }), {
      kind: 'read',
      ordered: { kind: 'fix', order: { ...ORDER, findings } },
    })
  }
  assert.match(problems({ ...ORDER, findings: 'findings.json' }), /^findings: must be findings as JSON/)
})

test('order: what is no order is refused member by member, whatever it is', () => {
  for (const input of [undefined, null, 7, 'x', [ORDER], { sessionId: 'fx-1', carried: {} }]) {
    assert.notEqual(problems(input), '', JSON.stringify(input))
  }
  assert.match(
    problems({ ...ORDER, repo: '.', branch: 5 }),
    /^branch: .*expected string.*\nthe order: Unrecognized key: "repo"$/,
  )
  assert.match(problems({ ...ORDER, repository: '../app' }), /^repository: must be an absolute path/)
  assert.match(problems({ ...ORDER, review: ' ' }), /^review: /)
})

test('order: it names findings or issues of the store, and of those no choice and no task', () => {
  assert.match(problems({ repository: '/work/app' }), /^findings: must have findings or issueIds, one of the two$/)
  assert.match(problems({ ...ORDER, issueIds: ['iss-1'] }), /one of the two/)
  assert.equal(problems({ repository: '/work/app', issueIds: ['iss-1'] }), '')
  assert.match(
    problems({ repository: '/work/app', issueIds: ['iss-1'], only: ['A'] }),
    /^issueIds: .*leave out only and task$/,
  )
  assert.match(problems({ repository: '/work/app', issueIds: [] }), /^issueIds: /)
})

test('order: its session is known by the run that ordered it', () => {
  const run = { workflowId: 'mine', runId: '1' }
  assert.match(deriveOrderSessionId(run), /^fx-[a-z2-9]{8}$/)
  assert.equal(deriveOrderSessionId({ ...run }), deriveOrderSessionId(run))
  assert.notEqual(deriveOrderSessionId({ ...run, runId: '2' }), deriveOrderSessionId(run))
})

test('order: a problem of the checks names members of an order and settings of the worker, and leaves command lines alone', () => {
  const told = toOrderWords(
    'give --branch the name, or --base a commit (--only), or see: fixwright trust --repo /r --base b',
  )
  assert.equal(told, 'give branch the name, or base a commit (only), or see: fixwright trust --repo /r --base b')
  assert.match(toOrderWords('give --verify, or switch it on'), /^give the worker's setting verification\.commands, or/)
  const room = join(import.meta.dirname, '../../../src/preflight')
  const files = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const flags = files.flatMap((file) => {
    return [...readFileSync(join(room, file), 'utf8').matchAll(/(?:\b(?:give|or) |\()(--[a-z-]+)/g)].map(([all]) => all)
  })
  assert.ok(flags.length > 10)
  for (const flag of flags) assert.doesNotMatch(toOrderWords(flag), /--/, flag)
})
