// What a message does to what a session asks: once, to what is open, and to nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type MessageInput,
  type MessageName,
  type MessageOf,
  parseMessage,
} from '../../../src/domain/people/message-schemas.ts'
import {
  type AnsweredQuestion,
  type ClarificationQuestion,
  type Dialogue,
  EMPTY_DIALOGUE,
  isCoveredByGrant,
  listUnanswered,
  type OpenRequest,
  summarizeDecision,
  type ValidatedMessage,
  validateAnswers,
  validatePlanDecision,
  validateScopeDecision,
} from '../../../src/domain/people/validate-messages.ts'

function understood<Name extends MessageName>(name: Name, input: unknown): MessageOf<Name> {
  const said = parseMessage(name, input)
  if (said.kind === 'refused') throw new Error(said.reason)
  return said.message
}

function question(id: string, code?: string): ClarificationQuestion {
  return { id, question: `about ${id}?`, context: '', ...(code ? { code } : {}) }
}

const ASKED: OpenRequest = {
  kind: 'clarification',
  request: 'clarify.r1',
  questions: [question('FUNC-001-q1', 'FUNC-001'), question('FUNC-002-q1', 'FUNC-002'), question('general-q1')],
}
const AGAIN: OpenRequest = {
  kind: 'clarification',
  request: 'clarify.r2',
  questions: [question('FUNC-001-q2', 'FUNC-001'), question('general-q2')],
}
const PLAN = {
  kind: 'plan',
  request: 'plan.p1',
  codes: ['FUNC-001', 'FUNC-002', 'FUNC-003'],
  room: 64_000,
} satisfies OpenRequest
const SCOPE: OpenRequest = {
  kind: 'scope',
  request: 's1.i1.b1.fix',
  files: [
    { path: 'docs/a.md', why: 'outside the workspace', codes: ['FUNC-001'] },
    { path: '.env', why: 'protected', codes: ['FUNC-002'] },
  ],
  more: 0,
}

function asking(open: OpenRequest, before: Dialogue = EMPTY_DIALOGUE): Dialogue {
  return { ...before, open }
}

type Messages =
  | { readonly name: 'answerClarification'; readonly input: MessageInput<'answerClarification'> }
  | { readonly name: 'decidePlan'; readonly input: MessageInput<'decidePlan'> }
  | { readonly name: 'decideScope'; readonly input: MessageInput<'decideScope'> }

/** What the workflow makes of a message: the state after it, and what it answered. */
function say(
  dialogue: Dialogue,
  said: Messages,
): { readonly after: Dialogue; readonly weighed: ValidatedMessage<unknown> } {
  switch (said.name) {
    case 'answerClarification': {
      const weighed = validateAnswers(dialogue, understood('answerClarification', said.input))
      if (weighed.kind !== 'taken') return { after: dialogue, weighed }
      const { answers, skip } = weighed.change
      const fresh = answers.map(
        ({ question, answer }): AnsweredQuestion => ({ ...question, answer, by: 'mara', from: 'test', at: 1 }),
      )
      const after = { ...dialogue, answered: [...dialogue.answered, ...fresh] }
      const ended = listUnanswered(after).length === 0 ? 'answered' : skip ? 'skipped' : undefined
      return { after: ended ? settled(after, ended) : after, weighed }
    }
    case 'decidePlan': {
      const weighed = validatePlanDecision(dialogue, understood('decidePlan', said.input))
      return {
        after: weighed.kind === 'taken' ? settled(dialogue, summarizeDecision(weighed.change)) : dialogue,
        weighed,
      }
    }
    case 'decideScope': {
      const weighed = validateScopeDecision(dialogue, understood('decideScope', said.input))
      return {
        after: weighed.kind === 'taken' ? settled(dialogue, summarizeDecision(weighed.change)) : dialogue,
        weighed,
      }
    }
  }
}

/** As the workflow does it, and as it comes back from its history. */
function settled({ open, ...rest }: Dialogue, decision: string): Dialogue {
  assert.ok(open)
  return JSON.parse(
    JSON.stringify({ ...rest, decisions: { ...rest.decisions, [`${open.kind}/${open.request}`]: decision } }),
  )
}

