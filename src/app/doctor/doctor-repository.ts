// Checks a repository: whether its settings file is trusted, and what the repository needs.
import {
  describeTrustProblem,
  formatTrustCommand,
  loadRepositorySettings,
  locateRepository,
  type RepositorySettingsSources,
} from '../../preflight/read-repository.ts'
import { listNeedProblems, listNeeds, listRepositoryNotes } from '../../preflight/repository-requirements.ts'

export async function checkRepository(repository: string, sources: RepositorySettingsSources): Promise<DoctorCheck[]> {
  const located = await locateRepository({ repository })
  if (located.kind === 'refused') return [{ state: 'missing', what: 'repository', found: located.problem }]
  const resolved = await loadRepositorySettings(located, sources)
  if (resolved.kind === 'refused') {
    return resolved.problems.map((found) => ({ state: 'missing', what: 'repository', found }))
  }
  const { reading, loaded, file } = resolved
  const { root } = reading
  const what = 'repository'
  const untrusted = describeTrustProblem(resolved)
  const unheard = file === undefined || file.ignored.length === 0 ? '' : `: ${file.ignored.join(', ')} does not count`
  const found =
    file === undefined ? root : `${root}, ${file.label}, ${file.trusted ? 'trusted' : `not trusted${unheard}`}`
  const advice = `look at it and trust it: ${formatTrustCommand(root)}`
  const open = listNeedProblems(reading, loaded.settings, [], located.repository.identity)
  const met = listNeeds(reading.facts).map(({ kind }) => kind)
  const notes = [
    ...listRepositoryNotes(reading, loaded.settings),
    ...(open.length === 0 && met.length > 0 ? [`goes on without ${met.join(', ')}, as you agreed`] : []),
  ]
  return [
    untrusted === undefined ? { state: 'ok', what, found } : { state: 'missing', what, found, advice },
    ...open.map((found) => ({ state: 'missing', what, found }) as const),
    ...notes.map((found) => ({ state: 'note', what, found }) as const),
  ]
}

export interface DoctorCheck {
  readonly state: 'ok' | 'missing' | 'note'
  readonly what: string
  /** The version, path or amount that was found. */
  readonly found: string
  /** How to get what is missing. */
  readonly advice?: string | undefined
}
