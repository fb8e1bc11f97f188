// What the checks of a review and of votes have in common: a repository as people name it, and a session that only has to be begun.
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import type { PreparedSession, StartCheck } from '../check-start.ts'
import { type LocatedRepository, locateRepository, type RepositoryReference } from '../read-repository.ts'
import { type OpeningPorts, openNamedRepository } from '../remotes/open-repository.ts'

/** The notes are about what was brought up to date. */
export async function locateNamed(
  ports: OpeningPorts,
  { repository, base }: RepositoryReference,
): Promise<(LocatedRepository & { readonly notes: readonly string[] }) | Refusal> {
  const opened = await openNamedRepository(repository, ports)
  if (opened.kind === 'refused') return opened
  const located = await locateRepository({ repository: opened.folder, base })
  return located.kind === 'refused' ? refuse(located.problem) : { ...located, notes: opened.notes }
}

/** Nothing is to be fixed yet, so there are no findings, and nothing stands in the way of a branch. */
export function toReadyCheck(prepared: Pick<PreparedSession, 'session' | 'settings' | 'notes'>): StartCheck {
  return {
    kind: 'ready',
    prepared: { kind: 'ready', findings: [], obstacle: undefined, notice: undefined, ...prepared },
    atWork: undefined,
  }
}

function refuse(problem: string): Refusal {
  return { kind: 'refused', code: 'repository_unusable', problems: [problem] }
}
