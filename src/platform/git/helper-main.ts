// Entry point of the helper process that use-helper-process.ts starts.
import { serveRequests } from '../processes/helper-process.ts'
import { runGitInProcess } from './execute.ts'

serveRequests(runGitInProcess)
