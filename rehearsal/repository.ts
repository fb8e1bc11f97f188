// A git repository whose first commit has the same sha wherever and whenever it is made: fixed identity and dates, and none of
// the configuration of the machine.

import { execFileSync } from 'node:child_process'

const WHEN = '2026-01-05T09:00:00Z'
const WHO = { name: 'Lantern Shop', email: 'shop@example.org' }

const ENVIRONMENT = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: WHO.name,
  GIT_AUTHOR_EMAIL: WHO.email,
  GIT_AUTHOR_DATE: WHEN,
  GIT_COMMITTER_NAME: WHO.name,
  GIT_COMMITTER_EMAIL: WHO.email,
  GIT_COMMITTER_DATE: WHEN,
}

/** Makes the folder a repository on branch `main` with one commit of everything in it; answers the commit's sha. */
export function commitFolder(folder: string, message: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, env: ENVIRONMENT, encoding: 'utf8' }).trim()
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', WHO.name)
  git('config', 'user.email', WHO.email)
  git('add', '--all')
  git('commit', '--quiet', '--no-gpg-sign', '--message', message)
  return git('rev-parse', 'HEAD')
}