function answer(input: MessageInput<'answerClarification'>): Messages {
  return { name: 'answerClarification', input }
}

function decide(input: MessageInput<'decidePlan'>): Messages {
  return { name: 'decidePlan', input }
}

function allow(input: MessageInput<'decideScope'>): Messages {
  return { name: 'decideScope', input }
}

function after(dialogue: Dialogue, ...said: readonly Messages[]): Dialogue {
  return said.reduce((state, each) => say(state, each).after, dialogue)
}

function refusal(dialogue: Dialogue, said: Messages): string {
  const { weighed } = say(dialogue, said)
  return weighed.kind === 'refused' ? weighed.reason : assert.fail(`it was ${weighed.kind}: ${weighed.response}`)
}

function kindOf(dialogue: Dialogue, said: Messages): string {
  return say(dialogue, said).weighed.kind
}

const ONE = { 'FUNC-001-q1': 'strict' }
const ALL = { ...ONE, 'FUNC-002-q1': 'yes', 'general-q1': 'no' }

test('an answer stands with its own question; the rest stays open [S2-4]', () => {
  const weighed = validateAnswers(asking(ASKED), understood('answerClarification', { answers: ONE }))
  assert.ok(weighed.kind === 'taken' && !weighed.change.skip)
  assert.deepEqual(
    weighed.change.answers.map(({ question, answer }) => [question.id, question.code, answer]),
    [['FUNC-001-q1', 'FUNC-001', 'strict']],
  )
  assert.deepEqual(
    listUnanswered(after(asking(ASKED), answer({ answers: ONE }))).map(({ id }) => id),
    ['FUNC-002-q1', 'general-q1'],
  )
  assert.equal(after(asking(ASKED), answer({ answers: ALL })).open, undefined)
})

test('the same answer twice is fine, while others are open and after all is answered [S2-4]', () => {
  const some = after(asking(ASKED), answer({ answers: ONE }))
  assert.equal(kindOf(some, answer({ answers: ONE })), 'repeated')
  assert.equal(kindOf(some, answer({ answers: { 'FUNC-001-q1': ' strict ' } })), 'repeated')
  const all = after(asking(ASKED), answer({ answers: ALL }))
  assert.equal(kindOf(all, answer({ answers: ALL })), 'repeated')
  assert.equal(kindOf(asking(PLAN, all), answer({ answers: ONE })), 'repeated')
})

test('another answer to what is answered is refused, with who answered what; and nothing beside it is taken [S2-4]', () => {
  const some = after(asking(ASKED), answer({ answers: ONE }))
  const other = answer({ answers: { 'FUNC-001-q1': 'loose', 'FUNC-002-q1': 'yes' } })
  assert.equal(refusal(some, other), 'FUNC-001-q1 was answered by mara already, differently: "strict"')
  assert.deepEqual(say(some, other).after, some)
})

test('an answer to no open question is refused: before its question, to an unknown one, after it was skipped', () => {
  assert.match(
    refusal(EMPTY_DIALOGUE, answer({ answers: ONE })),
    /no open question FUNC-001-q1: nothing is being asked now/,
  )
  assert.match(refusal(asking(PLAN), answer({ answers: ONE })), /nothing is being asked now/)
  const unknown = answer({ answers: { 'FUNC-009-q1': 'x' } })
  assert.match(
    refusal(asking(ASKED), unknown),
    /no open question FUNC-009-q1: open are FUNC-001-q1, FUNC-002-q1, general-q1/,
  )
  const skipped = after(asking(ASKED), answer({ skip: true }))
  assert.match(refusal(skipped, answer({ answers: ONE })), /no open question FUNC-001-q1/)
})

test('a question that was asked later is no question yet: an answer that came before it does not count for it', () => {
  const early = say(asking(ASKED), answer({ answers: { 'FUNC-001-q2': 'x' } }))
  assert.equal(early.weighed.kind, 'refused')
  assert.deepEqual(
    listUnanswered(asking(AGAIN, early.after)).map(({ id }) => id),
    ['FUNC-001-q2', 'general-q2'],
  )
})

