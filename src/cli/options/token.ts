// Defines the commands about the tokens of the HTTP service.
import type { Command } from 'commander'
import { addJsonOption, isFlagSet, setExitCode } from './shared.ts'

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('make, list and revoke the tokens of the HTTP service')

  addJsonOption(token.command('create'))
    .description('make a token; it is shown once')
    .requiredOption('--name <name>', 'whose it is, as its requests are signed')
    .option('--role <role>', 'viewer (reads), operator (also starts and decides) or admin (also tokens)', 'operator')
    .option('--expires <time>', 'when it ends, as 90d, 12h, 30m or never', '90d')
    .option('--file <file>', 'into a new file that only you can read, not to standard output')
    .action(async ({ name, role, expires, file, json }) => {
      const { runTokenCreateCommand } = await import('../commands/service/token.ts')
      setExitCode(await runTokenCreateCommand({ name, role, expires, file, json: isFlagSet(json) }))
    })

  addJsonOption(token.command('list'))
    .description('the tokens, the newest first')
    .action(async ({ json }) => {
      const { runTokenListCommand } = await import('../commands/service/token.ts')
      setExitCode(await runTokenListCommand({ json: isFlagSet(json) }))
    })

  addJsonOption(token.command('revoke'))
    .description('end a token for good')
    .argument('<id>', 'the part of the token between its underscores; "fixwright token list" shows it')
    .action(async (id: string, { json }) => {
      const { runTokenRevokeCommand } = await import('../commands/service/token.ts')
      setExitCode(await runTokenRevokeCommand(id, { json: isFlagSet(json) }))
    })
}
