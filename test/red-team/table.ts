// The table of docs/security.md, from the cases themselves and from tests elsewhere that show more of the same.
import { CONTENTS } from './cases/contents.ts'
import { FINDINGS } from './cases/findings.ts'
import { OUTPUTS } from './cases/outputs.ts'
import { REPLIES } from './cases/replies.ts'
import { REPOSITORIES } from './cases/repositories.ts'
import { type Case, type Class, nameOf } from './harness.ts'

interface Elsewhere {
  readonly about: Class
  readonly input: string
  readonly harm: string
  readonly holds: string
  readonly file: string
  /** Of its title. */
  readonly title: string
}

export const CLASSES: readonly {
  readonly about: Class
  readonly title: string
  readonly file: string
  readonly cases: readonly Case[]
}[] = [
  { about: 'finding', title: 'Findings', file: 'test/red-team/findings.test.ts', cases: FINDINGS },
  { about: 'repository', title: 'Repositories', file: 'test/red-team/repositories.test.ts', cases: REPOSITORIES },
  { about: 'file content', title: 'File contents', file: 'test/red-team/contents.test.ts', cases: CONTENTS },
  { about: 'model reply', title: 'Model replies, and agents', file: 'test/red-team/replies.test.ts', cases: REPLIES },
  { about: 'command output', title: 'Command outputs', file: 'test/red-team/outputs.test.ts', cases: OUTPUTS },
]

export const ELSEWHERE: readonly Elsewhere[] = [
  {
    about: 'finding',
    input: 'any text, a thousand at random: delimiters, ids, half characters, mentions',
    harm: 'one of them leaves its block',
    holds: 'what was put into a prompt is read back unchanged, and nothing else',
    file: 'test/agents/prompts/all-roles.test.ts',
    title: 'what was put into a prompt is read back unchanged',
  },
  {
    about: 'repository',
    input: 'hooks in its configuration (`hook.*.command`, git 2.54 and later)',
    harm: 'moving a branch runs them, and so does looking for filters; `core.hooksPath` does not reach them',
    holds: 'switched off by their names wherever a reference or an index is written',
    file: 'test/platform/git/repository/disable-hooks.test.ts',
    title: 'hooks that stand in the configuration',
  },
  {
    about: 'repository',
    input: '`extensions.refStorage` that names a folder (git 2.54 and later), a branch or its log that is a link',
    harm: 'a branch is made there',
    holds: 'refused, with what leads where',
    file: 'test/platform/git/repository/borrowed-git-dir.test.ts',
    title: 'a branch that is a link, or whose log is one, is not written through',
  },
  {
    about: 'repository',
    input: 'a branch that is only another name of the one that is checked out (`git symbolic-ref`)',
    harm: 'a commit on it moves that one under its checkout',
    holds: 'refused, at the start and again before it would move',
    file: 'test/platform/git/repository/publish-branch.test.ts',
    title: 'a branch that is another name of one',
  },
  {
    about: 'repository',
    input: 'Git LFS, git-crypt, signing, sign-off, pre-commit',
    harm: 'silently corrupted, or bypassed',
    holds: 'recognised: agreed to once by the operator, or refused with the reason',
    file: 'test/cli/needs.test.ts',
    title: 'filters, hooks, signing and sign-off stop a start with their reasons',
  },
  {
    about: 'repository',
    input: 'what is above the folder of the challenger, and an `.env` that names another endpoint',
    harm: 'gemini obeys, and sends what it is told to a stranger',
    holds: 'it stands in an empty folder where its search ends',
    file: 'test/agents/gemini/call-gemini.test.ts',
    title: 'nothing above its folder, and nothing of a repository',
  },
  {
    about: 'file content',
    input: '`* -diff` in `.gitattributes`',
    harm: 'a change is hidden from every diff',
    holds: 'attributes of the tree don’t apply to diffs of ours',
    file: 'test/platform/git/workspace/commits.test.ts',
    title: 'no attribute of the tree can hide a file',
  },
  {
    about: 'file content',
    input: 'an ignored file that an agent left behind',
    harm: 'the checks pass because of it',
    holds: 'the last verification before a commit runs in a fresh checkout',
    file: 'test/activities/verify/fresh-checkout.test.ts',
    title: 'an ignored file that an agent left behind lets nothing pass',
  },
  {
    about: 'model reply',
    input: '"fixed", and nothing was changed',
    harm: 'it counts as fixed',
    holds: 'what changed is read from git; it is noted, and nothing is resolved without a commit',
    file: 'test/activities/fix/snapshot-metadata.test.ts',
    title: 'so is what is called fixed without a change',
  },
  {
    about: 'model reply',
    input: 'refs, tags, worktrees, alternates, repositories in the tree, a `.git` that became something else',
    harm: 'what comes after works on them',
    holds: 'violations, read from files and never by running git on them',
    file: 'test/platform/git/workspace/detect-git-use.test.ts',
    title: 'looking runs nothing that an agent put into its git',
  },
  {
    about: 'model reply',
    input: 'an agent that goes for keys, the store, other sessions, Temporal, ports and sockets',
    harm: 'it takes them, and approves itself',
    holds: 'with `sandbox.mode: require` it gets none; [what else holds and does not](#the-sandbox)',
    file: 'test/platform/sandbox/sandbox.test.ts',
    title: 'an agent that goes for keys, store, other sessions',
  },
  {
    about: 'command output',
    input: 'a flood, in lines or in one line without an end',
    harm: 'disk and memory are full',
    holds: 'bounded, and the record says what was left out',
    file: 'test/activities/verify/unruly-commands.test.ts',
    title: 'a flood, in lines or in one line without an end',
  },
]

export function tableOf({ about, title, file, cases }: (typeof CLASSES)[number]): string {
  const own = cases.map(({ input, harm, holds }) => [
    input,
    harm,
    holds,
    `\`${nameOf(about, input).replaceAll('`', '')}\``,
  ])
  const others = ELSEWHERE.filter((each) => each.about === about).map((each) => [
    each.input,
    each.harm,
    each.holds,
    `\`${each.file}\``,
  ])
  const rows = [...own, ...others].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  const head = ['| input | unprotected | what holds | test |', '|---|---|---|---|']
  const where = `\`${file}\`, where the test of each row is named after its input: \`${nameOf(about, '…')}\``
  return [`### ${title}`, '', where, '', ...head, ...rows].join('\n')
}
