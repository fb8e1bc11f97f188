// Recognises changes that can hardly be about their finding: they touch tests alone, or nothing that the finding names.
import type { Issue } from '../issue/issue.ts'

/** Completes "the change …"; undefined if the change touches what the finding is about. */
export function describeOffTarget(
  { file, title, description, suggested_fix }: Pick<Issue, 'file' | 'title' | 'description' | 'suggested_fix'>,
  changed: readonly string[],
  isTest: (path: string) => boolean,
): string | undefined {
  if (changed.length === 0) return undefined
  if (!isTest(file) && changed.every(isTest)) return 'touches nothing but tests'
  const text = [title, description, suggested_fix].join('\n')
  const isNamed = (path: string) => path === file || text.includes(path.split('/').at(-1) ?? path)
  return changed.some(isNamed) ? undefined : `touches neither ${file} nor another file that the finding names`
}
