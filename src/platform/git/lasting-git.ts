// Answers questions about the objects of a git directory of ours by git processes that stay for more such questions. The answers are those
// of a git process that runs for one question alone. Such a process still runs where a lasting one gives no answer.
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createLastingProcesses, type LastingOptions } from '../processes/helper/lasting-process.ts'
import type { GitRequest, GitRunner } from './execute.ts'

/** The commands that read their questions from standard input, and what each prints for a question that is only a mark. */
const COMMANDS: Readonly<Record<string, (mark: string) => { readonly question: string; readonly answer: string }>> = {
  'cat-file --batch-command': (mark) => ({ question: `info ${mark}`, answer: `${mark} missing\n` }),
  'diff-tree --stdin': (mark) => ({ question: mark, answer: `${mark}\n` }),
}

export function runWithLastingGit(run: GitRunner, options?: LastingOptions): GitRunner {
  const processes = createLastingProcesses(options)
  return async (request, signal) => {
    const { args, env, config, input } = request
    const key = describeGitDir(request)
    const ask = COMMANDS[args.slice(0, 2).join(' ')]
    if (key === undefined || ask === undefined || input === undefined) return await run(request, signal)
    const { question, answer } = ask(randomUUID())
    const stdout = await processes.ask(
      {
        key: JSON.stringify([key, args, env, config]),
        command: 'git',
        args: [...config.flatMap((setting) => ['-c', setting]), ...args],
        env,
        input: Buffer.concat([Buffer.from(input), Buffer.from(`${question}\n`)]),
        ending: answer,
      },
      signal,
    )
    return stdout === undefined ? await run(request, signal) : { stdout, stderr: '', code: 0 }
  }
}

/** Changes when another folder takes the path, and when the lenders change, which git reads only once. Undefined if git would have to search. */
function describeGitDir({ directory, env }: GitRequest): string | undefined {
  if (env.GIT_DIR !== directory) return undefined
  const [folder, lenders] = [directory, join(directory, 'objects/info/alternates')].map((path) =>
    statSync(path, { bigint: true, throwIfNoEntry: false }),
  )
  return folder && [directory, folder.dev, folder.ino, lenders?.ino, lenders?.mtimeNs].join(' ')
}
