// Which files of a tree decide what a setup makes: where one of them changes, it has to run again.
// Gap: a manifest of a kind that is not known here changes nothing; the fresh checkout before a commit is set up in any case.
import { matchesGlob } from 'node:path'
import { z } from 'zod'
import { anyKeyRecord } from '../text/any-key-record.ts'

const LOCKFILE = /lock|shrinkwrap|\.sum$/i
const MANIFEST =
  /^(package\.json|pnpm-workspace\.yaml|pyproject\.toml|setup\.(py|cfg)|requirements.*\.(txt|in)|Pipfile|Cargo\.toml|go\.(mod|work)|Gemfile|composer\.json|pom\.xml|build\.gradle(\.kts)?|mix\.exs)$/

/** Which lockfiles there are is said once, among the protected paths of the settings. */
export function isSetupInput(path: string, protectedGlobs: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return MANIFEST.test(name) || (LOCKFILE.test(name) && protectedGlobs.some((glob) => matchesGlob(path, glob)))
}

/** What a setup was run for. */
export const SetupRecord = z.object({
  /** Path → hash, and the commands themselves. */
  inputs: anyKeyRecord(z.string()),
  /** What was ignored in the tree then: an agent that tidies up takes it away. */
  ignoredPaths: z.array(z.string()),
})
export type SetupRecord = z.infer<typeof SetupRecord>
