// What each call of a session would be told, before there is a session: by the same functions that tell it then, over the repository as it is.
// What only the session can know stands there as a named gap. Nothing is asked, run or written.
// Gap: a prompt counts as known also where an earlier stage of the same session may change the files that it shows.
import { challengerPrompt, fixerPrompt, reFixerPrompt } from '../../agents/prompts/prompts.ts'
import type { Brief } from '../../domain/plan/brief.ts'
import { type Batch, codesOfBatch, codesOfStage, type Stage } from '../../domain/plan/plan.ts'
import type { Talk } from '../../domain/protocol/index.ts'
import type { DryPrompt } from '../../domain/session/dry-run.ts'
import { effectiveIterations, isChallenged, profileOf } from '../../domain/settings/schema.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { withoutSecrets } from '../agent-call/agent-call.ts'
import { type Background, backgroundOf, frameOf } from '../agent-call/prompt-background.ts'
import { issueOf, type Session, todoOf, type Workshop } from '../context.ts'
import { fixPrompts, taskOf } from '../fix/fixer-prompt-input.ts'
import { aboutBranch, aboutCommit, type Words } from '../open/name-branch.ts'
import { type Context, clarifierPrompt, plannerPrompt, wholeContext } from '../plan/clarify-and-plan-prompts.ts'
import { earlierAnswers } from '../plan/remembered-answers.ts'
import { todoPlace } from '../plan/todo-files.ts'

type Place = Pick<Workspace, 'gitDir' | 'base'>

export interface Foretelling {
  readonly shop: Workshop
  readonly session: Session
  /** The person's own repository: only read. */
  readonly place: Place
  readonly stages: readonly Stage[]
  readonly talk: Talk | undefined
  /** An agent finds the name of the branch. */
  readonly namesBranch: boolean
}

/** Stands in every prompt in place of the id that a call draws for its blocks. */
export const BLOCK_ID = '0'.repeat(24)

type Draft = Omit<DryPrompt, 'gaps'>

export async function foretell(told: Foretelling): Promise<DryPrompt[]> {
  const drafts = [...branchDrafts(told), ...(await talkDrafts(told)), ...(await stageDrafts(told))]
  return await Promise.all(
    drafts.map(async ({ prompt: draft, ...about }) => {
      const id = /<data name="call" id="([0-9a-f]+)">/.exec(draft)?.[1] ?? BLOCK_ID
      const prompt = (await withoutSecrets(told.shop, draft)).replaceAll(id, BLOCK_ID)
      return { ...about, gaps: gapsIn(prompt), prompt }
    }),
  )
}

function gap(what: string): string {
  return `«gap: ${what}»`
}

const DIFF = gap('the diff of the fixes')

function gapsIn(prompt: string): string[] {
  return [...new Set(prompt.match(/«gap: [^»\n]{1,200}»/g) ?? [])]
}

function branchDrafts({ shop, session, namesBranch }: Foretelling): Draft[] {
  return namesBranch ? [wordsDraft(aboutBranch(shop, session, todoOf(session)))] : []
}

function messageDrafts({ shop, session }: Foretelling, stage: Stage, call: string): Draft[] {
  if (session.settings.git.naming === 'rules') return []
  const committing = { call, codes: codesOfStage(stage), diff: DIFF }
  return [wordsDraft(aboutCommit(shop, session, committing))]
}

function wordsDraft({ key, ...about }: Words): Draft {
  return { call: key, iteration: 1, ...about }
}

async function talkDrafts({ shop, session, place, talk }: Foretelling): Promise<Draft[]> {
  if (talk === undefined) return []
  const issues = todoOf(session)
  const codes = issues.map(({ issue_code }) => issue_code)
  const context = await wholeContext(shop, session, place)
  const drafts: Draft[] = []
  const add = (role: string, call: string, promptOf: (context: Context | undefined) => string): void => {
    // The first of them begins the conversation.
    const prompt = promptOf(drafts.length === 0 ? context : undefined)
    drafts.push({ call, role, iteration: 1, codes, prompt })
  }
  if (talk.clarify) {
    const known = await earlierAnswers(shop, session, issues, [])
    const call = 'clarify.r1'
    add('clarifier', call, (begins) => clarifierPrompt(shop, session, { call, iteration: 1, known, context: begins }))
  }
  if (talk.planner === 'agent') {
    const call = 'plan.p1'
    const { clarifications } = briefOf(talk, [])
    add('planner', call, (begins) =>
      plannerPrompt(shop, session, { call, iteration: 1, clarifications, context: begins }),
    )
  }
  return drafts
}

