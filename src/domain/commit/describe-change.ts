// One phrase for what was done about an issue: from the fixer's own summary, else by a rule from the finding's title.

import { findVerb, formOfVerb, type Mood } from './verb-forms.ts'

export interface ChangedIssue {
  readonly issue_code: string
  readonly title: string
  /** The fixer's words on what it changed. */
  readonly summary: string
}

/** The first sentence of the summary; undefined if it says nothing, speaks of a code, or only repeats the finding. */
export function describeFromSummary(
  { title, summary }: ChangedIssue,
  { codes, mood }: { readonly codes: readonly string[]; readonly mood: Mood },
): string | undefined {
  const phrase = dropDetour(dropFillers(firstSentence(dropCodes(summary.slice(0, LONGEST_SENTENCE), codes))))
  const words = listWords(phrase)
  if (words.length < 2 || EMPTY_WORDS.test(phrase) || codes.some((code) => namesCode(phrase, code))) return undefined
  return repeatsTitle(words, listWords(title), phrase) ? undefined : inMood(phrase, mood)
}

function namesCode(phrase: string, code: string): boolean {
  return new RegExp(`(?<![\\w.-])${code.replaceAll('.', '\\.')}(?![\\w-])`).test(phrase)
}

/** `Fix missing null check`: undefined if nothing is left of the title. */
export function describeFromTitle(
  { title }: Pick<ChangedIssue, 'title'>,
  { codes, mood }: { readonly codes: readonly string[]; readonly mood: Mood },
): string | undefined {
  const phrase = dropFillers(firstSentence(dropCodes(title, codes)))
  if (!/[\p{L}\p{N}]/u.test(phrase)) return undefined
  return INSTRUCTION.test(phrase) ? inMood(phrase, mood) : `${formOfVerb('fix', mood)} ${lowerFirst(phrase)}`
}

/** A sentence beyond this is no subject, however it is cut. */
const LONGEST_SENTENCE = 400

const EMPTY_WORDS =
  /^(?:modif|updat|chang|edit|adjust)\w* (?:the )?(?:file |code |function |method |logic )?[\w./`()]*$|^(?:fix(?:ed|es)?|done|resolved?|changed?|updated?|addressed|corrected|implemented)(?: (?:it|this|that|(?:the|this) (?:issue|bug|problem|finding|code|file)s?|as (?:asked|suggested|requested|described)))*$/i

/** "Close the file" says more than "File is never closed"; "File never closed" does not. */
function repeatsTitle(words: readonly string[], title: readonly string[], phrase: string): boolean {
  const own = words.filter((word) => !FIXING.has(word))
  const startsWithVerb = findVerb(phrase.split(' ', 1)[0] ?? '') !== undefined && own.length === words.length
  return own.every((word) => title.includes(word)) && (!startsWithVerb || title.every((word) => own.includes(word)))
}

/** Verbs that add nothing to a title. */
const FIXING = new Set(['fix', 'resolve', 'address', 'correct'])

/** Titles that say what to do. Verbs that are nouns as well are left out. */
const INSTRUCTION =
  /^(?:add|allow|avoid|disallow|ensure|escape|handle|prevent|quote|reject|remove|replace|require|sanitise|sanitize|use|validate|verify) /i

function dropCodes(text: string, codes: readonly string[]): string {
  return codes.reduce((left, code) => {
    const name = code.replace(/[.\\]/g, '\\$&')
    return left
      .replace(new RegExp(`\\s*[([]${name}[)\\]]`, 'g'), '')
      .replace(new RegExp(`^\\W*${name}\\s*(?:[:–—-]\\s*|(?=\\p{Lu}))`, 'u'), '')
      .replace(new RegExp(`\\s+(?:for|of|in|from|see|per) ${name}(?=[\\s.,;]|$)`, 'gi'), '')
  }, text)
}

/** A dash before a number is a minus. */
const SENTENCE_END = /(?<=[^\s.])(?<!\b(?:e\.g|i\.e|vs|etc|cf|approx))(?:[.!?](?=\s|$)|;\s|\s[–—]\s|\s--?\s(?!\d))/g

function firstSentence(text: string): string {
  const line = text
    .split('\n')
    .map((each) => each.replace(/^\s*(?:[-*•#>]+|\d+[.)])\s+/, '').replaceAll('**', ''))
    .find((each) => each.trim() !== '')
  const ends = [...`${line ?? ''} `.matchAll(SENTENCE_END)].map(({ index }) => line?.slice(0, index) ?? '')
  return (ends.find((text) => text.trim() !== '' && isBalanced(text)) ?? line ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\s.,;:!–—-]+$/, '')
}

const FILLERS =
  /^(?:(?:this|the) (?:change|fix|commit|patch|edit|update) (?=\p{Ll})|this (?=\p{Ll}+s\b)|(?:i|we)(?:'ve| have)? (?:now |also |then )?|(?:now|also|then|simply|just|properly|correctly|instead|here),? |(?:fix|bugfix|feat|refactor|chore|test|docs)(?:\([^)]*\))?!?: )/iu

function dropFillers(text: string): string {
  let left = text
  for (let next = left.replace(FILLERS, ''); next !== left; next = left.replace(FILLERS, '')) left = next
  return left
}

/** The commit shows its tests. "Updated the code to handle None" says "handle None"; "… to fix the issue" says nothing. */
function dropDetour(text: string): string {
  const alone = text.replace(
    /,? (?:and|plus) add(?:s|ed|ing)? (?:an? |new |some )*(?:regression |unit )*tests?\b.*$/i,
    '',
  )
  const short = alone.replace(/ (?:to|and) (?:fix|address|resolve)\w* (?:the|this) (?:issue|bug|problem|finding)$/i, '')
  const aim =
    /^(?:modif|updat|chang|edit|adjust)\w* (?:the )?(?:code|logic|function|method|file|implementation)(?: [\w./`()]+)? to (?:\w+ly )?(\w+)( .*)$/i
  const [, verb = '', rest = ''] = aim.exec(short) ?? []
  return findVerb(verb)?.form === 'imperative' ? `${upperFirst(verb)}${rest}` : short
}

