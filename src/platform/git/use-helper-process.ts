// Git for a process that is large, as the worker is: every command is run by a small helper, from which it starts ten times as fast.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startHelperProcess } from '../processes/helper-process.ts'
import type { GitRequest, GitResult } from './execute.ts'
import { setGitRunner } from './git.ts'

/** From now on, until what it answers with is called. */
export function useGitHelperProcess(): () => void {
  const helper = startHelperProcess<GitRequest, GitResult>(helperScriptPath())
  const giveBack = setGitRunner(helper.ask)
  return () => {
    giveBack()
    helper.stop()
  }
}

/** Beside this file, compiled or not. */
function helperScriptPath(): string {
  const here = fileURLToPath(import.meta.url)
  return join(dirname(here), here.endsWith('.ts') ? 'helper-main.ts' : 'helper-main.js')
}
