import { FINDINGS } from './cases/findings.ts'
import { runCases } from './harness.ts'

runCases('finding', FINDINGS)
