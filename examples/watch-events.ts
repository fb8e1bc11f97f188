// Follows a session's events to the end, from whatever process works on it: node watch-events.ts SESSION
import { openFixwright } from 'fixwright'

const [session = ''] = process.argv.slice(2)
const fixwright = await openFixwright()
try {
  for await (const { seq, type, issue_code, message } of fixwright.watch(session)) {
    console.log([seq, type, issue_code, message].filter((part) => part !== undefined).join('  '))
  }
  const result = await fixwright.result(session)
  console.log(JSON.stringify(result?.commits ?? [], null, 2))
} finally {
  fixwright.close()
}
