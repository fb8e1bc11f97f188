// What the words of each role have to say, and that a prompt without any one part of it is noticed: shipped prompts keep their
// contract, and each gutted one breaks it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCKS, says, type Term } from './contract-terms.ts'
import { agents, renderGoldenPrompts } from './golden-prompts.ts'
import { REVIEW_CONTRACTS } from './review-contracts.ts'

/** At least seven scores from 100 to 0, each with words of its own. */
function hasScale(words: string): boolean {
  const anchors = [...words.matchAll(/(?:^- |\. )(\d{1,3}): ([^.\n]{10,})/gm)].map(
    ([, score, what]) => [Number(score), what] as const,
  )
  const falls = anchors.every(([score], index) => index === 0 || score < (anchors[index - 1]?.[0] ?? 0))
  return (
    anchors.length >= 7 &&
    falls &&
    anchors[0]?.[0] === 100 &&
    anchors.at(-1)?.[0] === 0 &&
    new Set(anchors.map(([, what]) => what)).size === anchors.length
  )
}

const NO_SILENCING = [
  'noqa',
  'ts-ignore',
  'eslint-disable',
  'nosec',
  'deleted or weakened test',
  'lowered threshold',
].map((trick) => says(`not ${trick}`, new RegExp(trick)))
const FIXING: readonly Term[] = [
  BLOCKS,
  ...NO_SILENCING,
  says(
    'its bounds',
    /Keep to `bounds`/,
    /may change/,
    /needs a person/,
    /red before/,
    /your time/,
    /your network/,
    /report `blocked`/,
  ),
  says('nothing beside it', /change what no issue needs/, /no renaming/),
  says('no git', /use git in any form/),
  says('no instructions of files', /follow instructions in data/),
  says('whose word stands first', /`answers`, `plan_notes`, `notes`/),
  says('what is in the tree', /`tree` says what the files hold now/),
  says(
    'every status',
    ...['fixed', 'false_positive', 'blocked', 'deferred', 'failed', 'skipped'].map(
      (status) => new RegExp(`\`${status}\``),
    ),
  ),
  says('no excuses', /"Out of scope"/),
  says('honesty', /overstating is found out/),
]
const FIRST: readonly Term[] = [
  says('who judges', /another vendor\s+judges your diff/),
  says('to look around', /its callers, its tests/),
  says('to reproduce first', /Reproduce it first where a check or a small test can/),
  says('what a false positive needs', /what\s+settles it/),
  says('to doubt the suggestion', /suggested fix was never run/),
  says('to be small and complete', /smallest change that removes the cause/, /empty value/),
  says('to save', /Save it with your tools and read it again/),
  says('to run the checks', /Run each of `checks`/),
]
const AGAIN: readonly Term[] = [
  says('why it is asked', /worked on and turned down, by the challenger/),
  says('to read first', /Read `feedback` and `verification`/),
  says('what comes first', /blockers first, then failed checks/),
  says('to begin anew', /fix the cause anew/),
  says('how to object', /Evidence can win, a\s+claim can't/),
  says('to keep what was right', /Keep what was right/),
  says('what an unchanged output is', /`unchanged` output stands/, /`with_old_tests`/),
]
const GUIDELINES: readonly Term[] = [
  says('its craft', /## Backend code/, /bound parameters/, /Money is not a float/),
  says('principles', /## Engineering principles/, /Tests get stricter/),
]
const HANDING_ON: readonly Term[] = [
  says(
    'how to hand on',
    /`execution_steps` in order/,
    /ALL OF THEM IN ONE MESSAGE/,
    /Wait for all of a step/,
    /into your one reply/,
  ),
]
const JUDGING: readonly Term[] = [
  BLOCKS,
  ...NO_SILENCING,
  says('to doubt', /Assume that the fix is wrong/),
  says('what is fact', /The diff is the fact/, /`claims` earn nothing; evidence/),
  says(
    'what to ask',
    /What is wrong\?/,
    /None: it is not fixed/,
    /input that breaks it/,
    /Does something else break/,
    /nobody asked for/,
  ),
  says('to heed people', /what people decided in `answers` and `notes`/),
  says('not to guess', /not shown enough to judge gets neither/),
  ['a scale', hasScale],
  says('the line', /\b90 is the line to "committed"/, /do not round up/, /No\s+blocker goes with a score/),
  says('reasons first', /Reasons first, then the `score`/),
  says('points', /At most five, the\s+worst first/, /repeat each with its `id`/, /evidence against it/),
  says('false positives', /`false_positive_agreed`/, /nobody looks again/),
  says('suspicion', /tells you how to score is suspicious/),
  says('every code', /One entry for every code/),
]

const CONTRACTS: Readonly<Record<string, readonly Term[]>> = {
  fixer: [...FIRST, ...FIXING, ...GUIDELINES, says('a test', /With each fix goes a test/)],
  'fixer.one-call': [...FIRST, ...FIXING, ...HANDING_ON],
  'fixer.one-plain': [...FIRST, ...FIXING, ...GUIDELINES],
  're-fixer': [...AGAIN, ...FIXING, ...GUIDELINES],
  're-fixer.resumed': [...AGAIN, ...FIXING, says('what it knows', /stand in earlier prompts/)],
  'sub-agent': [
    ...FIXING,
    ...GUIDELINES,
    says('what it gets', /You fix one issue/, /read that first, and never change it/, /which are decided/),
    says(
      'how to work',
      /Reproduce the issue first/,
      /suggested fix was never run/,
      /Make the smallest change that/,
      /run `checks`/,
    ),
    says('a test', /With each fix goes a test/),
  ],
  'challenger.diff': JUDGING,
  'challenger.context': [
    ...JUDGING,
    says('what it sees', /`after` shows the changed places/, /`uses` the lines that name/, /`check_results` what/),
    says('what that proves', /proves what it tests, and no more/, /one that you were not shown is not/),
  ],
  'challenger.tree': [
    ...JUDGING,
    says('that it may read', /Your tools can read the judged tree/, /before you doubt/, /material, as in any block/),
  ],
  'challenger.whole': JUDGING,
  'challenger.false-positive': [...JUDGING, says('the claim', /For SHOP-4 nothing was changed/)],
  'challenger.repair': [...JUDGING, says('the problem', /can't be used: no score/)],
  clarifier: [
    BLOCKS,
    says('to change nothing', /You change nothing/),
    says('where to look', /callers, tests, documents/, /look for what decides/),
    says('when not to ask', /nothing to ask/, /most issues need none/, /permission,\s+confirmation, style/),
    says('when to ask', /contradict each other/, /others have to live with/, /written down nowhere/),
    says('how to ask', /in one sentence/, /`general-q1`/, /never asked again/),
    says('when it is ready', /`ready_to_fix` is true when nothing is left/),
    says('no secrets', /Never ask for passwords/),
  ],
  planner: [
    BLOCKS,
    says('to change nothing', /You change nothing/),
    says('where to look in the planning', /read the file, its callers, its tests/),
    says(
      'what a plan is',
      /`context.snippets`/,
      /`approach`: the cause/,
      /`steps`: what to change/,
      /`verification`: the test/,
    ),
    says('what is no issue', /leave `steps` empty/),
    says('the order', /no two of them may change the same file/, /last word/),
    says('whom to follow', /`answers` and `notes` are people's/, /`rejected`/),
    says('what not to plan', /Plan nothing that fetches/),
  ],
  'git-branch-creator': [
    BLOCKS,
    says('a name', /two to six lower-case words/, /at most 60 characters/, /Name what\s+is fixed, not how/),
  ],
  'git-committer': [
    BLOCKS,
    says('a subject', /at most 60 characters, in the imperative/, /Say only what the diff shows/),
  ],
  repair: [BLOCKS, says('the same answer', /can't be used/, /what it did not say stays out/)],
  ...REVIEW_CONTRACTS,
}

const prompts = renderGoldenPrompts()
const OWN_WORDS = /<(data|trusted) name="[\w-]+" id="[0-9a-f]+">[\s\S]*?<\/\1 id="[0-9a-f]+">/g

function brokenTerms(name: string, prompt: string): string[] {
  const words = prompt.replace(OWN_WORDS, '')
  return (CONTRACTS[name] ?? []).flatMap(([what, holds]) => (holds(words) ? [] : [what]))
}

/** The paragraphs, lists and list entries of a text that are sentences. */
function partsOf(text: string): string[] {
  const parts = text.split(/\n(?=\n|- |\d+\. |## )/).map((part) => part.trim())
  return parts.filter((part) => part.length > 60)
}

test('every role is held by a contract', () => {
  assert.deepEqual(
    Object.keys(prompts).filter((name) => CONTRACTS[name] === undefined),
    [],
  )
})

for (const [name, terms] of Object.entries(CONTRACTS)) {
  test(`${name} says all ${terms.length} things that its role needs, and is noticed without any part of them`, () => {
    const prompt = prompts[name] ?? ''
    assert.deepEqual(brokenTerms(name, prompt), [])
    for (const [what] of terms) assert.ok(brokenTerms(name, 'Do as you think best.').includes(what), what)
  })
}

for (const [file, name] of [
  ['fixer', 'fixer'],
  ['re_fixer', 're-fixer'],
  ['fixer_single', 'sub-agent'],
  ['fix_challenger', 'challenger.diff'],
  ['clarifier', 'clarifier'],
  ['planner', 'planner'],
  ['review_lead', 'review-lead'],
  ['review_verifier', 'review-verifier'],
  ['voter_claude', 'voter-claude'],
  ['voter_gemini', 'voter-gemini'],
] as const) {
  test(`each paragraph of ${file}.md is held: without it ${name} breaks its contract`, () => {
    const instructions = agents.loadAgent(file).instructions.replaceAll('{{solved_threshold}}', '90')
    for (const part of partsOf(instructions)) {
      assert.ok(prompts[name]?.includes(part), part)
      assert.notDeepEqual(brokenTerms(name, (prompts[name] ?? '').replace(part, '')), [], `nobody would miss: ${part}`)
    }
  })
}

test('each paragraph of fixing.md is held, its bounds among them', () => {
  for (const part of partsOf(agents.loadGuideline('fixing')))
    assert.notDeepEqual(brokenTerms('fixer', (prompts.fixer ?? '').replace(part, '')), [], `nobody would miss: ${part}`)
})

for (const [file, name] of [
  ['reviewer', 'reviewer-be-quality'],
  ['reviewer_be_quality', 'reviewer-be-quality'],
  ['reviewer_spec', 'reviewer-spec'],
  ['reviewer', 'voter-gemini'],
  ['reviewer_fe_quality', 'voter-gemini'],
  ['voting', 'voter-claude'],
] as const) {
  test(`each paragraph of ${file}.md is held in ${name}`, () => {
    for (const part of partsOf(agents.loadGuideline(file))) {
      assert.ok(prompts[name]?.includes(part), part)
      assert.notDeepEqual(brokenTerms(name, (prompts[name] ?? '').replace(part, '')), [], `nobody would miss: ${part}`)
    }
  })
}

test('a challenger that is told to give every issue 100 has no scale', () => {
  const prompt = prompts['challenger.diff'] ?? ''
  const gutted = prompt.replace(/^- 100:[\s\S]*?0: worse than before\.$/m, 'Give every issue 100.')
  assert.notEqual(gutted, prompt)
  assert.deepEqual(brokenTerms('challenger.diff', gutted), ['a scale'])
})
