// Only src/domain/session/step-id.ts knows how the id of a step is spelled.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const CODEC = /^src\/domain\/session\/step-(id|patterns)\.ts$/
const NAMES =
  'fix|verify|challenge|prove|commit|merge|select|settle|extra|rest|repair|fresh|message|asked|resumed|scope|apply|agreed'

/** Each finds how an id would be put together, taken apart or recognised by its spelling. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  'a text method on a step id':
    /[sS]tep_?[iI]d\??\.(split|slice|substring|startsWith|endsWith|includes|indexOf|lastIndexOf|replace|replaceAll|match|at)\(/,
  'something put behind a step id': /\$\{[^{}]*[sS]tep_?[iI]d\}\./,
  'the name of a step behind something': new RegExp(`\\$\\{[^{}]+\\}\\.(${NAMES})(?![a-z])`),
  'the id of a step': /['"`](s\d+|clarify|plan)\.[a-z]+\d*(\.|['"`])/,
  'a pattern on step ids': new RegExp(`\\\\\\.\\(?(${NAMES})`),
  'the beginning of a part': new RegExp(`['"\`]\\.(${NAMES}|w|wait|setup|again|without|there)(\\$\\{|['"\`])`),
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*/g, '$1')
}

function findPatterns(text: string): string[] {
  const code = withoutComments(text)
  return Object.entries(PATTERNS).flatMap(([what, pattern]) => {
    const found = pattern.exec(code)?.[0]
    return found === undefined ? [] : [`${what}: ${found}`]
  })
}

test('no file but the codec spells a step id', () => {
  const found = globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !CODEC.test(file))
    .flatMap((file) => findPatterns(readFileSync(join(ROOT, file), 'utf8')).map((what) => `${file} has ${what}`))
  assert.deepEqual(found, [])
})

test('each way to spell a step id is found', () => {
  const samples = [
    'const kind = stepId.includes("commit")',
    `const name = \`\${input.stepId}.1\``,
    `return \`\${name}.select\${turn}\``,
    "const request = 'clarify.r1'",
    String.raw`const isFix = /\.fix(\.|$)/.test(name)`,
    String.raw`const isRound = /\.(i\d+|extra)\.verify$/.test(name)`,
    "const name = key + '.repair'",
  ]
  for (const sample of samples) assert.notDeepEqual(findPatterns(sample), [], sample)
})
