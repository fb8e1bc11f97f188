// Defines the commands about the commands: help, version, completion.
import type { Command } from 'commander'
import { readPackageVersion } from '../../runtime/home/package-root.ts'
import { parseChoice } from './shared.ts'

export function addHelpCommands(program: Command): void {
  // Commander's own `help` answers an unknown command with the general help and does not mention the mistake.
  program.helpCommand(false)
  program
    .command('help')
    .argument('[command]')
    .description('explain a command')
    .action((name: string | undefined) => {
      const asked = name === undefined ? program : program.commands.find((command) => command.name() === name)
      if (asked) asked.outputHelp()
      else program.error(`error: unknown command '${name}'`)
    })

  program
    .command('version')
    .description('print the version')
    .action(() => void process.stdout.write(`${readPackageVersion()}\n`))

  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('print a script that completes commands, options and sessions')
    .addHelpText(
      'after',
      `
Put it where your shell reads it at its start:
  bash   source <(fixwright completion bash)       in ~/.bashrc
  zsh    source <(fixwright completion zsh)        in ~/.zshrc
  fish   fixwright completion fish | source        in ~/.config/fish/config.fish`,
    )
    .action(async (shell: string) => {
      const { listCompletedSessions, renderCompletion, SHELLS } = await import('./completion.ts')
      const lines =
        shell === 'sessions'
          ? await listCompletedSessions()
          : [renderCompletion(parseChoice('completion', shell, SHELLS), listCommands(program))]
      process.stdout.write(lines.map((line) => `${line}\n`).join(''))
    })
}

function listCommands(program: Command) {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: command.options.flatMap(({ long, description }) => (long ? [{ long, description }] : [])),
    takesSession: command.registeredArguments[0]?.name() === 'session',
  }))
}
