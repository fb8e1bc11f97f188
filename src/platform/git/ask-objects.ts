// Asks git about objects by expressions such as `TREE:path`, many at once.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { GitError, runGit } from './git.ts'
import { getPathKind } from './unruly-files.ts'

export interface FoundObject {
  readonly sha: string
  readonly type: string
  readonly bytes: number
  /** Undefined if the question was for `info`. */
  readonly content: Buffer | undefined
}

/** `info` asks without the contents. The expression holds no newline and no NUL. */
export type ObjectQuestion = readonly [want: 'info' | 'contents', expression: string]

const COMMAND = ['cat-file', '--batch-command']

/** One answer a question; undefined for an object that is not there. */
export async function askObjects(
  directory: string,
  questions: readonly ObjectQuestion[],
): Promise<(FoundObject | undefined)[]> {
  if (questions.length === 0) return []
  const input = `${questions.map((question) => question.join(' ')).join('\n')}\n`
  const { stdout } = await runGit(directory, COMMAND, { input, env: nameGitDir(directory) })
  let at = 0
  return questions.map(([want, expression]) => {
    const end = stdout.indexOf('\n', at)
    const header = stdout.toString('utf8', at, end)
    if (end < 0) throw new GitError(directory, COMMAND, { code: 0, stderr: `no answer about ${expression}` })
    at = end + 1
    const [, sha, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? []
    if (sha === undefined || type === undefined) return undefined
    const bytes = Number(size)
    const content = want === 'contents' ? stdout.subarray(at, at + bytes) : undefined
    if (content) at += bytes + 1
    return { sha, type, bytes, content }
  })
}

/** A git process that stays (lasting-git.ts) is told its git directory. Where that is no folder of ours, git finds it as ever. */
export function nameGitDir(directory: string): Readonly<Record<string, string>> {
  const isGitDir =
    getPathKind(join(directory, 'HEAD')) === 'file' &&
    ['objects', 'refs'].every((name) => existsSync(join(directory, name))) &&
    !existsSync(join(directory, '.git'))
  return isGitDir ? { GIT_DIR: directory } : {}
}

/** Git reads one question a line, so an expression can't hold the end of one. */
export function canAskFor(expression: string): boolean {
  return !/[\n\0]/.test(expression)
}

export interface RawTreeEntry {
  readonly mode: string
  readonly sha: string
  /** In latin1, one character a byte. */
  readonly name: string
}

/** `like` is an id of the same repository: ids have one length there. */
export function parseRawTree(content: Buffer, like: string): RawTreeEntry[] {
  const idBytes = like.length / 2
  const entries: RawTreeEntry[] = []
  for (let at = 0; at < content.length; ) {
    const [space, end] = [content.indexOf(' ', at), content.indexOf('\0', at)]
    const next = end + 1 + idBytes
    const mode = content.toString('latin1', at, space).padStart(6, '0')
    entries.push({
      mode,
      name: content.toString('latin1', space + 1, end),
      sha: content.toString('hex', end + 1, next),
    })
    at = next
  }
  return entries
}
