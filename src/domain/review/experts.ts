// The experts of a review: each has a lane, an agent file of its own, and is asked if what changed is in its lane.
import { z } from 'zod'
import { classifyFile } from '../issue/code-kind.ts'

export const ExpertName = z.enum(['language', 'spec', 'be-architecture', 'be-quality', 'fe-architecture', 'fe-quality'])
export type ExpertName = z.infer<typeof ExpertName>

/** The experts that the change concerns, in a fixed order. Without a specification nobody is asked about one. */
export function chooseExperts(
  changed: readonly string[],
  { asked, hasSpec }: { readonly asked?: readonly ExpertName[] | undefined; readonly hasSpec: boolean },
): ExpertName[] {
  if (asked !== undefined) return ExpertName.options.filter((name) => asked.includes(name))
  const kinds = new Set(changed.map(classifyFile))
  return ExpertName.options.filter((name) => {
    if (name === 'language') return true
    if (name === 'spec') return hasSpec
    return kinds.has(name.startsWith('be-') ? 'backend' : 'frontend')
  })
}