async function stageDrafts(told: Foretelling): Promise<Draft[]> {
  const drafts: Draft[] = []
  const background = await backgroundOf(told.shop, told.session, told.place)
  for (const [index, stage] of told.stages.entries()) {
    const name = (rest: string) => `s${index + 1}.${rest}`
    const batches = stage.batches.map((batch, nth) => ({
      batch,
      nth,
      call: (round: number) => name(`i${round}.b${nth + 1}.fix`),
    }))
    for (const { batch, nth, call } of batches) {
      drafts.push(await fixDraft(told, { batch, call: call(1), stage: index + 1, isFirst: nth === 0 }))
    }
    if (isChallenged(told.session.settings)) drafts.push(challengeDraft(told, stage, name('i1.challenge'), background))
    const isRepeated = effectiveIterations(told.session.settings) > 1
    if (isRepeated) drafts.push(...batches.map(({ batch, call }) => reFixDraft(told, batch, call(2))))
    drafts.push(...messageDrafts(told, stage, name('commit')))
  }
  return drafts
}

interface FirstCall {
  readonly batch: Batch
  readonly call: string
  readonly stage: number
  readonly isFirst: boolean
}

async function fixDraft(told: Foretelling, { batch, call, stage, isFirst }: FirstCall): Promise<Draft> {
  const { shop, session, place, talk } = told
  const codes = codesOfBatch(batch)
  const about = { call, role: 'fixer', iteration: 1, codes }
  const owners = isFirst ? {} : { [gap('files that the calls before it changed')]: codes }
  const todo = batch.delegates ? todoPlace(shop, session) : undefined
  if (goesOn(talk)) {
    const tree = isFirst
      ? 'Nothing else is changed in the tree yet.'
      : gap('what the calls before it changed in the tree')
    const brief = briefOf(talk, codes)
    const input = { ...taskOf(session, { call, iteration: 1, batch, codes }), brief, todo, tree, resuming: true }
    return { ...about, prompt: fixerPrompt(shop.agents, input) }
  }
  const head = place.base
  const input = { sessionId: session.id, call, stage, batch, iteration: 1, codes, head, start: [], feedback: [] }
  const start = { tree: head, owners, claims: {}, taken: [] }
  const { prompt } = await fixPrompts(shop, session, place, { input, start, todo })
  return { ...about, prompt }
}

/** Whether the fixer goes on with a conversation that others began. */
function goesOn(talk: Talk | undefined): talk is Talk {
  return talk !== undefined && (talk.clarify || talk.planner === 'agent')
}

function reFixDraft({ shop, session, talk }: Foretelling, batch: Batch, call: string): Draft {
  const { settings } = session
  const codes = codesOfBatch(batch)
  const judged = codes.map((code) => [code, { feedback: gap(`what the challenger says about ${code}`) }] as const)
  const verification = settings.verification.commands.map((command) => ({
    command,
    outcome: gap('how it failed, if it did'),
    output: gap('the end of what it printed'),
    errors: gap('the end of what it printed to standard error'),
  }))
  const prompt = reFixerPrompt(shop.agents, {
    ...taskOf(session, { call, iteration: 2, batch, codes }),
    ...(goesOn(talk) ? { brief: briefOf(talk, codes) } : {}),
    todo: batch.delegates ? todoPlace(shop, session) : undefined,
    tree: gap('what the tree holds by then'),
    resuming: true,
    feedback: isChallenged(settings) ? Object.fromEntries(judged) : {},
    verification: verification.length > 0 ? verification : undefined,
  })
  return { call, role: 're_fixer', iteration: 2, codes, prompt }
}

function challengeDraft(
  { shop, session, talk }: Foretelling,
  stage: Stage,
  call: string,
  background: Background,
): Draft {
  const codes = codesOfStage(stage)
  const prompt = challengerPrompt(shop.agents, {
    ...{ blockId: BLOCK_ID, call, iteration: 1 },
    ...frameOf(session),
    ...background,
    issues: codes.map((code) => issueOf(session, code)),
    notes: session.record.user_notes,
    clarifications: goesOn(talk) ? briefOf(talk, codes).clarifications : [],
    diff: DIFF,
    claims: codes.map((issue_code) => ({
      issue_code,
      status: 'fixed',
      changes_summary: gap(`what the fixer says about ${issue_code}`),
    })),
    whole: profileOf(session.settings).whole_diff_score,
  })
  return { call, role: 'fix_challenger', iteration: 1, codes, prompt }
}

/** What people and the planner would have said by then. */
function briefOf(talk: Talk, codes: readonly string[]): Brief {
  const asked = {
    id: 'general-q1',
    question: gap('what the clarifier asks'),
    context: '',
    answer: gap('what people answer'),
  }
  return {
    clarifications: talk.clarify ? [{ ...asked, answered_by: '', answered_at: '' }] : [],
    plans: talk.planner === 'agent' ? Object.fromEntries(codes.map((code) => [code, planOf(code)])) : {},
    notes: {},
    remarks: [],
  }
}

function planOf(code: string): Brief['plans'][string] {
  const context = { snippets: [], related_files: [], existing_patterns: [] }
  return { context, approach: gap(`how the planner would go about ${code}`), steps: [], verification: [] }
}
