import { REPOSITORIES } from './cases/repositories.ts'
import { runCases } from './harness.ts'

runCases('repository', REPOSITORIES)
