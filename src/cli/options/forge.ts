// Defines the commands that speak to a forge.
import type { Command } from 'commander'
import {
  addJsonOption,
  addSettingsOptions,
  collectSettingFlags,
  isFlagSet,
  SESSION_ARGUMENT_HELP,
  setExitCode,
} from './shared.ts'

export function addForgeCommands(program: Command): void {
  addSettingsOptions(addJsonOption(program.command('pr')))
    .description("push a session's branch and open its pull request, once")
    .argument('<session>', SESSION_ARGUMENT_HELP)
    .option('--draft', 'as a draft')
    .option('--title <text>', 'default: the subject of its one commit, or how many findings are fixed')
    .option('--base <branch>', "what it is to be merged into (default: the forge's default branch)")
    .option('--remote <name>', 'the remote of the repository (default: origin)')
    .addHelpText(
      'after',
      `
The body is the session's report. The same command again finds what it made: it pushes commits that came since, and opens nothing twice.
It goes on without you, through crashes and limits. A remote that is not github.host gets the push alone.

Exit status: 0 the pull request is there, 2 wrong input, 3 the forge refused or does not answer.`,
    )
    .action(async (session: string, { draft, title, base, remote, json, ...options }) => {
      const { runPrCommand } = await import('../commands/forge/pr.ts')
      const wanted = { draft: isFlagSet(draft), title, base, remote }
      setExitCode(
        await runPrCommand(session, { ...wanted, json: isFlagSet(json), flags: collectSettingFlags(options) }),
      )
    })

  addSettingsOptions(addJsonOption(program.command('watch-pr')))
    .description('wait durably for the end of a pull request: its issues are merged then, or open again')
    .argument('[pull]', 'owner/name#12, its address, or 12; or a session, whose branch is watched by git alone')
    .option('--list', 'what is watched')
    .option('--stop', 'watch it no more')
    .option('--wait', 'stay until it has ended')
    .option('--repo <repository>', 'where its issues are: a registered name or a folder', '.')
    .option('--base <branch>', "what a session's branch is to be merged into (default: the main branch)")
    .addHelpText(
      'after',
      `
Usually "fixwright pr" has started it. It looks once and returns; the watch goes on whenever an instance runs, as with "fixwright up",
through crashes and limits. Watching again looks at once.

Exit status: 0 it is watched or has ended, 2 wrong input, 3 it can't be seen.`,
    )
    .action(async (pull: string | undefined, { list, stop, wait, repo, base, json, ...options }) => {
      const { runWatchPrCommand } = await import('../commands/forge/watch-pr.ts')
      const wanted = { list: isFlagSet(list), stop: isFlagSet(stop), wait: isFlagSet(wait), repo, base }
      const shown = { json: isFlagSet(json), flags: collectSettingFlags(options) }
      setExitCode(await runWatchPrCommand(pull, { ...wanted, ...shown }))
    })

  const github = program.command('github').description('what Fixwright may do on GitHub')
  addSettingsOptions(addJsonOption(github.command('doctor')))
    .description('which credential counts, who that is, what it may do, and how much of its limit is left')
    .option('--repo <folder>', 'the git repository', '.')
    .action(async ({ repo, json, ...options }) => {
      const { runGitHubDoctorCommand } = await import('../commands/forge/github-doctor.ts')
      setExitCode(await runGitHubDoctorCommand({ repo, json: isFlagSet(json), flags: collectSettingFlags(options) }))
    })
}