test('skip goes on without what is still open, beside answers or alone', () => {
  const [mixed, bare] = [answer({ answers: ONE, skip: true }), answer({ skip: true })]
  for (const said of [mixed, bare]) {
    const { after: state, weighed } = say(asking(ASKED), said)
    assert.ok(weighed.kind === 'taken' && /the rest is skipped$/.test(weighed.response))
    assert.deepEqual([state.open, state.decisions['clarification/clarify.r1']], [undefined, 'skipped'])
    assert.equal(kindOf(state, said), 'repeated')
    assert.equal(kindOf(state, bare), 'repeated')
  }
  assert.equal(after(asking(ASKED), mixed).answered.length, 1)
})

test('who answers everything skips nothing, and where nothing is open there is nothing to skip', () => {
  const { after: state, weighed } = say(asking(ASKED), answer({ answers: ALL, skip: true }))
  assert.ok(weighed.kind === 'taken' && !weighed.response.includes('skipped'))
  assert.equal(state.decisions['clarification/clarify.r1'], 'answered')
  assert.equal(kindOf(state, answer({ answers: ALL, skip: true })), 'repeated')
  assert.match(refusal(state, answer({ skip: true })), /nothing to skip: all that was asked is answered/)
  assert.match(refusal(EMPTY_DIALOGUE, answer({ skip: true })), /no open question to skip/)
  assert.match(refusal(asking(PLAN), answer({ skip: true })), /no open question to skip/)
  assert.match(refusal(settled(asking(ASKED), 'deadline'), answer({ skip: true })), /nobody decided .* in time/)
})

test('a skip that comes again does not skip the questions of a later round', () => {
  const said = answer({ answers: ALL, skip: true })
  const later = asking(AGAIN, after(asking(ASKED), said))
  assert.equal(kindOf(later, said), 'repeated')
  assert.equal(listUnanswered(later).length, 2)
  assert.equal(kindOf(later, answer({ skip: true, request: 'clarify.r2' })), 'taken')
  assert.match(refusal(later, answer({ skip: true, request: 'clarify.r1' })), /nothing to skip/)
  assert.match(refusal(later, answer({ skip: true, request: 'clarify.r9' })), /"clarify.r9" is not what is open now/)
  const some = after(later, answer({ answers: { 'FUNC-001-q2': 'a' } }))
  assert.equal(kindOf(some, answer({ answers: { 'FUNC-001-q2': 'a' }, skip: true })), 'taken')
})

test('a plan is approved, edited or rejected once; the same again is fine, anything else is refused [S1-9]', () => {
  const words: readonly MessageInput<'decidePlan'>[] = [
    { decision: 'approve' },
    { decision: 'approve', edit: { drop: ['FUNC-002'] } },
    { decision: 'edit', edit: { order: ['FUNC-003'], notes: { 'FUNC-001': 'keep the name' } } },
    { decision: 'reject', reason: 'too wide' },
    { decision: 'reject', reason: 'too narrow' },
  ]
  for (const one of words) {
    const { after: state, weighed } = say(asking(PLAN), decide(one))
    assert.deepEqual([weighed.kind, state.open], ['taken', undefined])
    for (const other of words) {
      const again = kindOf(state, decide(other))
      assert.equal(
        again,
        other === one ? 'repeated' : 'refused',
        `${JSON.stringify(one)}, then ${JSON.stringify(other)}`,
      )
      assert.equal(kindOf(state, decide({ ...other, request: 'plan.p1' })), again)
    }
    assert.match(
      refusal(state, decide({ decision: 'reject', reason: 'something else' })),
      /^the plan was decided already, differently$/,
    )
  }
})

