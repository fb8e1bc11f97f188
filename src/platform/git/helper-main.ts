// The helper process that runs git for a large one.
import { serveRequests } from '../processes/helper-process.ts'
import { runGitInProcess } from './execute.ts'

serveRequests(runGitInProcess)
