// Real fixes of public projects: where each stands in the difference of two versions, and the tests that came with it.
// The code itself is fetched when it is needed, and never committed here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** A change: its file, and its id in rehearsal/real-fixes/edits.ts. */
const Reference = z.string().regex(/^\S+ \S+$/)

const RealFix = z.strictObject({
  title: z.string(),
  source: z.array(Reference).min(1),
  tests: z.array(Reference).min(1),
})
export type RealFix = z.infer<typeof RealFix>

const Project = z.strictObject({
  name: z.string(),
  registry: z.enum(['go', 'pypi', 'npm', 'cargo']),
  package: z.string(),
  /** The older one, and the one that fixes it. */
  versions: z.tuple([z.string(), z.string()]),
  /** What its tests import. */
  needs: z.array(z.string()).optional(),
  /** The folder of its tests, for pytest. */
  tests: z.string().optional(),
  /** false: `go vet` of today refuses the older version's tests. */
  vet: z.literal(false).optional(),
  fixes: z.array(RealFix),
})
export type Project = z.infer<typeof Project>

export function readProjects(): Project[] {
  return z.array(Project).parse(JSON.parse(readFileSync(join(import.meta.dirname, 'projects.json'), 'utf8')))
}
