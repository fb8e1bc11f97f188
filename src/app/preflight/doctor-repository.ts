// The part of the doctor that looks at a repository: whether its settings file is trusted, and what it needs.
import { locate } from './locate-repository.ts'
import { needNotes, needProblems, needsOf } from './repository-requirements.ts'
import { readRepository, type Sources, settingsFor, trustCommand, trustProblem } from './repository-settings.ts'

export async function examineRepository(repository: string, sources: Sources): Promise<Check[]> {
  const located = await locate({ repository })
  if (located.kind === 'refused') return [{ state: 'missing', what: 'repository', found: located.problem }]
  const reading = await readRepository(located, {}, sources.home)
  const { root } = reading
  const said = settingsFor(reading, sources)
  if (said.kind === 'refused') {
    return said.problems.map((found) => ({ state: 'missing', what: 'repository', found }))
  }
  const { loaded, file } = said
  const what = 'repository'
  const untrusted = trustProblem(reading, said)
  const unheard = file === undefined || file.unheard.length === 0 ? '' : `: ${file.unheard.join(', ')} does not count`
  const found =
    file === undefined ? root : `${root}, ${file.where}, ${file.trusted ? 'trusted' : `not trusted${unheard}`}`
  const advice = `look at it and trust it: ${trustCommand(root)}`
  const open = needProblems(reading, loaded.settings, [], located.repository.identity)
  const met = needsOf(reading.facts).map(({ kind }) => kind)
  const notes = [
    ...needNotes(reading, loaded.settings),
    ...(open.length === 0 && met.length > 0 ? [`goes on without ${met.join(', ')}, as you agreed`] : []),
  ]
  return [
    untrusted === undefined ? { state: 'ok', what, found } : { state: 'missing', what, found, advice },
    ...open.map((found) => ({ state: 'missing', what, found }) as const),
    ...notes.map((found) => ({ state: 'note', what, found }) as const),
  ]
}

export interface Check {
  readonly state: 'ok' | 'missing' | 'note'
  readonly what: string
  /** Version, path, amount: what was found. */
  readonly found: string
  /** How to get what is missing. */
  readonly advice?: string | undefined
}
