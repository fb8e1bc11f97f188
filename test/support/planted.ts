// A change with planted issues, in twelve pairs of a file before and after: repeated lines, CRLF, a rename, deleted lines, a binary file, five
// thousand lines, quotes that stand twice, and duplicates. Each issue says where it is to be found again.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'

type Reported = Record<string, unknown> & { readonly id: string; readonly issue: string }

interface Planted {
  readonly before?: string | Buffer
  readonly after?: string | Buffer
  readonly found: readonly Reported[]
}

const EXPERTS = ['language', 'be-quality'] as const
/** What reviewers do to a place: the right line, the wrong one, none. */
const LINES = 20

function plain(file: string, count: number, more: readonly Reported[] = []): readonly [string, Planted] {
  const text = (word: string) => Array.from({ length: LINES }, (_, at) => `${word}_${at} = ${at}\n`).join('')
  const found = Array.from({ length: count }, (_, at) => ({
    ...{ id: `${file}-${at}`, file, line: `${at * 2 + 1}`, quote: `new_${at * 2} = ${at * 2}` },
    issue: `planted ${file} ${at}`,
  }))
  return [file, { before: text('old'), after: text('new'), found: [...found, ...more] }]
}

const at = (file: string, name: string, place: object): Reported => ({
  ...{ id: `${file}-${name}`, file, issue: `planted ${file} ${name}` },
  ...place,
})

const HUGE = Array.from({ length: 5_000 }, (_, line) => `row_${line} = ${line}\n`)

/** By file, as it is after the change unless it is gone by then. */
export const PAIRS: Readonly<Record<string, Planted>> = Object.fromEntries([
  plain('src/a.py', 5),
  plain('src/b.py', 5),
  plain('src/c.ts', 5),
  plain('src/d.py', 4),
  plain('src/e.py', 4),
  [
    'src/repeated.py',
    {
      before: '',
      after: 'close()\n'.repeat(6),
      found: [
        at('src/repeated.py', 'by its number', { line: '4', quote: 'close()' }),
        at('src/repeated.py', 'without a number', { line: null, quote: 'close()' }),
        at('src/repeated.py', 'beyond the end', { line: '99', quote: 'close()' }),
      ],
    },
  ],
  [
    'src/windows.py',
    {
      before: 'NAME = "a"\r\nSIZE = 1\r\n',
      after: 'NAME = "b"\r\nSIZE = 2\r\n',
      found: [
        at('src/windows.py', 'one line', { line: '1', quote: 'NAME = "b"' }),
        at('src/windows.py', 'two lines', { line: '1-2', quote: 'NAME = "b"\nSIZE = 2' }),
        at('src/windows.py', 'at the wrong line', { line: '1', quote: 'SIZE = 2' }),
      ],
    },
  ],
  [
    'src/renamed.py',
    {
      after: 'RATE = 6\n\n\ndef tax(price):\n    return price * RATE / 100\n',
      found: [
        at('src/renamed.py', 'by its new name', { line: '1', quote: 'RATE = 6' }),
        at('src/renamed.py', 'by its old name', {
          file: 'src/old_name.py',
          line: '5',
          quote: 'return price * RATE / 100',
        }),
        at('src/renamed.py', 'as it was', { file: 'src/old_name.py', side: 'old', line: '1', quote: 'RATE = 5' }),
      ],
    },
  ],
  [
    'src/gone.py',
    {
      before: 'LEGACY = True\nUSED = 1\n',
      found: [
        at('src/gone.py', 'on the old side', { side: 'old', line: '1', quote: 'LEGACY = True' }),
        at('src/gone.py', 'on the wrong side', { line: '2', quote: 'USED = 1' }),
      ],
    },
  ],
  [
    'src/less.py',
    {
      before: 'first = 1\nguard()\nlast = 1\n',
      after: 'first = 1\nlast = 1\n',
      found: [
        at('src/less.py', 'a deleted line', { side: 'old', line: '2', quote: 'guard()' }),
        at('src/less.py', 'what stands there now', { line: '2', quote: 'last = 1' }),
      ],
    },
  ],
  [
    'assets/logo.bin',
    {
      before: Buffer.from('PNG\0\0one'),
      after: Buffer.from('PNG\0\0two'),
      found: [
        at('assets/logo.bin', 'a binary file', { line: '1', quote: 'PNG' }),
        at('assets/logo.bin', 'outside', { file: '../../etc/passwd', line: '1', quote: 'root' }),
      ],
    },
  ],
  [
    'src/huge.py',
    {
      before: '',
      after: HUGE.join(''),
      found: [
        at('src/huge.py', 'at its end', { line: '5000', quote: 'row_4999 = 4999' }),
        at('src/huge.py', 'off by three', { line: '2503', quote: 'row_2499 = 2499' }),
        at('src/huge.py', 'a file that is not there', { file: 'src/nowhere.py', line: '1', quote: 'row_1 = 1' }),
        at('src/huge.py', 'quoting nothing', { line: '7', quote: '' }),
        at('src/huge.py', 'in two quotes', { line: '10-11', quote: 'row_9 = 9\nrow_10 = 10' }),
        at('src/huge.py', 'a range', { line: '20-40', quote: 'row_30 = 30' }),
      ],
    },
  ],
] as [string, Planted][])

export const PLANTED: readonly Reported[] = Object.values(PAIRS).flatMap(({ found }) => found)

/** Says what another expert says, at the same place and in the same words. */
export const DUPLICATES: readonly Reported[] = PLANTED.filter((_, index) => index % 4 === 0).map((each) => ({
  ...each,
  id: `again-${each.id}`,
}))

/** Every sixth is refuted, every seventh nobody judges, every eighth is confirmed by a quote that stands nowhere. */
export const VERDICTS: NonNullable<NonNullable<ScenarioInput['review']>['verdicts']> = Object.fromEntries(
  PLANTED.flatMap(({ issue }, index): [string, Record<string, unknown> | null][] => {
    if (index % 6 === 5) return [[issue, { verdict: 'refuted', reason: 'a caller checks it' }]]
    if (index % 7 === 6) return [[issue, null]]
    if (index % 8 === 7)
      return [[issue, { verdict: 'confirmed', evidence: [{ file: 'src/a.py', line: '1', quote: 'invented' }] }]]
    return []
  }),
)

export const PLANTED_REVIEW: NonNullable<ScenarioInput['review']> = {
  experts: {
    [EXPERTS[0]]: { findings: [...PLANTED] },
    [EXPERTS[1]]: { findings: [...DUPLICATES] },
  },
  verdicts: VERDICTS,
}

export function writePlanted(folder: string, when: 'before' | 'after'): void {
  for (const [file, pair] of Object.entries(PAIRS)) {
    const content = pair[when]
    const path = join(folder, file)
    if (content === undefined) rmSync(path, { force: true })
    else write(path, content)
  }
  const old = join(folder, 'src/old_name.py')
  if (when === 'after') rmSync(old, { force: true })
  else write(old, 'RATE = 5\n\n\ndef tax(price):\n    return price * RATE / 100\n')
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
