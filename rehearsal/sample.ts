// The demo's repository: a little shop with seven real bugs in two languages, its findings, and how the scripted model fixes them.
// One fix is plausible and wrong at first: it passes the shop's tests, and the challenger catches it.

import { cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import { commitFolder } from './repository.ts'

export const SAMPLE_FINDINGS = join(import.meta.dirname, 'findings.json')
export const SAMPLE_SCENARIO = join(import.meta.dirname, 'demo-scenario.json')
/** What the sample's own tests are run with. */
export const SAMPLE_CHECKS = ['python3 -m unittest', 'node --test'] as const

/** Makes the sample repository in a folder that is empty or not there, and answers its path. */
export function makeSample(folder: string): string {
  cpSync(join(import.meta.dirname, 'sample'), folder, {
    recursive: true,
    filter: (path) => basename(path) !== '__pycache__',
  })
  commitFolder(folder, 'Open the shop')
  return folder
}