/** The words in small letters, verbs in their base form, without articles and the like. */
function listWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.filter((word) => !/^(?:a|an|the|of|in|on|at|is|are|was|be|to|for|and|or|it|its)$/.test(word)).map(stem)
}

function stem(word: string): string {
  return findVerb(word)?.base ?? word.replace(/(?<=\w{3})s$/, '')
}

/** After these words, the word before was no verb: "Index is wrong". */
const NO_VERB_BEFORE = /^(?:is|are|was|were|has|had|does|can|may|must|should|will|now|no|not|never|of)$/i

/** Puts the verb at the beginning, and those that are joined to it, into the mood. */
function inMood(phrase: string, mood: Mood): string {
  const [first = '', second = ''] = phrase.split(' ', 2)
  const verb = findVerb(first)
  if (!verb || verb.form === mood || NO_VERB_BEFORE.test(second)) return phrase
  const rest = phrase.slice(first.length)
  const joined = rest.replace(
    /(\S+?)(,? and|,? then|,? or|,)( (?:also |then |now )?)([a-z]+)(?= )/g,
    (whole, before: string, word: string, more: string, next: string) => {
      const other = findVerb(next)
      const isJoined = other?.form === verb.form && verb.form !== 'imperative' && findVerb(before)?.form !== 'past'
      return isJoined ? `${before}${word}${more}${formOfVerb(other.base, mood)}` : whole
    },
  )
  return `${matchCase(formOfVerb(verb.base, mood), first)}${joined}`
}

function matchCase(word: string, like: string): string {
  return like[0] === like[0]?.toUpperCase() ? upperFirst(word) : word
}

/** Names keep their capitals: only a plain word begins small. */
export function lowerFirst(text: string): string {
  return /^\p{Lu}\p{Ll}*(?![\p{L}\p{N}_.(:-])/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** A name in small letters keeps them: only a plain word begins with a capital. */
export function upperFirst(text: string): string {
  return /^\p{Ll}+(?:[\s,]|$)/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

/** Whether every quote and bracket that is opened is closed again. */
export function isBalanced(text: string): boolean {
  const count = (letter: string): number => text.split(letter).length - 1
  return (
    count('`') % 2 === 0 &&
    count('"') % 2 === 0 &&
    count('(') === count(')') &&
    count('[') === count(']') &&
    count('{') === count('}')
  )
}
