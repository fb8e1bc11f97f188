// Defines the commands that review without fixing.
import type { Command } from 'commander'
import { addSettingsOptions, collectSettingFlags, setExitCode } from './shared.ts'

export function addReviewCommands(program: Command): void {
  addSettingsOptions(program.command('review-pr'))
    .description('two independent votes of two vendors on a change')
    .option('--repo <folder>', 'the git repository', '.')
    .option('--base <revision>', 'what the change is to be merged into (default: the default branch)')
    .option('--head <revision>', 'the change (default: the branch that is checked out)')
    .option('--format <format>', 'md, json, html or sarif', 'md')
    .addHelpText(
      'after',
      `
Claude and Gemini vote at the same time, from 0 to 100, each in a read-only checkout of its own; neither sees the other. A mean of 80 approves.
Where a vote is missing or can't be counted there is no verdict, and the report says why.

Example:
  fixwright review-pr --repo ../my-app --base main --head feature --format sarif > votes.sarif

The same command again joins the session while it runs. Exit status: 0 approved, 1 not approved, 2 wrong input, 3 no verdict, 130 cancelled, or left.`,
    )
    .action(async ({ repo, base, head, format, ...options }) => {
      const { runReviewPrCommand } = await import('../commands/review-pr.ts')
      setExitCode(
        await runReviewPrCommand({ repository: repo, base, head, format, flags: collectSettingFlags(options) }),
      )
    })
}
