// What the scripted model says before the first fix: the clarifier's questions, round by round, and the planner's plan.

import { type Call, findBlock, issuesOf } from './conversation.ts'
import { parseJson } from './prompt.ts'
import { atIteration, type Scenario } from './scenario.ts'

/** The round is the call's iteration. After the last scripted one nothing is asked: only a round that was ready comes again. */
export function clarifierReply({ clarify }: Scenario, { call }: Call): Record<string, unknown> {
  const last = clarify.at(-1)
  const round = clarify[call.iteration - 1] ?? (last && isReady(last) ? last : undefined)
  const questions = round?.questions ?? []
  return {
    has_questions: questions.length > 0,
    questions,
    message: round?.message ?? (questions.length > 0 ? 'Before I begin, please tell me:' : 'Everything is clear.'),
    ready_to_fix: round === undefined || isReady(round),
  }
}

function isReady({ questions, ready }: Scenario['clarify'][number]): boolean {
  return ready ?? questions.length === 0
}

/** The attempt is the call's iteration; the last scripted plan comes again. What it leaves out is made from the prompt. */
export function plannerReply({ plan }: Scenario, call: Call): Record<string, unknown> {
  const scripted = atIteration([plan].flat(), call.call.iteration)
  const listed = issuesOf(call)
  const issues = call.call.codes.map((code) => {
    const { title = code, file = '' } = listed.find(({ issue_code }) => issue_code === code) ?? {}
    const { context, ...own } = scripted?.issues[code] ?? {}
    return {
      issue_code: code,
      context: { snippets: [], related_files: file ? [file] : [], existing_patterns: [], ...context },
      approach: `Remove the cause of "${title}" where it is.`,
      steps: [`Read ${file || 'the file'} and who uses it.`, 'Change as little as removes the cause.'],
      verification: ['Read the place again.'],
      ...own,
    }
  })
  const steps = parseJson(findBlock(call, 'steps')) ?? [call.call.codes]
  return { issues, execution_steps: scripted?.execution_steps ?? steps }
}
