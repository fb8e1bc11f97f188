// Defines the commands about registered repositories.
import type { Command } from 'commander'
import { addJsonOption, addSettingsOptions, collect, collectSettingFlags, isFlagSet, setExitCode } from './shared.ts'

export function addRepositoryCommands(program: Command): void {
  const repo = program.command('repo').description('the repositories that are known by a name')

  addJsonOption(repo.command('add'))
    .description('register a repository, rename it, or say where it has moved')
    .argument('<folder>', 'the git repository; or an address by https or ssh, which is cloned')
    .option('--name <name>', 'default: after the folder')
    .action(async (folder: string, options) => {
      const { runRepoAddCommand } = await import('../commands/repository/repo.ts')
      setExitCode(await runRepoAddCommand({ folder, name: options.name, json: isFlagSet(options.json) }))
    })
    .addHelpText(
      'after',
      `
A repository gets its name with its first session, or here. Wherever --repo is taken, the name stands for the folder.
If its folder has moved, give the new one: a known repository whose folder is gone lies where its commits are.`,
    )

  addJsonOption(repo.command('list'))
    .description('the registered repositories')
    .action(async (options) => {
      const { runRepoListCommand } = await import('../commands/repository/repo.ts')
      setExitCode(await runRepoListCommand({ json: isFlagSet(options.json) }))
    })

  addJsonOption(repo.command('remove'))
    .description('forget a repository with its issues, answers and grants; sessions and the folder stay')
    .argument('<repository>', 'its name, id or folder')
    .action(async (typed: string, options) => {
      const { runRepoRemoveCommand } = await import('../commands/repository/repo.ts')
      setExitCode(await runRepoRemoveCommand(typed, { json: isFlagSet(options.json) }))
    })
}

export function addImportCommand(program: Command): void {
  addSettingsOptions(addJsonOption(program.command('import')))
    .description('take the report of any tool into the store: new issues, known ones, those that are gone')
    .argument('[report]', 'the file of the report, or github:owner/name')
    .option('--repo <repository>', 'its name, id or folder', '.')
    .option(
      '--format <format>',
      'auto, fixwright, sarif, eslint, semgrep, rdjson, codeclimate, github or github-issues',
      'auto',
    )
    .option('--label <name>', 'of github:owner/name: the issues with this label; repeatable', collect)
    .option('--code-scanning', 'of github:owner/name: the alerts of code scanning')
    .option('--preview', 'count what would change, and change nothing')
    .option(
      '--category <name>',
      'reports of one tool about different things: only those of one category replace each other',
    )
    .option('--base <commit>', 'the commit that the report is about; by default that of the default branch')
    .option('--allow-empty', 'a report without findings closes all that its tool has found')
    .option('--list', 'the imports of the repository, instead')
    .option('--undo <import>', 'put everything back as it was before this import, instead')
    .action(async (report: string | undefined, { repo: repository, label: labels = [], ...options }) => {
      const { runImportCommand } = await import('../commands/repository/import.ts')
      setExitCode(
        await runImportCommand({
          report,
          repository,
          format: options.format,
          category: options.category,
          base: options.base,
          labels,
          codeScanning: isFlagSet(options.codeScanning),
          flags: collectSettingFlags(options),
          undo: options.undo,
          list: isFlagSet(options.list),
          preview: isFlagSet(options.preview),
          allowEmpty: isFlagSet(options.allowEmpty),
          json: isFlagSet(options.json),
        }),
      )
    })
}