test('an edit that is said in another order, or comes again for its request when the changed plan is shown, is the same edit', () => {
  const edit = { drop: ['FUNC-002', 'FUNC-001'], notes: { 'FUNC-003': 'a', 'FUNC-001': 'b' } }
  const same = { drop: ['FUNC-001', 'FUNC-002'], notes: { 'FUNC-001': 'b', 'FUNC-003': 'a' } }
  const edited = after(asking(PLAN), decide({ decision: 'edit', edit }))
  const shown = asking({ kind: 'plan', request: 'plan.p1.e1', codes: ['FUNC-003'], room: 64_000 }, edited)
  assert.equal(kindOf(edited, decide({ decision: 'edit', edit: same })), 'repeated')
  for (const state of [edited, shown]) {
    assert.equal(kindOf(state, decide({ decision: 'edit', edit: same, request: 'plan.p1' })), 'repeated')
  }
  // Without a request it is about the plan that is shown now.
  assert.match(refusal(shown, decide({ decision: 'edit', edit: same })), /the plan has no issue FUNC-001, FUNC-002/)
  assert.equal(kindOf(shown, decide({ decision: 'approve' })), 'taken')
  assert.match(
    refusal(shown, decide({ decision: 'approve', request: 'plan.p1' })),
    /"plan.p1" was decided already, differently/,
  )
})

test('a plan can’t be decided before it is there, by another name, for issues that it has not, nor down to nothing', () => {
  assert.match(refusal(EMPTY_DIALOGUE, decide({ decision: 'approve' })), /no plan to decide about now/)
  assert.match(refusal(asking(SCOPE), decide({ decision: 'approve' })), /no plan to decide about now/)
  assert.match(
    refusal(asking(PLAN), decide({ decision: 'approve', request: 'plan.p2' })),
    /"plan.p2" is not what is open now: that is "plan.p1"/,
  )
  assert.match(
    refusal(EMPTY_DIALOGUE, decide({ decision: 'approve', request: 'plan.p1' })),
    /"plan.p1" is not what is open now$/,
  )
  for (const edit of [{ drop: ['X'] }, { order: ['X'] }, { notes: { X: 'x' } }]) {
    assert.match(refusal(asking(PLAN), decide({ decision: 'edit', edit })), /the plan has no issue X$/)
  }
  const drop = ['FUNC-001', 'FUNC-002', 'FUNC-003']
  for (const decision of ['edit', 'approve'] as const) {
    assert.match(refusal(asking(PLAN), decide({ decision, edit: { drop } })), /nothing would be left/)
  }
  assert.match(
    refusal(settled(asking(PLAN), 'deadline'), decide({ decision: 'approve' })),
    /nobody decided about the plan in time/,
  )
})

test('a refusal has a code for programs: nothing is open, it was decided, or the message itself is at fault', () => {
  const code = (dialogue: Dialogue, said: Messages) => {
    const { weighed } = say(dialogue, said)
    return weighed.kind === 'refused' ? weighed.code : weighed.kind
  }
  const approve = decide({ decision: 'approve' })
  assert.equal(code(EMPTY_DIALOGUE, approve), 'nothing_open')
  assert.equal(code(EMPTY_DIALOGUE, answer({ answers: ONE })), 'nothing_open')
  assert.equal(code(asking(PLAN), decide({ decision: 'approve', request: 'plan.p2' })), 'nothing_open')
  assert.equal(code(settled(asking(PLAN), 'deadline'), approve), 'already_decided')
  assert.equal(code(after(asking(PLAN), approve), decide({ decision: 'reject', reason: 'no' })), 'already_decided')
  assert.equal(code(asking(PLAN), decide({ decision: 'edit', edit: { drop: ['X'] } })), 'message_refused')
})

test('an approval without any change is one, whether it says so or not', () => {
  const approved = after(asking(PLAN), decide({ decision: 'approve', edit: {} }))
  assert.equal(kindOf(approved, decide({ decision: 'approve' })), 'repeated')
})

