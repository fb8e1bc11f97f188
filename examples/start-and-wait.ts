// Starts fixing findings and waits for what becomes of it: node start-and-wait.ts findings.json ../my-app
import { openFixwright } from 'fixwright'

const [findings = 'findings.json', repository = '.'] = process.argv.slice(2)
const fixwright = await openFixwright({ onProgress: (text) => console.error(text) })
try {
  const start = await fixwright.start({ findings, repository, settings: { 'people.clarify': true } })
  switch (start.kind) {
    case 'refused':
      console.error(start.problems.join('\n'))
      process.exitCode = 2
      break
    case 'done':
      console.log(`nothing left to do: ${start.result.issues_fixed} fixed`)
      break
    default: {
      // A session that asks something can wait for a week; this script need not.
      const state = await fixwright.wait(start.session, { forPeople: true })
      if (state.waiting) console.log(`${state.session_id} waits for ${state.waiting.reason}: ${state.waiting.answer}`)
      else console.log(`${state.session_id} ${state.status}: ${state.counts.fixed} of ${state.counts.requested} fixed`)
    }
  }
} finally {
  fixwright.close()
}
