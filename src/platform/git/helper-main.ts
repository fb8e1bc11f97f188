// Entry point of the helper process that use-helper-process.ts starts.
import { serveRequests } from '../processes/helper/helper-process.ts'
import { runGitInProcess } from './execute.ts'
import { runWithLastingGit } from './lasting-git.ts'

serveRequests(runWithLastingGit(runGitInProcess))
