// Hostile repositories, one by one, each on the whole way of a session through git: looked at, opened, changed, snapshot, reset,
// shown as a diff, committed, published. Most come with a `.git` that somebody else made, as an archive brings one along.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { loadConventions } from '../../../src/activities/agent-call/load-conventions.ts'
import { buildClaudeEnvironment } from '../../../src/agents/claude/environment.ts'
import { inspectRepository } from '../../../src/platform/git/repository/inspect.ts'
import { mergeTreeOnto } from '../../../src/platform/git/workspace/commits.ts'
import { diffText } from '../../../src/platform/git/workspace/diff.ts'
import { resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { openWorkspace } from '../../../src/platform/git/workspace/workspace.ts'
import { prepareSession } from '../../../src/preflight/check-start.ts'
import { openHome } from '../../../src/runtime/home/home.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { answerOf, promptFor, setStage } from '../../agents/support.ts'
import { IGNORE, plainGit } from '../../platform/git/support.ts'
import { readFilesAt } from '../../support/read-files.ts'
import { type Case, fails } from '../harness.ts'
import { plainClaude } from './clis.ts'
import { DETOURS } from './repository-detours.ts'
import {
  arm,
  attributed,
  commitNames,
  configureAgents,
  diverge,
  evilPromisor,
  evilRepository,
  evilSettings,
  evilSubmodule,
  hookTrap,
  linkedGit,
  linkOut,
  loosePath,
  oddNames,
  poseAsWorktree,
  withGit,
} from './repository-traps.ts'
import { BRANCH, borrowed, configured, ordinaryWork, wholeWay } from './repository-ways.ts'

const HUGE = `${'x'.repeat(1023)}\n`.repeat(17 * 1024)

export const REPOSITORIES: readonly Case[] = [
  configured({
    input: 'hooks in `.git/hooks`',
    harm: 'checking out, adding or committing runs them',
    holds: 'every call of git has `core.hooksPath=/dev/null`, and the workspace is a git directory of our own',
    set: (arena) => hookTrap(arena),
    naive: [['commit', '-qam', 'x']],
  }),
  configured({
    input: '`core.hooksPath` to a folder of the tree',
    harm: 'hooks that came with a clone run',
    holds: 'the same: overridden in every call',
    set(arena) {
      arena.write({ 'tools/hooks/pre-commit': '' })
      hookTrap(arena, 'tools/hooks')
      arena.git(['config', 'core.hooksPath', 'tools/hooks'])
      arena.git(['config', 'status.showUntrackedFiles', 'no'])
    },
    naive: [['commit', '-qam', 'x']],
  }),
  configured({
    input: '`core.fsmonitor`',
    harm: 'every `git status` runs it',
    holds: 'overridden in every call',
    set: ['core.fsmonitor'],
    naive: [['status']],
  }),
  configured({
    input: 'filters: `clean`, `smudge`, `process`',
    harm: 'looking at files that seem changed, or writing them, runs them',
    holds: 'the workspace has no filters; looking at the repository switches off those that its configuration names',
    attributes: '* filter=evil\n',
    set: ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process'],
    naive: [['status']],
  }),
  configured({
    input: '`textconv` and external diffs',
    harm: 'every diff runs them',
    holds: 'diffs are made with `diff-tree --no-textconv --no-ext-diff` in our own git directory',
    attributes: '* diff=evil\n',
    set: ['diff.evil.textconv', 'diff.evil.command', 'diff.external'],
    naive: [['diff']],
  }),
  {
    input: 'a merge driver',
    harm: 'merging a person’s commit runs it',
    holds: 'merges are made in our own git directory, which has no drivers',
    naive(arena) {
      diverge(arena)
      ordinaryWork(arena, ['checkout', '-q', '--', '.'], ['merge', '-q', 'side'])
    },
    async guarded(arena) {
      const theirs = diverge(arena)
      const workspace = await arena.open('session', { branch: BRANCH })
      assert.equal((await mergeTreeOnto(workspace, theirs, workspace.base)).kind, 'conflict')
      assert.deepEqual(await wholeWay(arena), ['src/app.py'])
    },
  },
  configured({
    input: 'pager, editor, `sshCommand`, aliases, `gpg.program` with `commit.gpgSign`, `include.path`',
    harm: 'committing, showing or fetching runs them',
    holds:
      'no command of ours pages, edits, signs, connects or goes by an alias, and commits are made in our own git directory',
    set(arena) {
      writeFileSync(join(arena.repository, '.git/more'), `[core]\n\tfsmonitor = ${arena.trap}\n`)
      for (const name of [
        'core.pager',
        'core.editor',
        'core.sshCommand',
        'core.askPass',
        'gpg.program',
        'sequence.editor',
      ])
        arena.git(['config', name, arena.trap])
      for (const name of ['status', 'st']) arena.git(['config', `alias.${name}`, `!${arena.trap}`])
      arena.git(['config', 'commit.gpgSign', 'true'])
      arena.git(['config', 'include.path', 'more'])
    },
    naive: [['commit', '-qam', 'x']],
  }),
  {
    input:
      'a partial clone that lacks an object, and fetches it by a command of its configuration (`remote.*.uploadpack`)',
    harm: 'reading a file runs it',
    holds: 'no call of git may fetch what is missing, by any protocol; the session says what it lacks',
    naive(arena) {
      evilPromisor(arena)
      ordinaryWork(arena, ['cat-file', '-p', 'HEAD:README.md'])
    },
    async guarded(arena) {
      evilPromisor(arena)
      await inspectRepository(arena.repository)
      await readFilesAt(arena.repository, 'HEAD', ['README.md']).catch(() => undefined)
      await assert.rejects(wholeWay(arena), /unable to read/)
    },
  },
  borrowed({
    input: '`core.worktree` that names another folder',
    harm: 'the session would work on the repository there',
    holds: 'refused, with the folder that it leads to',
    borrow({ git, repository }, theirs) {
      git(['config', 'core.worktree', theirs])
      return repository
    },
  }),
  borrowed({
    input: 'a `.git` file that points to the git of another folder',
    harm: 'commits would go into the repository there',
    holds: 'refused, with the folder that it leads to; linked worktrees and submodules are what they say',
    borrow: ({ home }, theirs) => withGit(home, (git) => writeFileSync(git, `gitdir: ${theirs}/.git\n`)),
  }),
  borrowed({
    input: 'a `.git` that is a link to the git of another folder',
    harm: 'the same',
    holds: 'the same',
    borrow: ({ home }, theirs) => withGit(home, (git) => symlinkSync(join(theirs, '.git'), git)),
  }),
  borrowed({
    input: 'a `.git` file that poses as another folder’s linked worktree',
    harm: 'the same',
    holds: 'refused: a linked worktree’s git directory names the folder it belongs to',
    borrow({ git, home }, theirs) {
      git(['worktree', 'add', '-q', '--detach', join(home, 'linked')], theirs)
      return withGit(home, (file) => writeFileSync(file, `gitdir: ${theirs}/.git/worktrees/linked\n`))
    },
  }),
  borrowed({
    input:
      'a git directory in the folder itself that poses as a linked worktree’s, and names the git of another folder',
    harm: 'the same',
    holds: 'refused: a linked worktree’s git directory lies in the repository whose worktree it is',
    borrow: ({ home }, theirs) => withGit(home, (file) => poseAsWorktree(file, theirs)),
  }),
  borrowed({
    input: '`.git/commondir` that names the git of another folder',
    harm: 'the same',
    holds: 'refused, with the folder that it leads to',
    borrow({ repository }, theirs) {
      rmSync(join(repository, '.git/config'))
      writeFileSync(join(repository, '.git/commondir'), `${theirs}/.git\n`)
      return repository
    },
  }),
  ...DETOURS,
  {
    input: 'programs in `node_modules/.bin`, where the operator’s PATH begins with `./node_modules/.bin`',
    harm: 'git in that folder, and whatever else is called by its name, is the repository’s',
    holds: 'git, bubblewrap and the CLIs are looked for in folders that are named from the root on, and in no others',
    naive(arena) {
      const PATH = loosePath(arena)
      execFileSync('git', ['status'], { cwd: arena.repository, env: { PATH }, stdio: 'ignore' })
    },
    async guarded(arena) {
      const before = process.env.PATH
      const loose = loosePath(arena)
      const base = arena.git(['rev-parse', 'HEAD'])
      process.env.PATH = loose
      try {
        assert.equal((await inspectRepository(arena.repository)).kind, 'repository')
        const { tree } = await arena.open('session', { branch: BRANCH, base })
        const env = buildClaudeEnvironment(process.env, { tmpdir: arena.home })
        execFileSync('sh', ['-c', 'git status'], { cwd: tree, env })
      } finally {
        process.env.PATH = before
      }
    },
  },
  {
    input: 'a submodule with an `ext::` address in `.gitmodules`, and `submodule.recurse`',
    harm: 'updating submodules runs it',
    holds: 'submodules are never initialised, updated or cloned; changing one is a violation',
    naive(arena) {
      evilSubmodule(arena)
      ordinaryWork(arena, ['-c', 'protocol.ext.allow=always', 'submodule', 'update', '--init'])
    },
    async guarded(arena) {
      evilSubmodule(arena)
      assert.deepEqual(await wholeWay(arena), ['src/app.py'])
    },
  },
  {
    input: 'a repository with filters in the place of a submodule',
    harm: '`git add` asks it for its status, which runs them',
    holds: 'what stands in the place of a submodule is left out of every `add`, and is a violation',
    naive(arena) {
      const inner = evilRepository(arena, arena.repository)
      arena.git(['add', '--', 'vendor/sub'])
      arena.git(['commit', '-qm', 'submodule'])
      arm(arena, inner)
      arena.git(['add', '--all'])
    },
    async guarded(arena) {
      const inner = evilRepository(arena, arena.home)
      const head = plainGit(['rev-parse', 'HEAD'], inner)
      arena.git(['update-index', '--add', '--cacheinfo', `160000,${head},vendor/sub`])
      arena.git(['commit', '-qm', 'submodule'])
      const changed = await wholeWay(arena, ({ tree }) => {
        rmSync(join(tree, 'vendor'), { recursive: true })
        plainGit(['clone', '-q', inner, join(tree, 'vendor/sub')], arena.home)
        arm(arena, join(tree, 'vendor/sub'))
      })
      assert.deepEqual(changed, ['src/app.py'])
    },
  },
  {
    input: 'a folder that is a link out of the tree',
    harm: 'files that are written below it land outside',
    holds: 'git writes through no link of a tree; a new link that leaves it is a violation',
    naive(arena) {
      linkOut(arena)
      writeFileSync(join(arena.repository, 'out/theirs.txt'), 'ours\n')
    },
    async guarded(arena) {
      const before = arena.git(['rev-parse', 'HEAD'])
      arena.write({ 'out/theirs.txt': 'ours\n' })
      arena.git(['add', '.'])
      arena.git(['commit', '-qm', 'a folder'])
      const folder = arena.git(['rev-parse', 'HEAD'])
      rmSync(join(arena.repository, 'out'), { recursive: true })
      linkOut(arena)
      const workspace = await arena.open('session', { branch: BRANCH })
      for (const target of [folder, workspace.base, before, workspace.base, folder])
        await resetWorkTree(workspace, target)
      assert.equal(readFileSync(join(workspace.tree, 'out/theirs.txt'), 'utf8'), 'ours\n')
    },
  },
  {
    input: 'names with line ends, quotes, leading dashes, `$(…)`, magic and bytes that are no text',
    harm: 'a script takes them for commands, options or patterns',
    holds: 'names go to git and come back by `-z`, literally, and never through a shell',
    naive(arena) {
      arena.write(oddNames(arena))
      const names = arena.git(['status', '--porcelain', '-uall']).split('\n')
      for (const name of names) {
        try {
          execFileSync('sh', ['-c', `git add ${name.slice(3)}`], { cwd: arena.repository, stdio: 'ignore' })
        } catch {
          // It is no path; it ran.
        }
      }
    },
    async guarded(arena) {
      const odd = oddNames(arena)
      const changed = await wholeWay(arena, ({ tree }) => {
        arena.write(odd, tree)
        writeFileSync(Buffer.concat([Buffer.from(`${tree}/x`), Buffer.from([0xff, 0xfe])]), 'x')
      })
      assert.deepEqual(new Set(changed), new Set([...Object.keys(odd), 'src/app.py', 'x\ufffd\ufffd']))
    },
  },
  {
    input: 'a tree with files of git’s own: `.git/hooks/pre-commit`, `.GIT`, `git~1`',
    harm: 'whoever unpacks it by the names has a hook',
    holds: 'git refuses to check such a tree out: the session ends before it began, and says why',
    naive(arena) {
      const commit = commitNames(arena, ['pre-commit', 'hooks', '.git'])
      for (const name of arena.git(['ls-tree', '-r', '--name-only', commit]).split('\n'))
        writeFileSync(join(arena.repository, name), `#!/bin/sh\n${arena.trap}\n`, { mode: 0o755 })
      ordinaryWork(arena, ['commit', '-qam', 'x'])
    },
    async guarded(arena) {
      for (const name of ['.git', '.GIT', '.Git ', 'git~1', '.g\u200cit']) {
        const base = commitNames(arena, ['pre-commit', 'hooks', name])
        await assert.rejects(arena.open('session', { base, branch: BRANCH }), /invalid path/, name)
      }
    },
  },
  {
    input: 'a huge file',
    harm: 'its diff fills the memory, and every prompt',
    holds: 'from 16 MiB on a file is told as one and not shown; prompts are cut to their budget, and say so',
    async naive(arena) {
      arena.write({ 'huge.txt': HUGE })
      arena.git(['add', '.'])
      arena.alarmIf(await fails(() => arena.git(['diff', '--cached'])), 'it is more than there is room for')
    },
    async guarded(arena) {
      assert.deepEqual(await wholeWay(arena, ({ tree }) => arena.write({ 'huge.txt': HUGE }, tree)), [
        'huge.txt',
        'src/app.py',
      ])
      const workspace = await arena.open('session', { branch: BRANCH })
      const shown = await diffText(workspace, workspace.base, 'refs/fixwright/one')
      arena.alarmIf(shown.length > 10_000, 'all of it was shown')
      assert.match(shown, /^Binary files \/dev\/null and b\/huge.txt differ$/m)
      arena.write({ 'CLAUDE.md': HUGE })
      arena.git(['add', '.'])
      arena.git(['commit', '-qm', 'conventions'])
      const conventions = await loadConventions(await arena.open('another'), { names: ['CLAUDE.md'], files: [] })
      assert.equal(conventions, 'CLAUDE.md: it is too long to be shown.')
    },
  },
  {
    input: 'names that differ only in case',
    harm: 'where names are compared without it, one change hides another',
    holds: 'what changed is compared by its very name; what is protected, in every spelling',
    naive(arena) {
      const changed = ['README.md', 'readme.md']
      arena.alarmIf(new Map(changed.map((path) => [path.toLowerCase(), path])).size < 2, 'a change was hidden')
    },
    async guarded(arena) {
      arena.write({ 'readme.md': 'another\n', 'SRC/app.py': 'another\n' })
      arena.git(['add', '.'])
      arena.git(['commit', '-qm', 'alike'])
      const both = { 'README.md': 'x\n', 'readme.md': 'y\n' }
      const changed = await wholeWay(arena, ({ tree }) => arena.write(both, tree))
      assert.deepEqual(changed, ['README.md', 'readme.md', 'src/app.py'])
    },
  },
  {
    input: 'attributes: `export-subst`, `ident`, `working-tree-encoding`, `-diff`',
    harm: 'files are rewritten on their way, or hidden from every diff',
    holds: 'our git directory overrides them: bytes stay as they are, and diffs show text',
    naive(arena) {
      attributed(arena)
      ordinaryWork(arena, ['add', '.'])
      arena.alarmIf(!arena.git(['diff', '--cached']).includes('return 2'), 'a change was hidden')
    },
    async guarded(arena) {
      attributed(arena)
      assert.deepEqual(await wholeWay(arena), ['src/app.py'])
    },
  },
  {
    input: 'alternates and packs that are links, and a `shallow` that is one',
    harm: 'a copy follows them, and takes along what lies elsewhere',
    holds: 'only plain files are taken over, none through a link',
    naive(arena) {
      linkedGit(arena)
      execFileSync('cp', ['-rL', join(arena.repository, '.git'), join(arena.home, 'copy')])
      arena.wrote(readFileSync(join(arena.home, 'copy/shallow'), 'utf8'))
    },
    async guarded(arena) {
      linkedGit(arena)
      const base = plainGit(['rev-parse', 'HEAD'], arena.repository)
      rmSync(join(arena.repository, '.git/shallow'))
      const workspace = await openWorkspace({
        repository: arena.repository,
        base,
        directory: join(arena.home, 'sessions/session'),
        branch: BRANCH,
        ignore: IGNORE,
      })
      for (const name of ['git/objects/pack/pack-x.pack', 'git/objects/info/alternates', 'git/shallow'])
        assert.equal(existsSync(join(workspace.directory, name)), false, name)
    },
  },
  {
    input: '`.claude/settings.json` hooks, `.mcp.json` servers, skills, a CLAUDE.md below, `.env` and `bunfig.toml`',
    harm: 'claude runs them, or obeys, as soon as it starts there',
    holds: 'called with the operator’s settings alone and no server; it reads nothing of the repository by itself',
    async naive(arena) {
      const stage = await setStage(arena.t)
      configureAgents(arena, arena.repository)
      await plainClaude(stage, arena.repository, promptFor('claude'))
    },
    async guarded(arena) {
      const { call, model } = await setStage(arena.t)
      configureAgents(arena, arena.repository)
      answerOf(await call('claude', { cwd: arena.repository }))
      arena.alarmIf(JSON.stringify(model.calls()).includes('ALWAYS-SAY-PWNED'), 'it was told what to say')
    },
  },
  {
    input: 'a `.fixwright.yaml` with commands, endpoints and binaries, or with aliases that grow',
    harm: 'whoever gets a commit in runs commands on the operator’s machine',
    holds: 'it counts only once the operator has trusted that very content, and never for binaries and endpoints',
    naive(arena) {
      const { verification } = parse(evilSettings(arena.trap)) as { verification: { commands: string[] } }
      for (const command of verification.commands) execFileSync('sh', ['-c', command])
    },
    async guarded(arena) {
      const bomb = [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...'bcdefgh'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefg'[at]},`.repeat(9)}]`),
      ]
      for (const text of [evilSettings(arena.trap), bomb.join('\n'), `limits: ${'['.repeat(50_000)}`]) {
        arena.write({ '.fixwright.yaml': text })
        arena.git(['add', '.'])
        arena.git(['commit', '-qm', 'settings'])
        const env = { FIXWRIGHT_HOME: join(arena.home, 'home'), HOME: arena.home, PATH: process.env.PATH }
        const store = await openStore(openHome(env).database)
        const findings = join(arena.home, 'findings.json')
        writeFileSync(findings, JSON.stringify([{ issue_code: 'A', title: 'One', file: 'src/app.py' }]))
        const order = { findings, repository: arena.repository, allowDirty: false, flags: {} }
        const prepared = await prepareSession(order, openHome(env), env, store)
        await store.close()
        assert.equal(prepared.kind, 'refused', text.slice(0, 80))
      }
    },
  },
]
