// Defines the commands about webhooks.
import type { Command } from 'commander'
import { addJsonOption, isFlagSet, setExitCode } from './shared.ts'

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('addresses that are told when something happens')

  addJsonOption(webhook.command('add'))
    .description('tell an address of events; its secret, which signs them, is shown once')
    .argument('<url>', 'where they are posted to, as https://hooks.example.com/fixwright')
    .option(
      '--events <names>',
      'session.ended, decision.awaited, issue.changed, separated by commas',
      'session.ended,decision.awaited,issue.changed',
    )
    .action(async (url: string, { events, json }) => {
      const { runWebhookAddCommand } = await import('../commands/service/webhook.ts')
      setExitCode(await runWebhookAddCommand({ url, events: `${events}`.split(',') }, { json: isFlagSet(json) }))
    })

  addJsonOption(webhook.command('list'))
    .description('the webhooks, the oldest first, with what came of their last try')
    .action(async ({ json }) => {
      const { runWebhookListCommand } = await import('../commands/service/webhook.ts')
      setExitCode(await runWebhookListCommand({ json: isFlagSet(json) }))
    })

  addJsonOption(webhook.command('remove'))
    .description('tell an address no more')
    .argument('<id>', 'as "fixwright webhook list" shows it')
    .action(async (id: string, { json }) => {
      const { runWebhookRemoveCommand } = await import('../commands/service/webhook.ts')
      setExitCode(await runWebhookRemoveCommand(id, { json: isFlagSet(json) }))
    })

  addJsonOption(webhook.command('test'))
    .description('post a signed webhook.test, once; status 1 if it was not taken')
    .argument('<id>', 'as "fixwright webhook list" shows it')
    .action(async (id: string, { json }) => {
      const { runWebhookTestCommand } = await import('../commands/service/webhook.ts')
      setExitCode(await runWebhookTestCommand(id, { json: isFlagSet(json) }))
    })
}
