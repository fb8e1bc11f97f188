import { OUTPUTS } from './cases/outputs.ts'
import { runCases } from './harness.ts'

runCases('command output', OUTPUTS)
