// What a repository tells those who work in it, as of the session's base: it reaches a prompt as text, never as a file that a
// CLI would obey.
import { readFilesAt } from '../git/repository.ts'
import type { Workspace } from '../git/workspace.ts'

const FILES = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md']

export async function conventionsOf({ gitDir, base }: Pick<Workspace, 'gitDir' | 'base'>): Promise<string | undefined> {
  const found = await readFilesAt(gitDir, base, FILES)
  const texts = [...new Map([...found].map(([file, text]) => [text.trim(), file]))]
  return texts.map(([text, file]) => `${file}:\n${text}`).join('\n\n') || undefined
}