test('answers of many rounds, and notes of many edits, fill a session’s history to a bound: then they are refused', () => {
  let dialogue = EMPTY_DIALOGUE
  let refused = ''
  for (let round = 1; refused === ''; round += 1) {
    assert.ok(round < 20, 'it is refused at some time')
    const questions = [1, 2, 3, 4, 5].map((number) => question(`A-q${round * 5 + number}`, 'A'))
    dialogue = asking({ kind: 'clarification', request: `clarify.r${round}`, questions }, dialogue)
    const answers = Object.fromEntries(questions.map(({ id }) => [id, 'é'.repeat(8000)]))
    const { after, weighed } = say(dialogue, { name: 'answerClarification', input: { answers } })
    if (weighed.kind === 'refused') refused = weighed.reason
    dialogue = after
  }
  assert.match(refused, /all questions and answers of a session together are at most \d+ bytes, and with this \d+/)
  assert.ok(Buffer.byteLength(JSON.stringify(dialogue)) < 300 * 1024)
  // Who has too much to say can still go on without saying it.
  const { weighed } = say(dialogue, { name: 'answerClarification', input: { skip: true } })
  assert.equal(weighed.kind, 'taken')

  const note = { decision: 'edit', edit: { notes: { 'FUNC-001': 'x'.repeat(500) } } } as const
  const full = say(asking({ ...PLAN, room: 499 }), { name: 'decidePlan', input: note })
  assert.match(full.weighed.kind === 'refused' ? full.weighed.reason : '', /64000 characters: 499 are left/)
})

test('a long decision is known again by its beginning and its length, and not carried on as a whole', () => {
  const edit = (words: string) => ({ decision: 'edit', edit: { notes: { 'FUNC-001': words } } }) as const
  const long = 'x'.repeat(7999)
  const { after } = say(asking(PLAN), { name: 'decidePlan', input: edit(`${long}a`) })
  assert.ok(JSON.stringify(after.decisions).length < 1000)
  const request = 'plan.p1'
  const again = say(after, { name: 'decidePlan', input: { request, ...edit(`${long}a`) } })
  assert.equal(again.weighed.kind, 'repeated')
  for (const words of [`y${long}`, long]) {
    assert.equal(say(after, { name: 'decidePlan', input: { request, ...edit(words) } }).weighed.kind, 'refused')
  }
})

test('files outside of the scope are approved, some or all, or rejected; once, and the same again is fine [S2-31]', () => {
  const words: readonly MessageInput<'decideScope'>[] = [
    { decision: 'approve' },
    { decision: 'approve', remember: 'repository' },
    { decision: 'approve', remember: 'once' },
    { decision: 'approve', paths: ['docs/'] },
    { decision: 'approve', paths: ['.env', 'docs/a.md'] },
    { decision: 'reject' },
    { decision: 'reject', reason: 'not here' },
  ]
  for (const one of words) {
    const { after: state, weighed } = say(asking(SCOPE), allow(one))
    assert.equal(weighed.kind, 'taken')
    for (const other of words) assert.equal(kindOf(state, allow(other)), other === one ? 'repeated' : 'refused')
    assert.equal(kindOf(state, allow({ ...one, request: SCOPE.request })), 'repeated')
  }
  const named = after(asking(SCOPE), allow({ decision: 'approve', paths: ['docs/a.md', '.env'] }))
  assert.equal(kindOf(named, allow({ decision: 'approve', paths: ['.env', './docs/a.md', '.env'] })), 'repeated')
})

test('what is not in question can’t be approved with it, nor what is decided, nor what was not asked [S2-31]', () => {
  for (const path of ['docs', 'doc/', 'src/', 'docs/a', '.env/', '/', '.', 'docs/a.md/', '../docs/']) {
    assert.match(
      refusal(asking(SCOPE), allow({ decision: 'approve', paths: ['.env', path] })),
      /not among the files in question/,
    )
  }
  // The history holds only some of very many files: then a path that is not among those may well be one of the others.
  assert.equal(kindOf(asking({ ...SCOPE, more: 3 }), allow({ decision: 'approve', paths: ['src/'] })), 'taken')
  assert.match(
    refusal(EMPTY_DIALOGUE, allow({ decision: 'approve' })),
    /no file outside of the scope to decide about now/,
  )
  const late = settled(asking(SCOPE), 'deadline')
  assert.match(refusal(late, allow({ decision: 'approve' })), /nobody decided about the scope in time/)
  const second = asking({ ...SCOPE, request: 's1.i2.b1.fix' }, after(asking(SCOPE), allow({ decision: 'approve' })))
  assert.equal(kindOf(second, allow({ decision: 'approve' })), 'taken')
  assert.equal(kindOf(second, allow({ decision: 'approve', request: SCOPE.request })), 'repeated')
  assert.match(
    refusal(second, allow({ decision: 'reject', request: SCOPE.request })),
    /was decided already, differently/,
  )
})

