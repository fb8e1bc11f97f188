// What a person sees of issues, and what they may do to one: the table of transitions, through the real command.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { insertIssues } from '../../support/store.ts'
import { addSession, endSession, finding, setDesk } from '../support.ts'

describe('issues', { concurrency: 3 }, () => {
  test('a person sets an issue aside as ignored or duplicate, and takes that back [S0-17]', async (t) => {
    const desk = await setDesk(t)
    await insertIssues(desk.store, '/repo', 'task', [finding('BE-001')])
    const steps = [
      ['ignored', '--note', 'a false positive'],
      ['open'],
      ['duplicate', '--note', 'of BE-002'],
      ['open'],
      ['resolved', '--note', 'done by hand'],
    ]
    for (const [status = '', ...more] of steps) {
      const ran = await desk.run('issue', 'BE-001', '--set', status, ...more)
      assert.deepEqual([ran.status, ran.stdout], [0, `BE-001 is now ${status}\n`], ran.stderr)
      const [issue] = await desk.store.issues.list({ issue_code: 'BE-001' })
      assert.equal(issue?.status, status)
      if (more[1]) assert.equal(issue?.resolution_note, more[1])
    }
    assert.match((await desk.run('issue', 'BE-001', '--set', 'resolved')).stdout, /is already resolved/)
  })

  test('a person can move an issue only along the table; what is refused names what is allowed [S0-16]', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-1', ['BE-001', 'BE-002'])
    const held = await desk.run('issue', 'BE-001', '--set', 'ignored')
    assert.equal(held.status, 2)
    assert.match(held.stderr, /session fx-1 is working on BE-001/)
    await endSession(desk, 'fx-1')
    const merged = await desk.run('issue', 'BE-001', '--set', 'merged')
    assert.equal(merged.status, 2)
    assert.match(merged.stderr, /resolved can't be set to merged by a person: it may become open/)
    await desk.run('issue', 'BE-002', '--set', 'open')
    const unsaid = await desk.run('issue', 'BE-002', '--set', 'resolved')
    assert.equal(unsaid.status, 2)
    assert.match(unsaid.stderr, /only with a note/)
    const unknown = await desk.run('issue', 'BE-002', '--set', 'solved')
    assert.match(unknown.stderr, /must be one of open, in_progress, resolved, failed, merged, ignored, duplicate/)
    assert.deepEqual((await desk.store.issues.list()).map(({ issue_code, status }) => [issue_code, status]).sort(), [
      ['BE-001', 'resolved'],
      ['BE-002', 'open'],
    ])
  })

  test('a code that several tasks know asks which is meant', async (t) => {
    const desk = await setDesk(t)
    for (const task of ['one', 'two']) await insertIssues(desk.store, '/repo', task, [finding('F001', { title: task })])
    const ambiguous = await desk.run('issue', 'F001', '--set', 'ignored')
    assert.equal(ambiguous.status, 2)
    assert.match(ambiguous.stderr, /--task one {2}in \/repo: open, one/)
    assert.match(ambiguous.stderr, /--task two {2}in \/repo: open, two/)
    assert.equal((await desk.run('issue', 'F001', '--task', 'two', '--set', 'ignored')).status, 0)
    const statuses = (await desk.store.issues.list()).map(({ task_id, status }) => `${task_id} ${status}`)
    assert.deepEqual(statuses.sort(), ['one open', 'two ignored'])
    const near = await desk.run('issue', 'F01')
    assert.deepEqual([near.status, /did you mean F001\?/.test(near.stderr)], [2, true])
  })

  test('issues are listed by status and task, for people and for programs', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-1', ['BE-002', 'BE-001', 'BE-010'])
    await endSession(desk, 'fx-1')
    const table = (await desk.run('issues')).stdout
    assert.match(table, /^\/repo · task task\n {2}BE-001[\s\S]*BE-002[\s\S]*BE-010/)
    const open = JSON.parse((await desk.run('issues', '--status', 'failed', '--json')).stdout)
    assert.deepEqual(open.map(({ issue_code }: { issue_code: string }) => issue_code).sort(), ['BE-001', 'BE-010'])
    assert.equal((await desk.run('issues', '--task', 'none')).stdout, '')
    const wrong = await desk.run('issues', '--status', 'closed')
    assert.equal(wrong.status, 2)
    const one = JSON.parse((await desk.run('issue', 'BE-002', '--json')).stdout)
    assert.deepEqual([one.status, one.session_id], ['resolved', 'fx-1'])
  })

  test('issues worth fixing together are shown together: the same file first, then the same category [S2-35]', async (t) => {
    const desk = await setDesk(t)
    await insertIssues(desk.store, '/repo', 'task', [
      finding('BE-001', { file: 'src/cart.py', line: '40', category: 'money' }),
      finding('BE-002', { file: 'src/mail.py', category: 'money' }),
      finding('BE-003', { file: 'src/cart.py', line: '90', category: 'style' }),
      finding('BE-004', { file: 'src/cart.py', line: '41' }),
      finding('BE-005', { file: 'src/other.py', category: 'style' }),
    ])
    const { stdout } = await desk.run('issues', '--related', 'BE-001', '--json')
    assert.deepEqual(
      JSON.parse(stdout).map(({ issue_code }: { issue_code: string }) => issue_code),
      ['BE-004', 'BE-003', 'BE-002'],
    )
    assert.match(
      (await desk.run('issues', '--related', 'BE-001')).stdout,
      /^BE-004 +open .*src\/cart\.py:41[\s\S]*BE-002.*money/,
    )
    assert.match((await desk.run('issues', '--related', 'BE-004')).stdout, /^BE-001[\s\S]*BE-003/)
    const unknown = await desk.run('issues', '--related', 'BE-009')
    assert.equal(unknown.status, 2)
    assert.match(unknown.stderr, /there is no issue BE-009; did you mean/)
  })
})
