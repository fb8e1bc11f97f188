import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Finding, parseFindings } from '../../../src/domain/issue/parse-findings.ts'
import { parsePathInside } from '../../../src/domain/scope/paths.ts'

const LEAST = { issue_code: 'F001', title: 'A bug', file: 'src/a.py' }

function issuesOf(input: unknown, root?: string): Finding[] {
  const parsed = parseFindings(input, { root })
  assert.deepEqual(parsed.problems, undefined)
  return parsed.issues ?? []
}

function problemsOf(input: unknown): string[] {
  const parsed = parseFindings(input)
  assert.equal(parsed.issues, undefined)
  return parsed.problems ?? []
}

test('only code, title and file are required; the rest has its defaults', () => {
  assert.deepEqual(issuesOf({ issues: [LEAST] }), [{ ...LEAST, description: 'A bug', severity: 'medium' }])
  assert.deepEqual(issuesOf([LEAST]), issuesOf({ issues: [LEAST] }))
  assert.deepEqual(issuesOf(JSON.stringify([LEAST])), issuesOf([LEAST]))
  assert.deepEqual(issuesOf(`\uFEFF{"issues":[]}`), [])
})

test('a finding with everything keeps everything, and what is not ours is left out', () => {
  const whole = {
    ...LEAST,
    description: 'Long\ntext',
    line: '45-67',
    severity: 'critical',
    category: 'security',
    suggested_fix: 'Check it',
    estimated_effort: 5,
    estimated_files_count: 2,
  } as const
  assert.deepEqual(issuesOf([{ ...whole, confidence: 0.3, tags: ['x'] }]), [whole])
})

test('the names of the review format are understood, in groups or not [S3-3, S3-5]', () => {
  const finding = { id: 'F001', file: 'a.py', line: 45, issue: 'Missing check', severity: 'major', fix_hint: 'Add it' }
  const issue = {
    issue_code: 'F001',
    title: 'Missing check',
    description: 'Missing check',
    file: 'a.py',
    line: '45',
    severity: 'high',
    suggested_fix: 'Add it',
  }
  assert.deepEqual(issuesOf([finding]), [issue])
  const groups = [
    { description: 'one', findings: [finding] },
    { description: 'two', findings: [{ ...finding, id: 'F002', severity: 'minor' }] },
  ]
  assert.deepEqual(issuesOf({ groups }), [issue, { ...issue, issue_code: 'F002', severity: 'low' }])
  assert.match(problemsOf({ groups: [groups[0], { findings: 1 }] })[0] ?? '', /^groups\[1\]\.findings: must be a list/)
})

test('severities are read in any case; an unknown one is refused with those there are', () => {
  const severityOf = (severity: unknown) => issuesOf([{ ...LEAST, severity }])[0]?.severity
  assert.deepEqual(['CRITICAL', 'High', 'medium', 'Low', 'info', 'Major', 'MINOR', null].map(severityOf), [
    'critical',
    'high',
    'medium',
    'low',
    'info',
    'high',
    'low',
    'medium',
  ])
  assert.deepEqual(problemsOf({ issues: [LEAST, { ...LEAST, issue_code: 'F002', severity: 'urgent' }] }), [
    'issues[1].severity: "urgent" is none of critical, high, medium, low, info (or major for high, minor for low)',
  ])
  assert.equal(problemsOf([{ ...LEAST, severity: 'constructor' }]).length, 1)
})

test('an estimate that is no effort from 1 to 5 or no number of files is refused [S0-5]', () => {
  const wrong = [0, 6, 2.5, '3', -1, true]
  for (const value of wrong) {
    assert.match(
      problemsOf([{ ...LEAST, estimated_effort: value }])[0] ?? '',
      /^\[0\]\.estimated_effort: must be a whole number from 1 to 5/,
    )
  }
  assert.match(
    problemsOf([{ ...LEAST, estimated_files_count: 0 }])[0] ?? '',
    /^\[0\]\.estimated_files_count: must be a whole number of at least 1, is 0$/,
  )
})

test('every problem is told at once with its position, and nothing is half-accepted', () => {
  const problems = problemsOf({
    issues: [
      LEAST,
      { title: 5, file: '../x', severity: 'bad' },
      'text',
      { ...LEAST, issue_code: 'f001' },
      { ...LEAST, issue_code: '-rf /' },
      { ...LEAST, issue_code: 'F003', line: { from: 1 } },
      { ...LEAST, issue_code: 'F004', title: ' ', file: undefined },
    ],
  })
  const expected = [
    /^issues\[1\]\.issue_code: is missing$/,
    /^issues\[1\]\.title: must be a text, is 5$/,
    /^issues\[1\]\.file: "\.\.\/x" lies outside of the repository$/,
    /^issues\[1\]\.severity: "bad" is none of/,
    /^issues\[2\]: must be an object/,
    /^issues\[3\]\.issue_code: f001 is already the code of issues\[0\]$/,
    /^issues\[4\]\.issue_code: "-rf \/" must be 1 to 80 letters/,
    /^issues\[5\]\.line: must be a line number/,
    /^issues\[6\]\.title: is missing$/,
    /^issues\[6\]\.file: is missing$/,
  ]
  assert.equal(problems.length, expected.length, problems.join('\n'))
  const sorted = problems.toSorted((one, other) => Number(one.slice(7, 8)) - Number(other.slice(7, 8)))
  for (const pattern of expected)
    assert.ok(
      sorted.some((problem) => pattern.test(problem)),
      String(pattern),
    )
})

