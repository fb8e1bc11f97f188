// Runs git in a small helper process. A command starts ten times as fast from it as from a large process such as the worker.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHelperProcess } from '../processes/helper/helper-process.ts'
import type { GitRequest, GitResult } from './execute.ts'
import { setGitRunner } from './git.ts'

/** The returned function stops the helper and goes back to running git in this process. */
export function useGitHelperProcess(): () => void {
  const helper = createHelperProcess<GitRequest, GitResult>(helperScriptPath())
  const giveBack = setGitRunner(helper.ask)
  return () => {
    giveBack()
    helper.stop()
  }
}

function helperScriptPath(): string {
  const here = fileURLToPath(import.meta.url)
  return join(dirname(here), here.endsWith('.ts') ? 'helper-main.ts' : 'helper-main.js')
}
