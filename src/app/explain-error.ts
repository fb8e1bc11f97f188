// Turns whatever was thrown into an error for people, so that no command ends with a stack trace.
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import { shellQuote } from '../domain/text/shell-quote.ts'
import { GitError } from '../platform/git/git.ts'
import { type Environment, locateHome } from '../runtime/home/home.ts'
import { explainStoreFailure } from '../store/explain-store-failure.ts'

export function explainError(error: unknown, env: Environment): FixwrightError {
  if (error instanceof FixwrightError) return error
  if (error instanceof GitError) return explainGitError(error)
  return (
    explainStoreFailure(error, locateHome(env).database) ??
    explainFileError(error as NodeJS.ErrnoException) ??
    new FixwrightError(
      'unexpected',
      `something failed that Fixwright did not expect: ${firstLine(toMessage(error))}; --debug shows where`,
    )
  )
}

function explainGitError(error: GitError): FixwrightError {
  const { repository, stderr, message } = error
  if (/\bENOENT\b/.test(stderr || message)) {
    return new FixwrightError('command_missing', 'git is not on the PATH: install it, or put its folder on the PATH')
  }
  if (stderr.includes('dubious ownership')) {
    return new FixwrightError(
      'git_refuses',
      `git refuses ${repository}: it belongs to another user. If you trust it: git config --global --add safe.directory ${shellQuote(repository)}`,
    )
  }
  if (isFull(message)) return new FixwrightError('disk_full', `git found no space left: ${firstLine(stderr)}`)
  return new FixwrightError('git_refuses', `git could not work on ${repository}: ${firstLine(stderr || message)}`)
}

function explainFileError({ code, path, message, syscall }: NodeJS.ErrnoException): FixwrightError | undefined {
  if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code ?? '')) return undefined
  const where = path === undefined ? '' : ` for ${path}`
  return new FixwrightError(
    'disk_full',
    `there is no space left${where} (${syscall ?? message}): make room and try again`,
  )
}

function isFull(text: string): boolean {
  return /no space left on device|disk quota exceeded|file too large/i.test(text)
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

function firstLine(text: string): string {
  return (
    text
      .trim()
      .replace(/^(fatal|error): /i, '')
      .split('\n')[0] ?? ''
  )
}