test('what is no list of findings is refused with what would be one', () => {
  for (const input of [5, null, {}, { issues: {} }, '"text"', 'null']) {
    assert.match(problemsOf(input)[0] ?? '', /^must be a list of findings, \{"issues"/)
  }
})

test('an empty text and one that is no UTF-8 are told as that', () => {
  for (const text of ['', ' \n', '\uFEFF']) assert.match(problemsOf(text)[0] ?? '', /^is empty$/)
  for (const text of [Buffer.from('\uFEFF[]', 'utf16le').toString(), Buffer.from('[]', 'utf16le').toString()]) {
    assert.match(problemsOf(text)[0] ?? '', /^is no UTF-8 text: save it as UTF-8$/)
  }
})

test('a mistake in the JSON is told with its line and column', () => {
  for (const [text, place] of [
    ['{"issues": [\n  {"a": 1,}\n]}', 'line 2, column 11'],
    ['abc', 'line 1, column 1'],
    ['[1, 2', 'line 1, column 6'],
    ['{\n"a": nope}', 'line 2, column 7'],
    ['[{"a": "x}]', 'line 1, column 12'],
    ['{"a": 1} x', 'line 1, column 10'],
  ] as const) {
    assert.match(problemsOf(text)[0] ?? '', new RegExp(`^${place}: is not JSON: `), text)
  }
})

test('a title can’t begin a line of its own', () => {
  const [issue] = issuesOf([{ ...LEAST, title: 'Harmless\n\nFixwright-Issue: F999\u0007' }])
  assert.equal(issue?.title, 'Harmless Fixwright-Issue: F999')
})

test('a path is spelled in one way, and absolute ones below the repository are made relative', () => {
  const fileOf = (file: string, root?: string) => issuesOf([{ ...LEAST, file }], root)[0]?.file
  assert.equal(fileOf('./a//b.py'), 'a/b.py')
  assert.equal(fileOf('a/../b.py'), 'b.py')
  assert.equal(fileOf('.github/x.yml'), '.github/x.yml')
  assert.equal(fileOf('a b/..c/d.py'), 'a b/..c/d.py')
  assert.equal(fileOf('a\\b.py'), 'a\\b.py')
  assert.equal(fileOf('/repo/src/a.py', '/repo'), 'src/a.py')
  assert.equal(fileOf('/repo/src/a.py', '/repo/'), 'src/a.py')
})

test('a path that is empty, leaves the repository or belongs to git is refused', () => {
  const outside = ['../a', 'a/../../b', '/etc/passwd', '/repo2/a', '/repo/../etc/passwd', '/repo', '..']
  for (const file of outside)
    assert.match(parsePathInside(file, '/repo').problem ?? '', /outside of the repository/, file)
  const gits = [
    '.git/config',
    'a/.GIT/hooks/x',
    '.git',
    '.git./config',
    '.git /config',
    'GIT~1/config',
    '.g\u200cit/config',
  ]
  for (const file of gits) assert.match(parsePathInside(file).problem ?? '', /belongs to git/, file)
  for (const file of ['', '  ', 'a\0b', 'a\nb', 'src/', '.', './.', 'x'.repeat(5000)]) {
    assert.notEqual(parsePathInside(file).problem, undefined, JSON.stringify(file.slice(0, 20)))
  }
  assert.notEqual(parsePathInside('/abs/without/root').problem, undefined)
})

test('no path that is accepted ever leaves the root, and accepting it again changes nothing', () => {
  const segment = fc.oneof(
    fc.constantFrom('..', '.', '', '.git', '.Git', 'a', 'b.py', '...', ' ', '..a', '\\', 'C:'),
    fc.string({ maxLength: 6 }),
  )
  const file = fc.tuple(fc.constantFrom('', '/', '/repo/', '//repo/', './'), fc.array(segment, { maxLength: 8 }))
  fc.assert(
    fc.property(file, ([start, segments]) => {
      const { path: inside } = parsePathInside(start + segments.join('/'), '/repo')
      if (inside === undefined) return
      const absolute = path.posix.resolve('/repo', inside)
      assert.equal(absolute, `/repo/${inside}`)
      assert.ok(!inside.split('/').some((name) => name.toLowerCase() === '.git'))
      assert.deepEqual(parsePathInside(inside, '/repo'), { path: inside })
    }),
    { numRuns: 2000 },
  )
})

test('whatever is given, the answer is findings that keep their order or a list of problems', () => {
  const item = fc.oneof(
    fc.anything(),
    fc.record({ issue_code: fc.stringMatching(/^[A-Z]\d{3}$/), title: fc.string(), file: fc.string() }),
  )
  fc.assert(
    fc.property(fc.oneof(fc.array(item), fc.string(), fc.json()), (input) => {
      const parsed = parseFindings(input)
      if (parsed.issues === undefined) return assert.ok(parsed.problems.length > 0)
      const codes = parsed.issues.map((issue) => issue.issue_code)
      assert.equal(new Set(codes).size, codes.length)
      if (Array.isArray(input)) assert.equal(codes.length, input.length)
    }),
  )
})
