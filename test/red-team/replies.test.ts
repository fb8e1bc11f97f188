import { REPLIES } from './cases/replies.ts'
import { runCases } from './harness.ts'

runCases('model reply', REPLIES)
