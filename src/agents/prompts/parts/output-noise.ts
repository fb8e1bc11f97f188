// What in a line of output is never the same twice and says nothing: addresses, temporary names, the times that logs and test runners add of
// their own. A time counts as such only in a place where they put theirs; anywhere else it may be what a test is about (a date, a time zone, how
// long something took), and taken for noise it would be kept from whoever has to mend it. Where in doubt it stays: two outputs then differ
// in nothing but times, which costs no more than telling both. The gap: a program that prints its own times in such a place.

type Noise = readonly (readonly [RegExp, string])[]

const LENGTH = String.raw`\d[\d.,]* ?(?:ns|µs|us|ms|s|secs?|seconds?|min|minutes?)\b`
const STAMP = String.raw`(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`
const ignoreCase = (source: string) => new RegExp(source, 'gi')

/** Pointers have 9 to 12 digits; with 8 or 16 it may be a checksum. */
const TEMPORARY_NAMES: Noise = [
  [/\b0x[0-9a-f]{9,12}\b/gi, '<address>'],
  [/\/tmp\/[\w.-]+/g, '/tmp/<name>'],
  [/\bpid[ =:]+\d+/gi, 'pid <number>'],
  [/\b\d{4}-\d\d-\d\dT\d\d_\d\d_\d\d_\d+Z-debug/g, '<time>-debug'],
]

const TIMES: Noise = [
  // At the beginning of a line, with a level before it and words behind it: a log's.
  [
    ignoreCase(
      String.raw`^((?:\[?(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical)\]?:? )?[[(]?)${STAMP}(?=\W*[a-z_])`,
    ),
    '$1<time>',
  ],
  [ignoreCase(String.raw`^((?:\[INFO\])? *(?:started|start|finished) at:? +)${STAMP}\s*$`), '$1<time>'],
  [ignoreCase(String.raw`([([])${LENGTH}([)\]])`), '$1<time>$2'],
  [ignoreCase(String.raw`\t\d+\.\d{3}s\b`), '\t<time>'],
  [/\bduration_ms:? \d[\d.]*/gi, 'duration_ms <time>'],
  [
    ignoreCase(
      String.raw`\b(tests?|passed|failed|errors?|skipped|warnings?|deselected|xfailed|xpassed|ran|finished|successful|built|compiled|done|target\(s\)|checked \d+ files?) in ${LENGTH}`,
    ),
    '$1 in <time>',
  ],
  [/ in <time> \(\d+:\d\d:\d\d\)/g, ' in <time>'],
  [ignoreCase(String.raw`\b(time elapsed:|files took|estimated) ${LENGTH}`), '$1 <time>'],
  [
    ignoreCase(String.raw`(^|^\[INFO\] |, )( *(?:total |test )*(?:time|duration):? +)(?:${LENGTH}|[\d:.]+(?: min)?)`),
    '$1$2<time>',
  ],
  [
    ignoreCase(String.raw`\b(transform|setup|collect|import|tests|environment|prepare|typecheck) ${LENGTH}`),
    '$1 <time>',
  ],
  [/\bmemory: \d[\d.]* ?[kmg]i?b\b/gi, 'memory: <size>'],
]

/** A line with which a runner tells of a test or a file: how long it took stands at its end, whatever the test is called. */
const RESULT = /^\s*(?:[✓✔√×✗✖✘❯]|---|(?:not )?ok\b|pass\b|fail\b)/i
const AT_THE_END = ignoreCase(String.raw`( [([]?)${LENGTH}([)\]]?)\s*$`)

const COMPARISON =
  /\b(?:expect(?:ed|s)?|receive[ds]?|actual(?:ly)?|got|wants?|wanted|left|right|assert(?:ion)?|but was|limit|exceed(?:s|ed)?|at (?:most|least))\b|(?:error|exception):|\S (?:[!=]==?|[<>]=|≠) \S/i

/** The same for two texts that differ in nothing but noise. */
export function stripNoise(text: string): string {
  return text.split('\n').map(stripLineNoise).join('\n')
}

function stripLineNoise(line: string): string {
  const named = replaceNoise(TEMPORARY_NAMES, line)
  const plain = RESULT.test(named) ? named.replace(AT_THE_END, '$1<time>$2') : named
  return COMPARISON.test(plain) ? plain : replaceNoise(TIMES, plain)
}

function replaceNoise(noise: Noise, line: string): string {
  return noise.reduce((plain, [each, instead]) => plain.replace(each, instead), line)
}
