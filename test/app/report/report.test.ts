// A report in each of its formats: what it says, and that nothing in it that others wrote is more than text.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { buildReport } from '../../../src/app/report/build-report.ts'
import { REPORT_FORMATS, renderReport } from '../../../src/app/report/render/formats.ts'
import { MAX_BODY_CHARS, renderFence } from '../../../src/app/report/render/markdown.ts'
import type { Report } from '../../../src/app/report/report-model.ts'
import { openArtifactStore } from '../../../src/artifacts/open-artifact-store.ts'
import { fixCallStarted } from '../../../src/domain/session/events/agent-call-events.ts'
import { compareRuns } from '../../../src/domain/verification/compare-runs.ts'
import { addSession, endSession, setDesk } from '../../cli/support.ts'
import { DEFAULT_SETTINGS } from '../../support/store.ts'
import { issueWith, reportWith, SHA, TREE } from './support.ts'

const ATTACKS = [
  '```',
  '````\n',
  '~~~',
  '\n```\n',
  '`',
  '\r',
  '\n',
  '|',
  '\\',
  '</details>',
  '</pre>',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[a](javascript:x)',
  '![a](http://b/c)',
  '\n# heading',
  '\n- item',
  '**',
  '@everyone',
  'fixes #12',
  'closes GH-12',
  'https://example.org/x',
  '&lt;',
  '&#64;',
  '{0}',
  '\u001b[31m',
  '\u202e',
  '\ud800',
  '\0',
  ' words ',
  '"',
  "'",
]
const hostile = fc.array(fc.constantFrom(...ATTACKS), { maxLength: 12 }).map((parts) => parts.join(''))

