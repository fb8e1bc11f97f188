// Defines the commands about known findings.
import type { Command } from 'commander'
import { addJsonOption, isFlagSet, setExitCode } from './shared.ts'

export function addIssueCommands(program: Command): void {
  program.commandsGroup('Issues:')

  addJsonOption(program.command('issues'))
    .description('the known findings, and what became of each')
    .option('--repo <folder>', 'only those of this repository')
    .option('--task <id>', 'only those of this task')
    .option('--related <code>', 'only those worth fixing together with this one: same file, same category')
    .option('--status <status>', 'only open, in_progress, resolved, failed, merged, ignored or duplicate ones')
    .action(async (options) => {
      const { runIssuesCommand } = await import('../commands/issues.ts')
      setExitCode(await runIssuesCommand({ ...options, json: isFlagSet(options.json) }))
    })

  addJsonOption(program.command('issue'))
    .description('one finding: all that is known, and what you decide about it')
    .argument('<code>', "the issue's code, such as BE-001")
    .option('--set <status>', 'open, resolved, ignored or duplicate, where its status allows that')
    .option('--note <text>', 'why; an open issue is resolved by hand only with a note')
    .option('--repo <folder>', 'the one of this repository')
    .option('--task <id>', 'the one of this task')
    .action(async (code: string, options) => {
      const { runIssueCommand } = await import('../commands/issues.ts')
      setExitCode(await runIssueCommand(code, { ...options, json: isFlagSet(options.json) }))
    })
}
