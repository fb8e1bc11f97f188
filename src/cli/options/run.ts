// The commands that work, or have a session work: each as it is typed.
import type { Command } from 'commander'
import { addFix } from './fix.ts'
import { done, flagsOf, isOn, SESSION, several, withJson, withSettings } from './shared.ts'

export function addWork(program: Command): void {
  program.commandsGroup('Work:')
  addFix(program)

  withJson(program.command('answer'))
    .description('answer what a session asks: on a terminal one by one')
    .argument('<session>', SESSION)
    .option('--answer <id=text>', 'an answer to one question, as in FUNC-001-q1="the strict one"; repeatable', several)
    .option('--file <file>', 'answers as JSON, by the ids of their questions; - reads standard input')
    .option('--skip', 'go on without answers to what is still open')
    .action(async (session: string, options) => {
      const { answer } = await import('../commands/answer.ts')
      const { answer: answers = [], file, skip, json } = options
      done(await answer(session, { answers, file, skip: isOn(skip), json: isOn(json) }))
    })

  withJson(program.command('plan'))
    .description("show a session's plan, and decide about it")
    .argument('<session>', SESSION)
    .option('--approve', 'begin with it, with the changes given here if there are any')
    .option('--reject <why>', 'have it made again; the planner is told why')
    .option('--edit', 'change it in your $VISUAL or $EDITOR')
    .option('--drop <codes>', 'leave these issues out; repeatable, or with commas', several)
    .option('--order <codes>', 'plan the issues in this order; repeatable, or with commas', several)
    .option('--note <code=text>', 'what the fixer should know about an issue; repeatable', several)
    .action(async (session: string, options) => {
      const { plan } = await import('../commands/plan.ts')
      const { approve, reject, edit, drop = [], order = [], note: notes = [], json } = options
      done(
        await plan(session, { approve: isOn(approve), reject, edit: isOn(edit), drop, order, notes, json: isOn(json) }),
      )
    })

  withJson(program.command('scope'))
    .description('show what was changed outside of the scope, and decide about it')
    .argument('<session>', SESSION)
    .option('--approve [paths...]', 'let it pass for this session: all, or these files and folders (ending in /)')
    .option('--approve-once [paths...]', 'let it pass this one time')
    .option('--for-repository', 'with --approve: for every later session on this repository, too')
    .option('--reject [why]', 'take back what the issues in question changed')
    .action(async (session: string, options) => {
      const { scope } = await import('../commands/scope.ts')
      const { approve, approveOnce, forRepository, reject, json } = options
      done(
        await scope(session, {
          approve: paths(approve),
          approveOnce: paths(approveOnce),
          forRepository: isOn(forRepository),
          reject,
          json: isOn(json),
        }),
      )
    })

  withSettings(program.command('up'))
    .description('run the Temporal server, its UI and the worker until Ctrl-C')
    .action(async (options) => {
      const { up } = await import('../commands/up.ts')
      done(await up(flagsOf(options)))
    })

  withJson(program.command('cancel'))
    .description('stop a session for good; what is committed stays')
    .argument('<session>', SESSION)
    .option('--reason <text>', 'why, for the record')
    .action(async (session: string, { reason, json }) => {
      const { cancel } = await import('../commands/cancel.ts')
      done(await cancel(session, { reason, json: isOn(json) }))
    })
}

/** A list that may be empty: then it means all. */
function paths(given: true | readonly string[] | undefined): readonly string[] | undefined {
  return given === true ? [] : given
}
