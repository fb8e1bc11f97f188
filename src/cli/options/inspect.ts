// Defines the commands that look at sessions, and those about known findings.
import type { Command } from 'commander'
import { addJsonOption, isFlagSet, LATEST_SESSION_HELP, parseInteger, setExitCode } from './shared.ts'

export function addInspectCommands(program: Command): void {
  addJsonOption(program.command('list'))
    .description('the sessions, the newest first')
    .option('--repo <folder>', 'only those of this repository')
    .option('--all', 'not only the latest 20')
    .action(async (options) => {
      const { runListCommand } = await import('../commands/list.ts')
      setExitCode(
        await runListCommand({ repo: options.repo, all: isFlagSet(options.all), json: isFlagSet(options.json) }),
      )
    })

  addJsonOption(program.command('status'))
    .description('one session as it stands: issues, scores, cost, worker')
    .argument('[session]', LATEST_SESSION_HELP)
    .action(async (session: string | undefined, options) => {
      const { runStatusCommand } = await import('../commands/status.ts')
      setExitCode(await runStatusCommand(session, { json: isFlagSet(options.json) }))
    })

  program
    .command('watch')
    .description("follow a session's events to its end")
    .argument('[session]', LATEST_SESSION_HELP)
    .option('--json', 'one JSON object a line')
    .option('--since <seq>', 'only what comes after the event of this number', parseInteger, 0)
    .action(async (session: string | undefined, options) => {
      const { runWatchCommand } = await import('../commands/watch.ts')
      setExitCode(await runWatchCommand(session, { since: options.since, json: isFlagSet(options.json) }))
    })

  addJsonOption(program.command('logs'))
    .description('what happened, and where prompts, replies and diffs lie')
    .argument('[session]', LATEST_SESSION_HELP)
    .argument('[issue]', 'only what is about this issue')
    .option('--prompts', 'what each call was told and what it answered, instead')
    .option('--raw', 'all that the CLIs printed, instead')
    .option('--diff', 'what was committed, or what the last attempt changed, as a patch, instead')
    .action(async (session: string | undefined, issue: string | undefined, options) => {
      const { runLogsCommand } = await import('../commands/logs.ts')
      setExitCode(
        await runLogsCommand(session, {
          issue,
          prompts: isFlagSet(options.prompts),
          raw: isFlagSet(options.raw),
          diff: isFlagSet(options.diff),
          json: isFlagSet(options.json),
        }),
      )
    })

  program
    .command('report')
    .description('what was fixed, with the evidence: fit for a pull request')
    .argument('[session]', LATEST_SESSION_HELP)
    .option('--json', 'the same as --format json')
    .option('--format <format>', 'md, json, html or sarif', 'md')
    .option('--output <file>', 'into this file, not to standard output')
    .action(async (session: string | undefined, options) => {
      const { runReportCommand } = await import('../commands/report.ts')
      setExitCode(await runReportCommand(session, { ...options, json: isFlagSet(options.json) }))
    })
}

export function addIssueCommands(program: Command): void {
  addJsonOption(program.command('issues'))
    .description('the known findings, and what became of each')
    .option('--repo <folder>', 'only those of this repository')
    .option('--task <id>', 'only those of this task')
    .option('--related <code>', 'only those worth fixing together with this one: same file, same category')
    .option('--status <list>', 'only open, in_progress, resolved, failed, merged, ignored or duplicate ones')
    .option('--severity <list>', 'only critical, high, medium, low or info ones; as --status, several with commas')
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