test('a path covers itself, a folder what lies in it, and neither anything that only begins alike [S2-31]', () => {
  assert.ok(isCoveredByGrant('packages/web/', 'packages/web/a.ts'))
  assert.ok(isCoveredByGrant('packages/web/', 'packages/web/deep/.env'))
  assert.ok(isCoveredByGrant('.env', '.env'))
  const strangers = [
    ['packages/web/', 'packages/webapp/a.ts'],
    ['packages/web/', 'packages/web'],
    ['packages/web', 'packages/web/a.ts'],
    ['packages/web', 'packages/webapp'],
    ['.env', '.env.local'],
    ['/', 'a'],
    ['', 'a'],
  ] as const
  for (const [granted, path] of strangers) assert.ok(!isCoveredByGrant(granted, path), `${granted} ${path}`)
})

const ids = fc.constantFrom('FUNC-001-q1', 'FUNC-002-q1', 'general-q1', 'FUNC-001-q2', 'general-q2', 'X-q1')
const requests = fc.option(fc.constantFrom('clarify.r1', 'plan.p1', 's1.i1.b1.fix', 'other'), { nil: undefined })
const codes = fc.constantFrom('FUNC-001', 'FUNC-002', 'FUNC-003', 'X')
const edits = fc.record({
  drop: fc.array(codes, { maxLength: 3 }),
  order: fc.uniqueArray(codes),
  notes: fc.dictionary(codes, fc.constantFrom('a', 'b')),
})
const paths = fc.array(fc.constantFrom('docs/', 'docs/a.md', '.env', 'src/'), { minLength: 1, maxLength: 3 })
const message = fc
  .oneof(
    fc
      .record({ answers: fc.dictionary(ids, fc.constantFrom('a', 'b')), skip: fc.boolean(), request: requests })
      .map((input) => answer(input)),
    fc
      .record({ decision: fc.constantFrom('approve' as const, 'edit' as const), edit: edits, request: requests })
      .map(decide),
    requests.map((request) => decide({ decision: 'reject', reason: 'no', request })),
    fc
      .record({ paths: fc.option(paths, { nil: undefined }), request: requests })
      .map((input) => allow({ decision: 'approve', ...input })),
    requests.map((request) => allow({ decision: 'reject', request })),
  )
  .filter(({ name, input }) => parseMessage(name, input).kind === 'read')
const openings = fc.constantFrom(undefined, ASKED, AGAIN, PLAN, SCOPE)
/** A session's talk so far: messages of all kinds, some of them between two requests. */
const dialogues = fc
  .array(fc.tuple(openings, fc.array(message, { maxLength: 3 })), { maxLength: 4 })
  .map((parts) =>
    parts.reduce<Dialogue>(
      (dialogue, [open, said]) => after(dialogue.open || !open ? dialogue : asking(open, dialogue), ...said),
      EMPTY_DIALOGUE,
    ),
  )

test('whatever is said to a session, the same once more is only repeated and changes nothing [S2-4]', () => {
  fc.assert(
    fc.property(dialogues, openings, message, (before, open, said) => {
      const first = say(before.open || !open ? before : asking(open, before), said)
      const second = say(first.after, said)
      assert.deepEqual(second.after, first.after)
      assert.equal(second.weighed.kind, first.weighed.kind === 'taken' ? 'repeated' : first.weighed.kind)
    }),
    { numRuns: 1000 },
  )
})

test('what is not taken changes nothing, and what is taken never takes an answer back', () => {
  fc.assert(
    fc.property(dialogues, message, (before, said) => {
      const { after: state, weighed } = say(before, said)
      if (weighed.kind !== 'taken') assert.deepEqual(state, before)
      assert.deepEqual(state.answered.slice(0, before.answered.length), before.answered)
      assert.equal(new Set(state.answered.map(({ id }) => id)).size, state.answered.length)
      for (const [request, decision] of Object.entries(before.decisions)) {
        if (before.open && request === `${before.open.kind}/${before.open.request}`) continue
        assert.equal(state.decisions[request], decision)
      }
    }),
    { numRuns: 1000 },
  )
})
