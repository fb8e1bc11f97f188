// Answers every open question of a session by a rule of yours, and waits for the end: node answer-from-a-script.ts SESSION
import { type OpenQuestion, openFixwright } from 'fixwright'

/** Yours may look into a file, ask a colleague, or another program. */
function rule({ question }: OpenQuestion): string {
  return /interface|signature/i.test(question) ? 'No, callers depend on it.' : 'Whatever is the smallest change.'
}

const [session = ''] = process.argv.slice(2)
const fixwright = await openFixwright({ by: 'the answering rule' })
try {
  let state = await fixwright.wait(session, { forPeople: true })
  while (state.questions.length > 0) {
    const answers = Object.fromEntries(state.questions.map((question) => [question.id, rule(question)]))
    const told = await fixwright.answer(session, { answers })
    console.log(
      told.kind === 'refused' ? `refused: ${told.reason}` : `${told.kind}: ${Object.keys(answers).join(', ')}`,
    )
    // There may be another round of questions.
    state = await fixwright.wait(session, { forPeople: true })
  }
  console.log(`${state.status}: ${state.counts.fixed} of ${state.counts.requested} fixed`)
} finally {
  fixwright.close()
}
