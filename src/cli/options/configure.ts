// The commands about settings, trust and what is installed: each as it is typed.
import { type Command, Option } from 'commander'
import { done, flagsOf, isOn, several, withJson, withSettings } from './shared.ts'

export function addSetUp(program: Command): void {
  program.commandsGroup('Set up:')

  withJson(withSettings(program.command('config')))
    .description('each setting as it holds, and where it came from')
    .argument('[path]', 'only this setting, or this group of settings')
    .option('--repo <folder>', 'as it holds for this repository')
    .option('--base <revision>', "the commit whose .fixwright.yaml counts (default: the default branch's)")
    .action(async (path: string | undefined, options) => {
      const { config } = await import('../commands/config.ts')
      const { repo, base, json } = options
      done(await config({ path, repo, base, json: isOn(json), flags: flagsOf(options) }))
    })

  withJson(program.command('trust'))
    .description(
      "look at a repository's .fixwright.yaml, and let it set what you could set; or go on without what it needs",
    )
    .option('--repo <folder>', 'the git repository', '.')
    .option('--base <revision>', "the commit whose .fixwright.yaml it is (default: the default branch's)")
    .option(
      '--without <needs>',
      'go on without filters, hooks, signing or sign-off; repeatable, or with commas',
      several,
    )
    .option('--yes', 'you have looked at it: no question')
    .addOption(new Option('--list', 'what you trusted').conflicts(['without', 'yes', 'revoke']))
    .addOption(new Option('--revoke', 'trust this repository with nothing any more').conflicts(['without', 'yes']))
    .addHelpText(
      'after',
      `
What counts is the content that you were shown, to the byte: a change needs your trust again. Nothing of a repository is run for this.
See "What a repository may say" in docs/security.md.`,
    )
    .action(async (options) => {
      const { trust } = await import('../commands/trust.ts')
      const { repo, base, without = [], yes, list, revoke, json } = options
      done(
        await trust({
          repository: repo,
          base,
          without: without.flatMap((kinds: string) => kinds.split(',')).map((kind: string) => kind.trim()),
          yes: isOn(yes),
          list: isOn(list),
          revoke: isOn(revoke),
          json: isOn(json),
        }),
      )
    })

  withJson(withSettings(program.command('doctor')))
    .description('what is installed, what is missing, and how to get it')
    .option('--repo <folder>', 'and what this repository says and needs')
    .action(async (options) => {
      const { doctor } = await import('../commands/doctor.ts')
      done(await doctor({ repo: options.repo, json: isOn(options.json), flags: flagsOf(options) }))
    })
}