/** What lies outside of the fences, by the rule of CommonMark; a fence that is not closed swallows the rest. */
function outsideFences(markdown: string): string[] {
  const outside: string[] = []
  let fence: string | undefined
  for (const line of markdown.split(/\r\n|\n|\r/)) {
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === undefined) {
      if (mark === '') outside.push(line)
      else fence = mark
    } else if (mark.startsWith(fence) && /^ {0,3}([`~])\1*\s*$/.test(line)) fence = undefined
  }
  assert.equal(fence, undefined, 'every fence is closed')
  return outside
}

function withoutCode(line: string): string {
  // An escaped mark opens nothing.
  return line.replace(/\\[\\`]|(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '')
}

describe('a report', () => {
  test('nothing that others wrote breaks out of Markdown: no fence ends early, no markup, no HTML, nobody is mentioned [S4-6]', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const lines = renderFence(text, 'diff').split('\n')
        const [opening = ''] = /^`+/.exec(lines[0] ?? '') ?? []
        assert.ok(opening.length >= 3)
        assert.equal(lines.at(-1), opening)
        for (const line of lines.slice(1, -1)) assert.ok(!line.includes(opening), line)

        const markdown = renderReport(reportWith(text), 'md')
        const outside = outsideFences(markdown)
        const bars = outside.filter((line) => line.startsWith('| '))
        assert.equal(bars.length, 3, 'the table has its head and one row')
        for (const line of bars) assert.equal(line.replace(/\\./g, '').split('|').length, 10, line)
        for (const line of outside) {
          assert.match(line, /^($|#{1,3} |- |\| |\*\*|All prompts|<details><summary>|<\/details>$)/, line)
          // Within a summary it is HTML.
          const bare = line.startsWith('<details>')
            ? line.replace(/<\/?(details|summary)>/g, '').replaceAll('&#39;', "'")
            : withoutCode(line === '</details>' ? '' : line).replace(/\\./g, '')
          assert.doesNotMatch(bare, /<|@\w|#\d|GH-\d|:\/\//, line)
          if (!line.startsWith('<details>')) assert.doesNotMatch(bare, /\]\(|&#?\w+;/, line)
        }
        const folds = outside.filter((line) => line.startsWith('<details>')).length
        assert.equal(outside.filter((line) => line === '</details>').length, folds)
      }),
    )
  })

  test('nothing that others wrote is markup in HTML; there is no script, no link out of the page, and nothing to load [S4-6]', () => {
    const TAGS =
      /^<(!doctype html|html lang="en"|meta [^<>]*|\/?(html|head|body|title|style|section|h[1-4]|p|ul|li|strong|b|i|code|details|summary|pre|span|div|ins|del|a)|details( class="finding")?( open)?|(section|span|div|p) class="[a-z ]+"|div id="finding-\d+"|a href="#finding-\d+")>$/
    fc.assert(
      fc.property(hostile, (text) => {
        const html = renderReport(reportWith(text), 'html')
        for (const [tag] of html.matchAll(/<[^>]*>?/g)) assert.match(tag, TAGS)
        const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? ''
        const hash = createHash('sha256').update(style).digest('base64')
        assert.ok(html.includes(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`))
        assert.equal(html.match(/<details\b/g)?.length, html.match(/<\/details>/g)?.length)
      }),
    )
  })

  test('no format lets out what a terminal would obey, nor where the repository lies', () => {
    const text = 'red \u001b[31m \u009b31m \u202e turned \u0007'
    for (const format of REPORT_FORMATS) {
      const written = renderReport(reportWith(text), format)
      assert.doesNotMatch(written, /[^\P{Cc}\n\t]|\u202e/u, format)
      // The record itself says it: scripts go there.
      if (format !== 'json') assert.doesNotMatch(written, /\/home\/kim/, format)
    }
    assert.deepEqual(JSON.parse(renderReport(reportWith(text), 'json')), reportWith(text))
  })

  test('Markdown shows no escapes where no markup is: they stand in every place that renders none', () => {
    const plain = [
      'a_b and __init__.py',
      'x[0] + y',
      'C++ & C#',
      '5 * 3',
      'if (a > b) { c }',
      'Warning!',
      'a\\b',
      'x | y',
      'R&D',
    ] as const
    for (const text of plain.filter((each) => !each.includes('__'))) {
      const markdown = renderReport(reportWith('x', [issueWith('x', { reason: text })]), 'md')
      assert.ok(markdown.includes(`**failed because** ${text}\n`), text)
    }
    const markdown = renderReport(reportWith('x', [issueWith('x', { reason: plain[0] })]), 'md')
    assert.ok(markdown.includes('**failed because** a_b and \\_\\_init\\_\\_.py\n'), 'two of them are markup')
  })

  test('a Markdown report fits into a pull request, however much there is, and says what it leaves out', () => {
    const diff = {
      source: 'commit',
      files: ['a'],
      shared_with: [],
      text: '+line\n'.repeat(20_000),
      is_cut: true,
    } as const
    for (const [count, left] of [
      [1, /<summary>the diff, cut/],
      [30, /no room for diffs and outputs/],
      [600, /no room for the evidence of \d+ issue/],
    ] as const) {
      const issues = Array.from({ length: count }, (_, index) =>
        issueWith('words '.repeat(500), { issue_code: `BE-${index}`, diff }),
      )
      const markdown = renderReport(reportWith('words', issues), 'md')
      assert.ok(markdown.length <= MAX_BODY_CHARS, `${count} issues: ${markdown.length}`)
      assert.match(markdown, left)
      outsideFences(markdown)
    }
  })

  test('it tells apart what we fixed, what we broke, and what proves nothing [S4-15]', () => {
    const run = (command: string, outcome: string) => ({ command, outcome, output: '' })
    const [red, green] = ['failed: exit status 1', 'passed']
    const before = [run('mended', red), run('kept', green), run('lost', green), run('old', red), run('late', green)]
    const after = [run('mended', green), run('kept', green), run('lost', 'failed: it ran out of time'), run('old', red)]
    assert.deepEqual(
      compareRuns(before, [...after, run('new', red)]).map(({ command, effect }) => [command, effect]),
      [
        ['mended', 'fixed'],
        ['kept', 'passes'],
        ['lost', 'broken'],
        ['old', 'unproven'],
        ['new', 'fails'],
        ['late', 'not_run'],
      ],
    )
    const verification = { step_id: 'c', tree: TREE, verdict: 'failed', commands: compareRuns(before, after) } as const
    const markdown = renderReport(reportWith('x', [issueWith('x', { verification })]), 'md')
    for (const words of [
      '`mended` fixed by us',
      '`lost` broken by us',
      '`old` broken before, and still: it proves nothing',
      '`late` not run',
      '**may silence a check** x:3 tells a check to look away: `x`',
      '**no changes applied** the fixer calls it fixed',
      '**regression test (proven)** x',
      ', unproven, proven, silences checks?',
    ])
      assert.ok(markdown.includes(words), words)
  })
})

