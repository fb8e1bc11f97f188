// Words that the tests of the stage driver share: how well issues are fixed turn by turn, and what came of it.
import { fileOf, mark, type Script, type World } from './fake-ports.ts'

/** A table of what each issue's file holds after each of its turns: a score, and perhaps a word for the gates. */
export function grades(table: Readonly<Record<string, readonly string[]>>, more: Omit<Script, 'fixer'> = {}): Script {
  return {
    ...more,
    fixer: ({ codes, iteration, files }) => ({
      write: Object.fromEntries(
        codes.map((code) => {
          const [score, word] = (table[code]?.[iteration - 1] ?? table[code]?.at(-1) ?? '').split(' ')
          return [fileOf(code), mark(files[fileOf(code)], code, Number(score), word)]
        }),
      ),
    }),
  }
}

export function story({ seen }: World): string[] {
  return seen.map(({ call, codes }) => `${call} ${codes.join('')}`)
}

export function statuses({ result }: World): Record<string, string> {
  return Object.fromEntries(Object.entries(result.outcomes).map(([code, { status }]) => [code, status]))
}
