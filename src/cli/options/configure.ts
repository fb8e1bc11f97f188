// Defines the commands about settings, trust and what is installed.
import { type Command, Option } from 'commander'
import { addJsonOption, addSettingsOptions, collect, collectSettingFlags, isFlagSet, setExitCode } from './shared.ts'

export function addConfigureCommands(program: Command): void {
  addJsonOption(addSettingsOptions(program.command('config')))
    .description('each setting as it holds, and where it came from')
    .argument('[path]', 'only this setting, or this group of settings')
    .option('--repo <folder>', 'as it holds for this repository, by its folder or the name that it is registered with')
    .option('--base <revision>', "the commit whose .fixwright.yaml counts (default: the default branch's)")
    .action(async (path: string | undefined, options) => {
      const { runConfigCommand } = await import('../commands/config.ts')
      const { repo, base, json } = options
      setExitCode(
        await runConfigCommand({ path, repo, base, json: isFlagSet(json), flags: collectSettingFlags(options) }),
      )
    })

  addJsonOption(program.command('trust'))
    .description(
      "look at a repository's .fixwright.yaml, and let it set what you could set; or go on without what it needs",
    )
    .option('--repo <folder>', 'the git repository, by its folder or the name that it is registered with', '.')
    .option('--base <revision>', "the commit whose .fixwright.yaml it is (default: the default branch's)")
    .option(
      '--without <needs>',
      'go on without filters, hooks, signing or sign-off; repeatable, or with commas',
      collect,
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
      const { runTrustCommand } = await import('../commands/trust.ts')
      const { repo, base, without = [], yes, list, revoke, json } = options
      setExitCode(
        await runTrustCommand({
          repository: repo,
          base,
          without: without.flatMap((kinds: string) => kinds.split(',')).map((kind: string) => kind.trim()),
          yes: isFlagSet(yes),
          list: isFlagSet(list),
          revoke: isFlagSet(revoke),
          json: isFlagSet(json),
        }),
      )
    })

  addJsonOption(addSettingsOptions(program.command('doctor')))
    .description('what is installed, what is missing, and how to get it')
    .option(
      '--repo <folder>',
      'and what this repository says and needs, by its folder or the name that it is registered with',
    )
    .action(async (options) => {
      const { runDoctorCommand } = await import('../commands/doctor.ts')
      setExitCode(
        await runDoctorCommand({
          repo: options.repo,
          json: isFlagSet(options.json),
          flags: collectSettingFlags(options),
        }),
      )
    })
}
