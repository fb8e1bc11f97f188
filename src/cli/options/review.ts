// Defines the commands that review without fixing.
import type { Command } from 'commander'
import { addSettingsOptions, collectSettingFlags, isFlagSet, setExitCode } from './shared.ts'

export function addReviewCommands(program: Command): void {
  addReviewCommand(program)
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
      const { runReviewPrCommand } = await import('../commands/review/review-pr.ts')
      setExitCode(
        await runReviewPrCommand({ repository: repo, base, head, format, flags: collectSettingFlags(options) }),
      )
    })
}

function addReviewCommand(program: Command): void {
  const command = program
    .command('review')
    .description('review a change by experts, and verify every finding by trying to disprove it')
    .option('--repo <folder>', 'the git repository', '.')
    .option('--base <revision>', 'what the change is compared with (default: the default branch)')
    .option('--head <revision>', 'the commit to review (default: the one that is checked out)')
    .option('--spec <path>', 'its specification, a folder or file of that commit')
    .option(
      '--experts <names>',
      'who reviews, with commas: language, spec, be-architecture, be-quality, fe-architecture, fe-quality (default: by what changed)',
    )
    .option('--notes <text>', 'what the reviewers should know besides')
    .option('--format <format>', 'print the report: md, json, sarif or html')
    .option('--import', 'make issues of the confirmed findings, for "fixwright issues" and later sessions')
    .option('--task <id>', 'the task of these issues (default: one of their own)')
    .option('--max-cost <usd>', 'what the review may cost, as far as that is known')
    .option('--max-minutes <n>', 'how long it may take')
    .option('--ignore-untrusted', "go on without what nobody has trusted in the repository's .fixwright.yaml")
    .option(
      '--cancel-on-signal',
      'SIGTERM, a lost terminal and Ctrl-C cancel the review; otherwise it goes on without you',
    )
  addSettingsOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  fixwright review --repo ../my-app
  fixwright review --repo ../my-app --base main --spec specs/login --experts language,spec
  fixwright review --repo ../my-app --format sarif > review.sarif
  fixwright review --repo ../my-app --format json > review.json && fixwright fix review.json --repo ../my-app

Exit status: 0 the whole change was reviewed and nothing stands, 1 something was confirmed, could not be verified
or was not reviewed, 2 wrong input, or nothing to review, 3 the review failed: nothing is known, 130 cancelled.`,
    )
    .action(async (options) => {
      const { repo, base, head, spec, notes, task, format, ignoreUntrusted, cancelOnSignal } = options
      const { runReviewCommand } = await import('../commands/review/review.ts')
      setExitCode(
        await runReviewCommand({
          repository: repo,
          ...{ base, head, spec, notes, task, format },
          import: isFlagSet(options.import),
          cancelOnSignal: isFlagSet(cancelOnSignal),
          flags: collectSettingFlags({ ...options, ...(ignoreUntrusted ? { ignoreUntrusted: 'ignore' } : {}) }),
        }),
      )
    })
}
