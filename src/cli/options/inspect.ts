// The commands that only look at what there is: each as it is typed.
import type { Command } from 'commander'
import { done, isOn, SESSION, whole, withJson } from './shared.ts'

export function addLook(program: Command): void {
  program.commandsGroup('Look:')

  withJson(program.command('list'))
    .description('the sessions, the newest first')
    .option('--repo <folder>', 'only those of this repository')
    .option('--all', 'not only the latest 20')
    .action(async (options) => {
      const { list } = await import('../commands/list.ts')
      done(await list({ repo: options.repo, all: isOn(options.all), json: isOn(options.json) }))
    })

  withJson(program.command('status'))
    .description('one session as it stands: issues, scores, cost, worker')
    .argument('<session>', SESSION)
    .action(async (session: string, options) => {
      const { status } = await import('../commands/status.ts')
      done(await status(session, { json: isOn(options.json) }))
    })

  program
    .command('watch')
    .description("follow a session's events to its end")
    .argument('<session>', SESSION)
    .option('--json', 'one JSON object a line')
    .option('--since <seq>', 'only what comes after the event of this number', whole, 0)
    .action(async (session: string, options) => {
      const { watch } = await import('../commands/watch.ts')
      done(await watch(session, { since: options.since, json: isOn(options.json) }))
    })

  program
    .command('logs')
    .description('what happened, and where prompts, replies and diffs lie')
    .argument('<session>', SESSION)
    .argument('[issue]', 'only what is about this issue')
    .option('--prompts', 'what each call was told and what it answered, instead')
    .option('--raw', 'all that the CLIs printed, instead')
    .action(async (session: string, issue: string | undefined, options) => {
      const { logs } = await import('../commands/logs.ts')
      done(await logs(session, { issue, prompts: isOn(options.prompts), raw: isOn(options.raw) }))
    })

  program
    .command('report')
    .description('what was fixed, with the evidence: fit for a pull request')
    .argument('<session>', SESSION)
    .option('--format <format>', 'md, json, html or sarif', 'md')
    .option('--output <file>', 'into this file, not to standard output')
    .action(async (session: string, options) => {
      const { report } = await import('../commands/report.ts')
      done(await report(session, options))
    })
}
