// What the checks of a review and of votes have in common: a repository as people name it, and a session that only has to be begun.
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import type { Store } from '../../store/store.ts'
import type { PreparedSession, StartCheck } from '../check-start.ts'
import { findNamedRepository } from '../name-repository.ts'
import { type LocatedRepository, locateRepository, type RepositoryReference } from '../read-repository.ts'

export async function locateNamed(
  store: Pick<Store, 'repositories'>,
  { repository, base }: RepositoryReference,
): Promise<LocatedRepository | Refusal> {
  const named = await findNamedRepository(store, repository)
  if (named.kind === 'ambiguous') return refuse(named.problem)
  const folder = named.kind === 'registered' ? named.repository.path : named.folder
  const located = await locateRepository({ repository: folder, base })
  return located.kind === 'refused' ? refuse(located.problem) : located
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
