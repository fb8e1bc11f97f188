// The terminal's entry point: the commands, and how each of them ends. A command's code is loaded only when called.
import { Command, CommanderError } from 'commander'
import { FixwrightError } from '../app/errors.ts'
import { readPackageVersion } from '../runtime/home/package-root.ts'
import { addConfigureCommands } from './options/configure.ts'
import { addFixCommand } from './options/fix.ts'
import { addForgeCommands } from './options/forge.ts'
import { addHelpCommands } from './options/help.ts'
import { addInspectCommands, addIssueCommands } from './options/inspect.ts'
import { addImportCommand, addRepositoryCommands } from './options/repo.ts'
import { addReviewCommands } from './options/review.ts'
import { addSessionCommands } from './options/session.ts'
import { addTokenCommands } from './options/token.ts'
import { addWebhookCommands } from './options/webhook.ts'
import { endWithError } from './terminal/end-with-error.ts'
import { sanitizeText } from './terminal/sanitize.ts'

const program = new Command('fixwright')
  .description(
    'Turns the findings of a code review into commits that someone can trust: one agent fixes, another challenges, your checks run, and Temporal remembers every step.',
  )
  .version(readPackageVersion(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'explain a command')
  .option('--debug', 'with any command: show where an unexpected error comes from')
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
addReviewCommands(program)
addForgeCommands(program)
addSessionCommands(program)
program.commandsGroup('Look:')
addInspectCommands(program)
program.commandsGroup('Issues:')
addImportCommand(program)
addIssueCommands(program)
program.commandsGroup('Set up:')
addRepositoryCommands(program)
addConfigureCommands(program)
addTokenCommands(program)
addWebhookCommands(program)
program.commandsGroup('Help:')
addHelpCommands(program)

for (const command of program.commands) {
  command.showHelpAfterError(`("fixwright ${command.name()} --help" explains it)`)
}

// A reader such as `head` may close the output before its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  endAtOnce(new FixwrightError('output_unwritable', `standard output can't be written: ${error.message}`))
})
// Without standard error nothing can be told any more, and the work goes on: a closed terminal detaches.
process.stderr.on('error', () => undefined)
process.on('uncaughtException', endAtOnce)

try {
  await program.parseAsync()
} catch (error) {
  // Commander has already printed its message. Help and the version also end this way.
  if (!(error instanceof CommanderError)) await endWithError(error)
  else if (error.exitCode !== 0) {
    await endWithError(new FixwrightError('bad_input', error.message.replace(/^error: /, '')), { isPrinted: true })
  }
}

function endAtOnce(error: Error): void {
  void endWithError(error).finally(() => process.exit())
}