/** Of SARIF 2.1.0 what a report uses, with the rules of the standard that a schema can say. */
const text = {
  type: 'object',
  required: ['text'],
  additionalProperties: false,
  properties: { text: { type: 'string', minLength: 1 } },
}
const SARIF = {
  type: 'object',
  required: ['version', 'runs', '$schema'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      items: {
        type: 'object',
        required: ['tool', 'results'],
        additionalProperties: false,
        properties: {
          tool: {
            type: 'object',
            required: ['driver'],
            properties: {
              driver: {
                type: 'object',
                required: ['name', 'rules'],
                properties: {
                  name: { type: 'string' },
                  version: { type: 'string' },
                  rules: {
                    type: 'array',
                    uniqueItems: true,
                    items: {
                      type: 'object',
                      required: ['id'],
                      additionalProperties: false,
                      properties: { id: { type: 'string' }, shortDescription: text },
                    },
                  },
                },
              },
            },
          },
          automationDetails: { type: 'object' },
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          invocations: { type: 'array', items: { type: 'object', required: ['executionSuccessful'] } },
          properties: { type: 'object' },
          results: {
            type: 'array',
            items: {
              type: 'object',
              // All results of a run say whether they are suppressed, or none does; and so with the baseline.
              required: ['message', 'ruleId', 'ruleIndex', 'suppressions', 'baselineState'],
              additionalProperties: false,
              properties: {
                ruleId: { type: 'string', minLength: 1 },
                ruleIndex: { type: 'integer', minimum: 0 },
                kind: { const: 'fail' },
                level: { enum: ['error', 'warning', 'note'] },
                message: text,
                partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
                baselineState: { enum: ['new', 'unchanged', 'updated', 'absent'] },
                properties: { type: 'object' },
                suppressions: {
                  type: 'array',
                  uniqueItems: true,
                  items: {
                    type: 'object',
                    required: ['kind'],
                    additionalProperties: false,
                    properties: {
                      kind: { enum: ['inSource', 'external'] },
                      status: { enum: ['accepted', 'underReview', 'rejected'] },
                      justification: { type: 'string' },
                    },
                  },
                },
                locations: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['physicalLocation'],
                    properties: {
                      physicalLocation: {
                        type: 'object',
                        required: ['artifactLocation'],
                        additionalProperties: false,
                        properties: {
                          artifactLocation: {
                            type: 'object',
                            // A relative reference: no scheme, not from the root, nowhere up.
                            properties: {
                              uri: {
                                type: 'string',
                                pattern: "^(?!\\.\\.?(/|$))[A-Za-z0-9._~!'()*%-]+(/[A-Za-z0-9._~!'()*%-]+)*$",
                              },
                              uriBaseId: { type: 'string' },
                            },
                          },
                          region: {
                            type: 'object',
                            properties: {
                              startLine: { type: 'integer', minimum: 1 },
                              endLine: { type: 'integer', minimum: 1 },
                            },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
}

describe('a report as SARIF', () => {
  const validate = new Ajv({ strict: true, allErrors: true, strictRequired: false }).compile(SARIF)

  function sarif(report: Report) {
    const log = JSON.parse(renderReport(report, 'sarif'))
    const isValid = validate(log)
    assert.ok(isValid, JSON.stringify(validate.errors))
    return JSON.parse(JSON.stringify(log)).runs[0]
  }

  test('it is what the standard asks for, whatever the findings hold', () => {
    fc.assert(
      fc.property(hostile, (words) => {
        const { results, tool } = sarif(
          reportWith(words, [issueWith(words), issueWith(words, { title: 'x', state: 'fixed' })]),
        )
        for (const { message, ruleId, ruleIndex } of results) {
          assert.equal(tool.driver.rules[ruleIndex].id, ruleId)
          assert.doesNotMatch(message.text.replace(/\\./g, ''), /\[/, 'a link in a message')
          assert.doesNotMatch(message.text.replace(/\{\{|\}\}/g, ''), /[{}]/, 'a placeholder in a message')
        }
      }),
    )
  })

  test('what is not fixed is a result that stays, what is fixed is absent, what somebody settled is suppressed', () => {
    const states = ['failed', 'skipped', 'open', 'fixed', 'settled', 'false_positive'] as const
    const issues = states.map((state) => issueWith('x', { state }))
    const { results } = sarif(reportWith('x', issues))
    assert.deepEqual(
      results.map(({ baselineState, suppressions }: { baselineState: string; suppressions: unknown[] }) => [
        baselineState,
        suppressions.length,
      ]),
      [
        ['unchanged', 0],
        ['unchanged', 0],
        ['unchanged', 0],
        ['absent', 1],
        ['unchanged', 1],
        ['unchanged', 1],
      ],
    )
  })

  test('a path that leaves the repository, and a line that is none, are no location', () => {
    const [up, none, odd] = ['../../etc/passwd', 'a.py', 'c:/an odd %name#?.py'].map(
      (file) =>
        sarif(reportWith('x', [issueWith('x', { file, line: file === 'a.py' ? '0' : '12' })])).results[0].locations,
    )
    assert.deepEqual(up, [])
    assert.deepEqual(none, [{ physicalLocation: { artifactLocation: { uri: 'a.py', uriBaseId: '%SRCROOT%' } } }])
    assert.equal(odd[0].physicalLocation.artifactLocation.uri, 'c%3A/an%20odd%20%25name%23%3F.py')
    assert.deepEqual(odd[0].physicalLocation.region, { startLine: 12, endLine: 12 })
  })
})

describe('the command', { concurrency: 3 }, () => {
  test('of a running session it says that it is not over; of one whose commit is gone it keeps what the store has', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-run', ['BE-001'])
    await addSession(desk, 'fx-old', ['BE-001', 'BE-002'], { task_id: 'old' })
    const [first] = await desk.store.sessions.listIssues('fx-old')
    await endSession(desk, 'fx-old')
    await desk.store.sessions.setIssueOutcome('fx-old', {
      issue_id: first?.issue.issue_id ?? '',
      issue_code: 'BE-001',
      status: 'completed',
      commit_sha: SHA,
      commit_message: 'fix: it\n\nFixwright-Unproven: neither challenged nor verified',
      fix_code: '+a glimpse',
      fix_files_modified: ['src/BE-001.py'],
      false_positive: false,
      iterations: 1,
    })
    const running = await desk.run('report', 'fx-r')
    assert.equal(running.status, 0)
    assert.match(running.stderr, /is not over/)
    assert.match(running.stdout, /\*\*The session is not over/)
    const old = await desk.run('report', 'fx-old')
    assert.match(old.stdout, /\| BE-001 \| ✔ fixed, unproven \|/)
    assert.match(
      old.stdout,
      /the beginning of the diff: the commit is gone, cut<\/summary>\n\n```diff\n\+a glimpse\n```/,
    )
    assert.match(old.stdout, /\*\*failed because\*\* scored 45/)
    const file = `${desk.folder}/report.html`
    assert.match((await desk.run('report', 'fx-old', '--format', 'html', '--output', file)).stderr, /written to/)
    const [wrong, nowhere, folder] = await Promise.all([
      desk.run('report', 'fx-old', '--format', 'pdf'),
      desk.run('report', 'fx-old', '--output', `${desk.folder}/no/such/folder`),
      desk.run('report', 'fx-old', '--output', desk.folder),
    ])
    assert.deepEqual([wrong.status, nowhere.status, folder.status], [2, 2, 2])
    assert.match(nowhere.stderr, /--output \S+ can't be written: its folder is not there: make that first\n/)
    assert.match(folder.stderr, /can't be written: it is a folder, not a file\n/)
    assert.match(wrong.stderr, new RegExp(`must be one of ${REPORT_FORMATS.join(', ')}`))
  })

  test('of a session that was cancelled it tells the attempt that was under way, with the files that no finding names [S4-11, S4-14]', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-cut', ['BE-001', 'BE-002'])
    const call = 's1.i1.b1.fix'
    await desk.store.events.append('fx-cut', [
      fixCallStarted({ role: 'fixer', call, attempt: 1, codes: ['BE-001', 'BE-002'] }),
    ])
    await desk.store.agentCalls.claim({
      session_id: 'fx-cut',
      key: call,
      role: 'fixer',
      codes: ['BE-001', 'BE-002'],
      prompt_ref: SHA,
    })
    const added = (path: string) =>
      `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`
    const diff = ['src/BE-001.py', 'src/BE-002.py', 'helper.py'].map(added).join('')
    const { ref } = await openArtifactStore(desk.home.artifacts).put(diff)
    await desk.store.artifacts.link({ session_id: 'fx-cut', ref, kind: 'diff', name: call })
    const told = async () => {
      const session = await desk.store.sessions.get('fx-cut')
      assert.ok(session)
      const { issues, final_status } = await buildReport(desk, session)
      return [
        final_status,
        ...issues.map(({ iterations, diff, outside_files }) => [iterations, diff?.files, outside_files]),
      ]
    }
    for (const { issue } of await desk.store.sessions.listIssues('fx-cut')) {
      await desk.store.sessions.setIssueOutcome('fx-cut', {
        ...{ issue_id: issue.issue_id, issue_code: issue.issue_code, status: 'skipped', error: 'cancelled by kim' },
        ...{ fix_files_modified: [], false_positive: false, iterations: 0 },
      })
    }
    await desk.store.sessions.update('fx-cut', { status: 'cancelled' })
    assert.deepEqual(await told(), [
      'cancelled',
      [1, ['src/BE-001.py', 'helper.py'], ['helper.py']],
      [1, ['src/BE-002.py', 'helper.py'], ['helper.py']],
    ])

    // Had it answered, it would be settled whose the file is.
    const claim = { issue_code: 'BE-002', status: 'fixed', file_modified: ['src/BE-002.py', 'helper.py'] }
    const results = [{ ...claim, changes_summary: 'x', self_evaluation: {} }]
    const reply = await openArtifactStore(desk.home.artifacts).put(JSON.stringify({ results }))
    const id = { session_id: 'fx-cut', key: call, attempt: 1 }
    assert.ok(await desk.store.agentCalls.finish(id, { reply_ref: reply.ref }))
    assert.deepEqual(await told(), [
      'cancelled',
      [1, ['src/BE-001.py'], []],
      [1, ['src/BE-002.py', 'helper.py'], ['helper.py']],
    ])
  })

  test('what a test proved of a fix that was then not committed proves nothing of its issue', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-proven', ['BE-001', 'BE-002'])
    await endSession(desk, 'fx-proven')
    for (const code of ['BE-001', 'BE-002']) {
      const proof = {
        codes: [code],
        verdict: 'proven',
        why: 'it fails without',
        files: ['t.py'],
        commands: [],
        tests: [],
      }
      const { ref } = await openArtifactStore(desk.home.artifacts).put(JSON.stringify({ tree: TREE, proof }))
      await desk.store.artifacts.link({ session_id: 'fx-proven', ref, kind: 'verdict', name: `s1.prove.${code}` })
    }
    const session = await desk.store.sessions.get('fx-proven')
    assert.ok(session)
    const report = await buildReport(desk, session)
    assert.deepEqual(
      report.issues.map(({ state, proof }) => [state, proof?.verdict ?? null]),
      [
        ['fixed', 'proven'],
        ['failed', null],
      ],
    )
    assert.doesNotMatch(renderReport(report, 'md'), /failed, proven/)
  })

  test('a strict profile holds against the fix what failed before it, and both streams of a command are shown [S4-6]', async (t) => {
    const desk = await setDesk(t)
    const artifacts = openArtifactStore(desk.home.artifacts)
    const run = {
      command: 'make check',
      outcome: 'failed: exit status 2',
      output: 'two tests ran',
      errors: 'one is red',
    }
    for (const [id, profile] of [
      ['fx-plain', 'batched'],
      ['fx-strict', 'verify'],
    ] as const) {
      await addSession(desk, id, ['BE-001'], { task_id: id, settings: { ...DEFAULT_SETTINGS, profile } })
      await desk.store.events.append(id, [
        fixCallStarted({ role: 'fixer', call: 's1.i1.b1.fix', attempt: 1, codes: ['BE-001'] }),
      ])
      await desk.store.agentCalls.claim({
        session_id: id,
        key: 's1.i1.b1.fix',
        role: 'fixer',
        codes: ['BE-001'],
        prompt_ref: SHA,
      })
      for (const name of ['base', 's1.i1.verify']) {
        const { ref } = await artifacts.put(JSON.stringify({ tree: TREE, verification: [run] }))
        await desk.store.artifacts.link({ session_id: id, ref, kind: 'verdict', name })
      }
    }
    const verificationOf = async (id: string) => {
      const session = await desk.store.sessions.get(id)
      assert.ok(session)
      return (await buildReport(desk, session)).fix_report.cycles[0]?.verification
    }
    assert.equal((await verificationOf('fx-plain'))?.verdict, 'unverified')
    const strict = await verificationOf('fx-strict')
    assert.equal(strict?.verdict, 'failed')
    assert.equal(strict.commands[0]?.output, 'two tests ran\none is red')
  })

  test('a cycle says what it cost, with the calls that were lost in it, and that nobody knows the cost of those [S4-5]', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-lost', ['BE-001'])
    const { agentCalls, events } = desk.store
    const call = { session_id: 'fx-lost', key: 's1.i1.b1.fix', role: 'fixer', codes: ['BE-001'] }
    await events.append('fx-lost', [fixCallStarted({ role: 'fixer', call: call.key, attempt: 1, codes: ['BE-001'] })])
    const lost = await agentCalls.claim(call)
    await agentCalls.updateRunning(lost.call, { tokens: { input: 1_000, cached: 0, output: 10 } })
    const { call: made } = await agentCalls.claim(call)
    await agentCalls.finish(made, { cost_usd: 0.25, tokens: { input: 2_000, cached: 0, output: 20 } })
    const session = await desk.store.sessions.get('fx-lost')
    assert.ok(session)
    const [cycle] = (await buildReport(desk, session)).fix_report.cycles
    const { cost_usd, cost_partial, tokens } = cycle?.agentResult ?? {}
    assert.deepEqual([cost_usd, cost_partial, tokens], [0.25, true, 3_030])
  })

  test('what is cancelled, unproven or only in part done is never passed [S4-6]', async (t) => {
    const desk = await setDesk(t)
    const now = await desk.store.sessions
    const finalOf = async (id: string) => {
      const session = await now.get(id)
      assert.ok(session)
      return (await buildReport(desk, session)).fix_report.finalStatus
    }
    await addSession(desk, 'fx-one', ['BE-001'], { task_id: 'one' })
    assert.equal(await finalOf('fx-one'), 'running')
    await endSession(desk, 'fx-one')
    assert.equal(await finalOf('fx-one'), 'unproven')
    await addSession(desk, 'fx-two', ['BE-001', 'BE-002'], { task_id: 'two' })
    await endSession(desk, 'fx-two')
    assert.equal(await finalOf('fx-two'), 'failed')
    for (const [status, final] of [
      ['cancelled', 'cancelled'],
      ['skipped', 'skipped'],
      ['failed', 'failed'],
    ] as const) {
      await addSession(desk, `fx-${status}`, ['BE-001'], { task_id: status })
      await now.update(`fx-${status}`, { status })
      assert.equal(await finalOf(`fx-${status}`), final)
    }
  })
})
