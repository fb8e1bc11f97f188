// The verbs that subjects of commits begin with, in the forms that logs use. A word that is not listed is taken for no verb.

export type Mood = 'imperative' | 'present' | 'past'

/** `imperative`: fix; `present`: fixes; `past`: fixed; `gerund`: fixing. */
type VerbForm = Mood | 'gerund'

export interface FoundVerb {
  readonly base: string
  /** Forms that look alike, as those of `set`, count as the imperative. */
  readonly form: VerbForm
}

const REGULAR =
  'abort accept add adjust agree align allow annotate append apply assert assign avoid back bail bound bump cache call cancel cast ' +
  'change check clamp clarify clean clear clone close coerce collapse collect combine compare complete compute configure consider ' +
  'convert copy correct count cover create decode decline default defer define delay delete derive deprecate detect disable discard ' +
  'document downgrade encode enable end enforce ensure escape exclude expand expect explain export expose extend extract fail fall ' +
  'fetch fill filter finish fix flatten flush follow force format forward free gate generate group guard handle harden hash honor honour ' +
  'ignore implement import improve include increase increment index infer initialise initialize inline insert install introduce ' +
  'invalidate invert join limit link list load lock log loop lower mark mask match measure merge migrate mirror ' +
  'modify move name narrow normalise normalize note open optimise optimize order override parametrise parametrize parse pass patch ' +
  'perform persist pick point populate prepare preserve prevent print process propagate protect prove provide prune pull push ' +
  'quote raise reach recognise recognize record recover redirect reduce refactor refer refine refresh refuse register reject ' +
  'relax release reload remove rename render reorder replace report require reserve resolve respect restore restrict retain ' +
  'retry return reuse revert rework round sanitise sanitize save scale search select serialise serialize shorten simplify sort ' +
  'specify start store stream strengthen support suppress switch synchronise synchronize terminate test throttle tidy ' +
  'tighten toggle track translate treat trust tune turn type unify update upgrade use validate verify wait walk warn widen work'

/** Verbs that double their last letter. */
const DOUBLING = 'cap chop drop map plan pin prefer skip slip stop strip swap tag trap trim unwrap wrap zip'

const IRREGULAR: readonly (readonly [base: string, present: string, past: string, gerund: string])[] = [
  ['build', 'builds', 'built', 'building'],
  ['catch', 'catches', 'caught', 'catching'],
  ['choose', 'chooses', 'chose', 'choosing'],
  ['do', 'does', 'did', 'doing'],
  ['find', 'finds', 'found', 'finding'],
  ['get', 'gets', 'got', 'getting'],
  ['give', 'gives', 'gave', 'giving'],
  ['go', 'goes', 'went', 'going'],
  ['hold', 'holds', 'held', 'holding'],
  ['keep', 'keeps', 'kept', 'keeping'],
  ['leave', 'leaves', 'left', 'leaving'],
  ['let', 'lets', 'let', 'letting'],
  ['make', 'makes', 'made', 'making'],
  ['put', 'puts', 'put', 'putting'],
  ['read', 'reads', 'read', 'reading'],
  ['rebuild', 'rebuilds', 'rebuilt', 'rebuilding'],
  ['reset', 'resets', 'reset', 'resetting'],
  ['rewrite', 'rewrites', 'rewrote', 'rewriting'],
  ['run', 'runs', 'ran', 'running'],
  ['send', 'sends', 'sent', 'sending'],
  ['set', 'sets', 'set', 'setting'],
  ['show', 'shows', 'showed', 'showing'],
  ['split', 'splits', 'split', 'splitting'],
  ['take', 'takes', 'took', 'taking'],
  ['tell', 'tells', 'told', 'telling'],
  ['throw', 'throws', 'threw', 'throwing'],
  ['write', 'writes', 'wrote', 'writing'],
]

const VERBS = new Map<string, Readonly<Record<VerbForm, string>>>()
for (const base of REGULAR.split(' ')) VERBS.set(base, inflect(base, base))
for (const base of DOUBLING.split(' ')) VERBS.set(base, inflect(base, base + base.at(-1)))
for (const [base, present, past, gerund] of IRREGULAR) VERBS.set(base, { imperative: base, present, past, gerund })

const BY_FORM = new Map<string, FoundVerb>()
for (const form of ['gerund', 'past', 'present', 'imperative'] as const) {
  for (const [base, forms] of VERBS) BY_FORM.set(forms[form], { base, form })
}

function inflect(base: string, doubled: string): Readonly<Record<VerbForm, string>> {
  const ending = /[^aeiou]y$/.test(base) ? 'ies' : /(s|x|z|ch|sh|o)$/.test(base) ? 'es' : 's'
  const stem = ending === 'ies' ? base.slice(0, -1) : base
  const past = base.endsWith('e') ? `${base}d` : ending === 'ies' ? `${stem}ied` : `${doubled}ed`
  const gerund = /[^eoy]e$/.test(base) ? `${base.slice(0, -1)}ing` : `${doubled}ing`
  return { imperative: base, present: `${stem}${ending}`, past, gerund }
}

/** The verb that this word is a form of, in any letter case. */
export function findVerb(word: string): FoundVerb | undefined {
  return BY_FORM.get(word.toLowerCase())
}

export function formOfVerb(base: string, mood: Mood): string {
  return VERBS.get(base)?.[mood] ?? base
}
