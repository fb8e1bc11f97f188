// The terminal's entry point: the commands, and how each of them ends. A command's code is loaded only when called.
import { Command, CommanderError } from 'commander'
import { ERROR_CODES, type ErrorCode, FixwrightError } from '../app/errors.ts'
import { readPackageVersion } from '../runtime/home/package-root.ts'
import { addConfigureCommands } from './options/configure.ts'
import { addFixCommand } from './options/fix.ts'
import { addInspectCommands, addIssueCommands } from './options/inspect.ts'
import { addSessionCommands } from './options/session.ts'
import { setExitCode } from './options/shared.ts'
import { sanitizeOutput, sanitizeText } from './terminal/sanitize.ts'

const program = new Command('fixwright')
  .description(
    'Turns the findings of a code review into commits that someone can trust: one agent fixes, another challenges, your checks run, and Temporal remembers every step.',
  )
  .version(readPackageVersion(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'explain a command')
  .exitOverride()
  .showSuggestionAfterError()
  .configureOutput({ outputError: (text, write) => write(sanitizeText(text.replace(/^error: /, 'fixwright: '))) })
  .showHelpAfterError('("fixwright --help" shows what there is)')
  .configureHelp({ showGlobalOptions: false })
  .addHelpText(
    'after',
    `
Start here:
  fixwright doctor                               what is installed, and what is missing
  fixwright fix findings.json --repo ../my-app   fix what a review found, on a branch of its own
  fixwright list                                 what became of it`,
  )

program.commandsGroup('Work:')
addFixCommand(program)
addSessionCommands(program)
program.commandsGroup('Look:')
addInspectCommands(program)
program.commandsGroup('Issues:')
addIssueCommands(program)
program.commandsGroup('Set up:')
addConfigureCommands(program)

// A reader such as `head` may close the output before its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

// Commander's own `help` answers an unknown command with the general help and does not mention the mistake.
program.helpCommand(false)
program.commandsGroup('Help:')
program
  .command('help')
  .argument('[command]')
  .description('explain a command')
  .action((name: string | undefined) => {
    const asked = name === undefined ? program : program.commands.find((command) => command.name() === name)
    if (asked) asked.outputHelp()
    else program.error(`error: unknown command '${name}'`)
  })

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already printed the message. Help and the version also end this way.
    if (error.exitCode !== 0) await endWithError('bad_input', error.message.replace(/^error: /, ''))
  } else if (error instanceof FixwrightError) {
    process.stderr.write(`fixwright: ${sanitizeOutput(error.message)}\n`)
    await endWithError(error.code, error.message)
  } else throw error
}

/** With `--json` also prints the error to standard output. `argv` is read because the options may be unreadable. */
async function endWithError(code: ErrorCode, message: string): Promise<void> {
  if (process.argv.includes('--json')) {
    const { print } = await import('./terminal/console.ts')
    print(JSON.stringify({ error: { code, message } }))
  }
  setExitCode(ERROR_CODES[code].exit)
}
