// The commands that look: they read the store, start nothing, and load nothing of Temporal.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { fixCallStarted, fixIssueStreaming } from '../../src/domain/session/events/agent-call-events.ts'
import { fixBatchStarted } from '../../src/domain/session/events/batch-events.ts'
import { SessionEvent } from '../../src/domain/session/events/index.ts'
import { fixIssueCommitted } from '../../src/domain/session/events/issue-events.ts'
import { readProcessIdentity } from '../../src/platform/processes/process-identity.ts'
import { writeInstanceFile } from '../../src/runtime/instance/instance-file.ts'
import { anyEvent } from '../domain/session/events/made-events.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'
import { until } from '../support/until.ts'
import { addSession, type Desk, endSession, setDesk } from './support.ts'

/** Says on standard error which package is loaded, and who asks for it. */
const TELL_IMPORTS = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module'
   registerHooks({ resolve(specifier, context, next) {
     if (/^@temporalio\\//.test(specifier)) process.stderr.write('LOADED ' + specifier + '\\n')
     return next(specifier, context)
   } })`,
)}`

async function setSessions(desk: Desk): Promise<void> {
  await addSession(desk, 'fx-old', ['BE-001', 'BE-002'], { branch_name: 'fix/it', base_commit: 'b'.repeat(40) })
  await endSession(desk, 'fx-old')
  await addSession(desk, 'fx-new', ['FE-001'], { task_id: 'other', repository: desk.folder })
}

describe('the commands that look', { concurrency: 3 }, () => {
  test('none of them loads anything of Temporal or starts an instance', async (t) => {
    const desk = await setDesk(t)
    await setSessions(desk)
    const commands = ['list', 'status fx-new', 'logs fx-old', 'watch fx-old', 'issues', 'issue FE-001', 'config']
    for (const command of commands) {
      const ran = await desk.runWith({ NODE_OPTIONS: `--import=${TELL_IMPORTS}` }, ...command.split(' '))
      assert.ok(ran.status < 2, `${command}: ${ran.stderr}`)
      assert.doesNotMatch(ran.stderr, /LOADED/, command)
    }
    assert.equal(existsSync(desk.home.instanceFile), false)
  })

  test('list shows the newest first, of one repository, and as JSON', async (t) => {
    const desk = await setDesk(t)
    await setSessions(desk)
    const { stdout } = await desk.run('list')
    assert.deepEqual(
      stdout.split('\n').map((line) => line.slice(0, 6)),
      ['SESSIO', 'fx-new', 'fx-old', ''],
    )
    assert.match(stdout, /fx-old +repo +fix\/it +partial +1\/2 /)
    mkdirSync(join(desk.folder, '.git'))
    mkdirSync(join(desk.folder, 'deep', 'er'), { recursive: true })
    const one = JSON.parse((await desk.run('list', '--json', '--repo', join(desk.folder, 'deep', 'er'))).stdout)
    assert.equal(one.length, 1)
    assert.equal(one[0].session_id, 'fx-new')
    assert.deepEqual(one[0].counts, { requested: 1, fixed: 0, failed: 0, skipped: 0 })
  })

  test('list of a new home says how to begin, and what is longer than a page says so', async (t) => {
    const desk = await setDesk(t)
    const empty = await desk.run('list')
    assert.deepEqual([empty.status, empty.stdout], [0, ''])
    assert.match(empty.stderr, /fixwright fix/)
    for (let index = 0; index < 22; index++) await addSession(desk, `fx-${index}`, ['A'], { task_id: `${index}` })
    const page = await desk.run('list')
    assert.equal(page.stdout.trim().split('\n').length, 1 + 20)
    assert.match(page.stderr, /--all/)
    assert.equal((await desk.run('list', '--all')).stdout.trim().split('\n').length, 1 + 22)
  })

  test('status of a running session adds up what is done, and says that nobody works on it', async (t) => {
    const desk = await setDesk(t)
    const [first = ''] = await addSession(desk, 'fx-run', ['BE-001', 'BE-002'])
    const outcome = { issue_id: first, issue_code: 'BE-001', fix_files_modified: [], false_positive: false }
    await desk.store.sessions.setIssueOutcome('fx-run', { ...outcome, status: 'completed', iterations: 1 })
    const claim = await desk.store.agentCalls.claim({ session_id: 'fx-run', key: 'c', role: 'fixer', codes: [] })
    await desk.store.agentCalls.finish(
      { session_id: 'fx-run', key: 'c', attempt: claim.call.attempt },
      { cost_usd: 0.25 },
    )
    const until = new Date(Date.now() + 60_000).toISOString()
    const waiting = { kind: 'limit', reason: 'usage limit of claude', since: new Date().toISOString(), until } as const
    await desk.store.sessions.update('fx-run', { waiting })

    const told = JSON.parse((await desk.run('status', 'fx-r', '--json')).stdout)
    assert.deepEqual(told.counts, { requested: 2, fixed: 1, failed: 0, skipped: 0 })
    assert.equal(told.cost_usd, 0.25)
    assert.deepEqual(told.waiting, waiting)
    assert.equal(told.health.worker, 'none')
    assert.match(told.health.note, /goes on from where it was with the next "fixwright up"/)
    assert.deepEqual(
      told.issues.map(({ issue_code, status, outcome }: Record<string, string>) => [issue_code, status, outcome]),
      [
        ['BE-001', 'in_progress', 'completed'],
        ['BE-002', 'in_progress', null],
      ],
    )
    const { stdout } = await desk.run('status', 'fx-run')
    assert.match(stdout, /status +generating, waiting\nwaiting +usage limit of claude until/)
    assert.match(stdout, /1 of 2 fixed/)
  })

  test('of a session that a budget ended, status and report say which limit, how much it was, and how much was spent', async (t) => {
    const desk = await setDesk(t)
    const none = { session_usd: null, session_tokens: null, session_seconds: null, issue_usd: null, issue_tokens: null }
    const cases = {
      tokens: [{ session_tokens: 20_000 }, /27,922 of 20,000 tokens/],
      usd: [{ session_usd: 1 }, /1\.20 of 1\.00 USD/],
      seconds: [{ session_seconds: 5400 }, /\d\.\d s, limit 1 h 30 min without waits for people/],
    } as const
    for (const [name, [limit]] of Object.entries(cases)) {
      const id = `fx-${name}`
      await addSession(desk, id, ['BE-001'], {
        task_id: name,
        settings: { ...DEFAULT_SETTINGS, budgets: { ...none, ...limit } },
      })
      const { call } = await desk.store.agentCalls.claim({ session_id: id, key: 'c', role: 'fixer', codes: [] })
      await desk.store.agentCalls.finish(call, { cost_usd: 1.2, tokens: { input: 27_000, output: 922 } })
      const reason = `it is over (budgets.session_${name})`
      await desk.store.sessions.update(id, {
        status: 'partial',
        cost_usd: 1.2,
        ending: { class: 'budget', reason },
      })
    }
    const shown = Object.entries(cases).flatMap(([name, [, words]]) => {
      return ['status', 'report'].map(async (command) => {
        const { stdout } = await desk.run(command, `fx-${name}`)
        assert.match(stdout, words, `${command} ${name}`)
        assert.match(
          stdout.replaceAll('\\', ''),
          new RegExp(`ended because.* it is over \\(budgets\\.session_${name}\\)`),
        )
      })
    })
    await Promise.all(shown)
  })

  test('a session is known by the beginning of its id; a wrong one is told the right ones', async (t) => {
    const desk = await setDesk(t)
    for (const id of ['fx-abcd', 'fx-abxy']) await addSession(desk, id, ['A'], { task_id: id })
    const [several, near, unlike] = await Promise.all([
      desk.run('status', 'fx-ab'),
      desk.run('logs', 'fx-abcx'),
      desk.run('watch', 'nonsense'),
    ])
    assert.deepEqual([several.status, near.status, unlike.status], [2, 2, 2])
    assert.match(several.stderr, /fx-abcd, fx-abxy/)
    assert.match(near.stderr, /did you mean fx-abcd\?/)
    assert.match(unlike.stderr, /the latest are fx-abxy, fx-abcd/)
  })

  test('logs tells what happened, of one issue alone too, and where each prompt and reply lies', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-log', ['BE-001', 'BE-002'])
    const artifacts = openArtifactStore(desk.home.artifacts)
    const prompt_ref = (await artifacts.put('fix these')).ref
    const reply_ref = (await artifacts.put('done')).ref
    for (const [key, code] of [
      ['s1.fix', 'BE-001'],
      ['s2.fix', 'BE-002'],
    ] as const) {
      const { call } = await desk.store.agentCalls.claim({
        session_id: 'fx-log',
        key,
        role: 'fixer',
        codes: [],
        prompt_ref,
      })
      await desk.store.agentCalls.finish(
        { session_id: 'fx-log', key, attempt: call.attempt },
        { reply_ref, model: 'opus' },
      )
      const diff = (await artifacts.put(`the diff of ${code}`)).ref
      await desk.store.artifacts.link({ session_id: 'fx-log', kind: 'diff', name: key, ref: diff })
      const [codes, commit_sha] = [[code], key.padEnd(40, '0')]
      const identity = { role: 'fixer', call: key, attempt: 1, codes }
      await desk.store.events.append('fx-log', [
        fixBatchStarted({ stepId: key, label: 'BE 1/2', workload: 3, codes, iteration: 1 }),
        fixCallStarted(identity),
        fixIssueStreaming({ ...identity, number: 1, kind: 'tool', text: `Edit ${code}\u001b[2J\u0007.py` }),
        fixIssueCommitted({ codes, subject: `fix of ${code}`, unproven: false }, { issue_code: code, commit_sha }),
      ])
    }
    const whole = await desk.run('logs', 'fx-log')
    assert.match(whole.stdout, /BE Batch 1\/2 · workload 3 · BE-001/)
    assert.match(whole.stdout, /Edit BE-001 ?\.py\n/, 'no control character of an agent reaches a terminal')
    const one = await desk.run('logs', 'fx-log', 'BE-002')
    assert.doesNotMatch(one.stdout, /BE-001|s1\.fix/)
    assert.match(one.stdout, /✔ s2\.fix0000 fix of BE-002\n/)
    const [, path = ''] = /diff +s2\.fix +(\S+)/.exec(one.stdout) ?? []
    assert.equal(readFileSync(path, 'utf8'), 'the diff of BE-002')
    const [, file = ''] = /call s2\.fix · fixer · opus[\s\S]*prompt +(\S+)/.exec(one.stdout) ?? []
    assert.equal(readFileSync(file, 'utf8'), 'fix these')

    const words = await desk.run('logs', 'fx-log', 'BE-001', '--prompts')
    assert.match(words.stdout, /prompt of s1\.fix[\s\S]*fix these[\s\S]*reply of s1\.fix[\s\S]*done/)
    assert.doesNotMatch(words.stdout, /s2\.fix/)
    assert.match((await desk.run('logs', 'fx-log', 'BE-003')).stderr, /only about BE-001, BE-002/)
  })

  test('the end of a session leads on: its commits, its report, where to push, or the same again', async (t) => {
    const desk = await setDesk(t)
    const repository = join(desk.folder, "kim's app")
    execFileSync('git', ['init', '--quiet', repository])
    const base_commit = 'b'.repeat(40)
    await addSession(desk, 'fx-all', ['A'], { repository, base_commit, task_id: 'all' })
    await addSession(desk, 'fx-part', ['B', 'C'], { repository, base_commit, task_id: 'part' })
    for (const id of ['fx-all', 'fx-part']) await endSession(desk, id)
    const told = async (id: string) => (await desk.run('watch', id)).stdout
    const log = `commits  git -C '${repository.replace("'", "'\\''")}' log bbbbbbbbbb..fix/it\n`
    assert.ok((await told('fx-all')).includes(log))
    assert.doesNotMatch(await told('fx-all'), /go on/, 'there is nowhere to push to')
    execFileSync('git', ['-C', repository, 'remote', 'add', 'upstream', 'https://example.com/app.git'])
    assert.match(
      await told('fx-all'),
      /report +fixwright report fx-all --format html --output \S+\ngo on .* push upstream fix\/it\n$/,
    )
    assert.match(await told('fx-part'), /go on +the same "fixwright fix" again\n$/)
  })

  test('a commit of several issues is one line that names them all', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-one', ['BE-001', 'BE-002'])
    const codes = ['BE-001', 'BE-002']
    const committed = (issue_code: string) =>
      fixIssueCommitted({ codes, subject: 'fix: both', unproven: false }, { issue_code, commit_sha: 'a'.repeat(40) })
    await desk.store.events.append('fx-one', codes.map(committed))
    const lines = (await desk.run('logs', 'fx-one')).stdout.split('\n').filter((line) => line.includes('✔'))
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /✔ a{10} fix: both · BE-001, BE-002$/)
  })

  test('an event carries type, time, session, issue, its place among all, message and commit [S2-25]', async (t) => {
    const desk = await setDesk(t)
    const [issue_id = ''] = await addSession(desk, 'fx-ev', ['BE-001', 'BE-002'])
    const about = { issue_id, issue_code: 'BE-001', issue_index: 1, total_issues: 2 }
    const commit_sha = 'c'.repeat(40)
    await desk.store.events.append('fx-ev', [
      anyEvent('fix_session_started'),
      fixIssueCommitted({ codes: ['BE-001'], subject: 'fix: it', unproven: false }, { ...about, commit_sha }),
    ])
    await endSession(desk, 'fx-ev')
    const { stdout, status } = await desk.run('watch', 'fx-ev', '--json')
    assert.equal(status, 1, 'one of two was not fixed: the status that fix would give')
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const event of events) SessionEvent.parse(event)
    const { timestamp, ...rest } = events[1]
    assert.deepEqual(rest, {
      type: 'fix_issue_committed',
      session_id: 'fx-ev',
      seq: 2,
      message: 'cccccccccc fix: it',
      commit_sha,
      data: { codes: ['BE-001'], subject: 'fix: it' },
      ...about,
    })
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    const later = await desk.run('watch', 'fx-ev', '--json', '--since', '2')
    assert.equal(later.stdout.trim().split('\n').length, 1)
    assert.match((await desk.run('watch', 'fx-ev', '--since', 'x')).stderr, /must be a whole number/)
  })

  test('watching an ended session prints its events and its result; one without a result says why', async (t) => {
    const desk = await setDesk(t)
    await setSessions(desk)
    const ended = await desk.run('watch', 'fx-old')
    assert.match(ended.stdout, /■ 1 fixed, .* USD\n\nsession fx-old partial: 1 of 2 fixed/)
    const ending = { class: 'infrastructure', reason: 'its workflow was ended from outside' } as const
    await desk.store.sessions.update('fx-new', { status: 'failed', ending })
    await desk.store.events.append('fx-new', [anyEvent('fix_session_error')])
    const lost = await desk.run('watch', 'fx-new')
    assert.equal(lost.status, 3)
    assert.match(lost.stderr, /ended without a result: its workflow was ended from outside/)
  })

  test('the last words of a session say of each fix whether a check of the operator’s has proven it', async (t) => {
    const desk = await setDesk(t)
    await setSessions(desk)
    const { stdout } = await desk.run('watch', 'fx-old')
    assert.match(stdout, /✔ BE-001 a{10} · challenger 97 · 2 attempt\(s\) · unproven · /)
    assert.match(stdout, /\nunproven: BE-001: no check has said anything of it; see fixwright report fx-old$/m)
    await addSession(desk, 'fx-verified', ['BE-009'])
    await endSession(desk, 'fx-verified', 'fix: it\n\nFixwright-Verified: npm test')
    assert.doesNotMatch((await desk.run('watch', 'fx-verified')).stdout, /unproven/)
  })

  test('watch tells that a session is worked on again, however soon it then ends', async (t) => {
    const desk = await setDesk(t)
    await setSessions(desk)
    const watching = desk.start('watch', 'fx-new')
    await until('watch tells the trouble', () => /no instance of Fixwright runs/.test(watching.stderr()))
    const committed = fixIssueCommitted(
      { codes: ['FE-001'], subject: 'fix: it', unproven: false },
      { issue_code: 'FE-001', commit_sha: 'a'.repeat(40) },
    )
    await desk.store.events.append('fx-new', [committed])
    await endSession(desk, 'fx-new')
    const { status, stderr } = await watching.ended
    assert.equal(status, 0, stderr)
    assert.match(stderr, /session fx-new is being worked on again/)
  })

  test('a session that ends while Temporal is still asked about it is watched to that end, and no further', async (t) => {
    const desk = await setDesk(t)
    await setSessions(desk)
    const asked = Promise.withResolvers<void>()
    // Takes the question and never answers.
    const server = createServer(() => asked.resolve()).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const identity = readProcessIdentity(process.pid)
    assert.ok(identity)
    writeInstanceFile(desk.home, {
      ...{ identity, version: '0.0.0', startedAt: new Date().toISOString(), embedded: true, uiUrl: null },
      ...{ address: `127.0.0.1:${(server.address() as AddressInfo).port}`, attributes: [] },
      ...{ namespace: 'fixwright', taskQueue: 'none', hostQueue: 'none' },
    })
    const watching = desk.run('watch', 'fx-new')
    await asked.promise
    await endSession(desk, 'fx-new')
    const { status, stdout, stderr } = await watching
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /session fx-new completed: 1 of 1 fixed/)
  })

  test('what is ended needs no cancelling', async (t) => {
    const desk = await setDesk(t)
    await setSessions(desk)
    const { status, stderr } = await desk.run('cancel', 'fx-old')
    assert.deepEqual([status, stderr], [0, 'session fx-old has ended already: partial\n'])
  })
})
