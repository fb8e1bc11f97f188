// Defines the commands that send something to a session, and `up`, which runs them.
import type { Command } from 'commander'
import {
  addJsonOption,
  addSettingsOptions,
  collect,
  collectSettingFlags,
  isFlagSet,
  SESSION_ARGUMENT_HELP,
  setExitCode,
} from './shared.ts'

export function addSessionCommands(program: Command): void {
  addJsonOption(program.command('answer'))
    .description('answer what a session asks: on a terminal one by one')
    .argument('<session>', SESSION_ARGUMENT_HELP)
    .option('--answer <id=text>', 'an answer to one question, as in FUNC-001-q1="the strict one"; repeatable', collect)
    .option('--file <file>', 'answers as JSON, by the ids of their questions; - reads standard input')
    .option('--skip', 'go on without answers to what is still open')
    .action(async (session: string, options) => {
      const { runAnswerCommand } = await import('../commands/answer.ts')
      const { answer: answers = [], file, skip, json } = options
      setExitCode(await runAnswerCommand(session, { answers, file, skip: isFlagSet(skip), json: isFlagSet(json) }))
    })

  addJsonOption(program.command('plan'))
    .description("show a session's plan, and decide about it")
    .argument('<session>', SESSION_ARGUMENT_HELP)
    .option('--approve', 'begin with it, with the changes given here if there are any')
    .option('--reject <why>', 'have it made again; the planner is told why')
    .option('--edit', 'change it in your $VISUAL or $EDITOR')
    .option('--drop <codes>', 'leave these issues out; repeatable, or with commas', collect)
    .option('--order <codes>', 'plan the issues in this order; repeatable, or with commas', collect)
    .option('--note <code=text>', 'what the fixer should know about an issue; repeatable', collect)
    .action(async (session: string, options) => {
      const { runPlanCommand } = await import('../commands/plan.ts')
      const { approve, reject, edit, drop = [], order = [], note: notes = [], json } = options
      setExitCode(
        await runPlanCommand(session, {
          approve: isFlagSet(approve),
          reject,
          edit: isFlagSet(edit),
          drop,
          order,
          notes,
          json: isFlagSet(json),
        }),
      )
    })

  addJsonOption(program.command('scope'))
    .description('show what was changed outside of the scope, and decide about it')
    .argument('<session>', SESSION_ARGUMENT_HELP)
    .option('--approve [paths...]', 'let it pass for this session: all, or these files and folders (ending in /)')
    .option('--approve-once [paths...]', 'let it pass this one time')
    .option('--for-repository', 'with --approve: for every later session on this repository, too')
    .option('--reject [why]', 'take back what the issues in question changed')
    .action(async (session: string, options) => {
      const { runScopeCommand } = await import('../commands/scope.ts')
      const { approve, approveOnce, forRepository, reject, json } = options
      setExitCode(
        await runScopeCommand(session, {
          approve: toPathList(approve),
          approveOnce: toPathList(approveOnce),
          forRepository: isFlagSet(forRepository),
          reject,
          json: isFlagSet(json),
        }),
      )
    })

  addSettingsOptions(program.command('up'))
    .description('run the Temporal server, its UI, the worker and the HTTP API until Ctrl-C')
    .option('--behind-proxy', 'a proxy with TLS stands in front of the HTTP API')
    .action(async (options) => {
      const { runUpCommand } = await import('../commands/service/up.ts')
      setExitCode(await runUpCommand(collectSettingFlags(options)))
    })

  addJsonOption(program.command('pause'))
    .description('begin no further step of a session; the one under way ends, nothing is lost')
    .argument('<session>', SESSION_ARGUMENT_HELP)
    .option('--reason <text>', 'why, for the record')
    .action(async (session: string, { reason, json }) => {
      const { runPauseCommand } = await import('../commands/stop.ts')
      setExitCode(await runPauseCommand(session, { reason, json: isFlagSet(json) }))
    })

  addJsonOption(program.command('resume'))
    .description('go on with a session that was paused')
    .argument('<session>', SESSION_ARGUMENT_HELP)
    .action(async (session: string, { json }) => {
      const { runResumeCommand } = await import('../commands/stop.ts')
      setExitCode(await runResumeCommand(session, { json: isFlagSet(json) }))
    })

  addJsonOption(program.command('cancel'))
    .description('stop a session for good; what is committed stays')
    .argument('<session>', SESSION_ARGUMENT_HELP)
    .option('--reason <text>', 'why, for the record')
    .action(async (session: string, { reason, json }) => {
      const { runCancelCommand } = await import('../commands/stop.ts')
      setExitCode(await runCancelCommand(session, { reason, json: isFlagSet(json) }))
    })
}

/** An option given without paths means all paths. */
function toPathList(given: true | readonly string[] | undefined): readonly string[] | undefined {
  return given === true ? [] : given
}
