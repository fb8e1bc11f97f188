// Files that determine a setup's result: when one changes, the setup has to run again. Gap: an unknown kind of manifest triggers
// nothing; the fresh checkout before a commit is set up in any case.
import { matchesGlob } from 'node:path'
import { z } from 'zod'
import { anyKeyRecord } from '../text/any-key-record.ts'

const LOCKFILE = /lock|shrinkwrap|\.sum$/i
const MANIFEST =
  /^(package\.json|pnpm-workspace\.yaml|pyproject\.toml|setup\.(py|cfg)|requirements.*\.(txt|in)|Pipfile|Cargo\.toml|go\.(mod|work)|Gemfile|composer\.json|pom\.xml|build\.gradle(\.kts)?|mix\.exs)$/

/** The protected paths of the settings list the lockfiles, so that they are named only once. */
export function isSetupInput(path: string, protectedGlobs: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return MANIFEST.test(name) || (LOCKFILE.test(name) && protectedGlobs.some((glob) => matchesGlob(path, glob)))
}

/** The inputs and leftovers of a setup. */
export const SetupRecord = z.object({
  /** Path → hash, and the commands themselves. */
  inputs: anyKeyRecord(z.string()),
  /** Ignored paths in the tree after the setup: an agent that tidies up may remove them. */
  ignoredPaths: z.array(z.string()),
})
export type SetupRecord = z.infer<typeof SetupRecord>

/** A copy of what a setup made. */
export const SharedSetup = z.object({
  /** Identifies what the setup depends on. */
  key: z.string(),
  paths: z.array(z.string()),
  /** Shows any later change of the copy. */
  seal: z.string(),
})
