// Lets a person edit a text in their editor.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../runtime/home/home.ts'

export type EditOutcome =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** The editor's name may include arguments, as for git. Its output is no result of ours: it goes to standard error. */
export async function editText(text: string, name: string, env: Environment): Promise<EditOutcome> {
  const editor = env.VISUAL || env.EDITOR || 'vi'
  const folder = await mkdtemp(join(tmpdir(), 'fixwright-edit-'))
  try {
    const file = join(folder, name)
    await writeFile(file, text, { mode: 0o600 })
    const problem = await runEditor(editor, file, env)
    if (problem !== undefined) return { kind: 'failed', reason: `the editor (${editor}) ${problem}` }
    return { kind: 'edited', text: await readFile(file, 'utf8') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runEditor(editor: string, file: string, env: Environment): Promise<string | undefined> {
  const { execa } = await import('execa')
  const result = await execa('/bin/sh', ['-c', `${editor} "$@"`, editor, file], {
    ...{ env, extendEnv: false, reject: false },
    stdio: ['inherit', 2, 2],
  })
  if (!result.failed) return undefined
  const { exitCode, signal, originalMessage } = result
  const status = exitCode ?? signal
  return status === undefined ? `could not be started: ${originalMessage}` : `ended with ${status}`
}
