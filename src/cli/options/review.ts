// Defines the commands that review without fixing.
import type { Command } from 'commander'
import type { ReviewCommandOptions } from '../commands/review/review.ts'
import {
  addJsonOption,
  addSettingsOptions,
  collect,
  collectSettingFlags,
  isFlagSet,
  LATEST_SESSION_HELP,
  setExitCode,
} from './shared.ts'

export function addReviewCommands(program: Command): void {
  addReviewCommand(program)
  addReviewFixCommand(program)
  addLeftoversCommand(program)
  addSettingsOptions(program.command('review-pr'))
    .description('two independent votes of two vendors on a change')
    .option('--repo <folder>', 'the git repository', '.')
    .option('--base <revision>', 'what the change is to be merged into (default: the default branch)')
    .option('--head <revision>', 'the change (default: the branch that is checked out)')
    .option('--pr <owner/name#number>', 'vote on this pull request of one of its remotes, instead of --base and --head')
    .option('--allow-fork', 'with --pr: read it although it comes from a fork, where anybody may have written it')
    .option('--post', 'with --pr: post verdict, findings and both votes on it, each once')
    .option('--approve', 'with --post: an approval counts as one of the credential; it goes when the head moves')
    .option(
      '--votes <file>',
      'with --post: post this report (--format json) of another machine; asks nobody, needs no repository',
    )
    .option('--format <format>', 'md, json, html or sarif', 'md')
    .addHelpText(
      'after',
      `
Claude and Gemini vote at the same time, from 0 to 100, each in a read-only checkout of its own; neither sees the other. A mean of 80 approves.
Where a vote is missing or can't be counted there is no verdict, and the report says why.

Examples:
  fixwright review-pr --repo ../my-app --base main --head feature --format sarif > votes.sarif
  fixwright review-pr --repo ../my-app --pr acme/my-app#12 --post

The same command again joins the session while it runs. Exit status: 0 approved, 1 not approved, 2 wrong input, 3 no verdict, 130 cancelled, or left.`,
    )
    .action(async ({ repo, base, head, format, pr: pull, allowFork, post, approve, votes, ...options }) => {
      const { runReviewPrCommand } = await import('../commands/review/review-pr.ts')
      setExitCode(
        await runReviewPrCommand({
          ...{ repository: repo, base, head, format, pull, votes },
          ...{ allowFork: isFlagSet(allowFork), post: isFlagSet(post), approve: isFlagSet(approve) },
          flags: collectSettingFlags(options),
        }),
      )
    })
}

function addReviewCommand(program: Command): void {
  addReviewOptions(program.command('review'))
    .description('review a change by experts, and verify every finding by trying to disprove it')
    .option('--import', 'make issues of the confirmed findings, for "fixwright issues" and later sessions')
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
      const { runReviewCommand } = await import('../commands/review/review.ts')
      setExitCode(await runReviewCommand({ ...toReviewInput(options), import: isFlagSet(options.import) }))
    })
}

function addReviewFixCommand(program: Command): void {
  addReviewOptions(program.command('review-fix'))
    .description('review a change, then fix what was confirmed, or say why not')
    .option('--max-iterations <n>', 'how often the fixer may try (default: 5); an issue has at most 3 attempts')
    .option('--challenge', 'let a second model judge every fix, whatever the settings say')
    .option('--no-challenge', 'let only the checks judge')
    .option('--verify <command>', 'a check of yours that must not break; repeatable', collect)
    .option('--setup <command>', 'what the clone needs before, as "npm ci"; repeatable', collect)
    .option('--create-issues', 'create an issue on the forge for each finding that could not be fixed')
    .addHelpText(
      'after',
      `
What could not be fixed is printed as the issues that it would become, and stored: "fixwright leftovers SESSION".

Examples:
  fixwright review-fix --repo ../my-app --base main --verify "npm test"
  fixwright leftovers 3f2a

Exit status: 0 the whole change was reviewed and all that was found is fixed, 1 something is left, could not be
verified or was not reviewed, 2 wrong input, or nothing to review, 3 the review failed: nothing is known, 130 cancelled.`,
    )
    .action(async ({ challenge, ...options }) => {
      const { runReviewCommand } = await import('../commands/review/review.ts')
      const input = toReviewInput(options)
      const flags = { ...input.flags, ...(challenge === undefined ? {} : { 'fix_challenger.enabled': challenge }) }
      setExitCode(
        await runReviewCommand({ ...input, flags, fixes: true, createIssues: isFlagSet(options.createIssues) }),
      )
    })
}

function addLeftoversCommand(program: Command): void {
  addSettingsOptions(addJsonOption(program.command('leftovers')))
    .description('what a session could not fix, with every attempt, as the issues that it would become')
    .argument('[session]', LATEST_SESSION_HELP)
    .option('--create', 'create them on GitHub, each once; the same command again finds what is there')
    .option('--label <name>', 'with --create: a label; repeatable', collect)
    .option('--remote <name>', 'with --create: the remote of the repository (default: origin)')
    .action(async (session: string | undefined, { json, create, label: labels = [], remote, ...options }) => {
      const { runLeftoversCommand } = await import('../commands/review/leftovers.ts')
      const wanted = { json: isFlagSet(json), create: isFlagSet(create), labels, remote }
      setExitCode(await runLeftoversCommand(session, { ...wanted, flags: collectSettingFlags(options) }))
    })
}

function addReviewOptions(command: Command): Command {
  return addSettingsOptions(
    command
      .option('--repo <folder>', 'the git repository', '.')
      .option('--base <revision>', 'what the change is compared with (default: the default branch)')
      .option('--head <revision>', 'the commit to review (default: the one that is checked out)')
      .option('--spec <path>', 'its specification, a folder or file of that commit')
      .option(
        '--experts <names>',
        'who reviews, with commas: language, spec, be-architecture, be-quality, fe-architecture, fe-quality (default: by what changed)',
      )
      .option('--notes <text>', 'what the agents should know besides')
      .option('--format <format>', 'print the report: md, json, sarif or html')
      .option('--max-cost <usd>', 'what it may cost, as far as that is known')
      .option('--max-minutes <n>', 'how long it may take')
      .option('--ignore-untrusted', "go on without what nobody has trusted in the repository's .fixwright.yaml")
      .option(
        '--cancel-on-signal',
        'SIGTERM, a lost terminal and Ctrl-C cancel the session; otherwise it goes on without you',
      ),
  )
}

interface TypedReviewOptions extends Readonly<Record<string, unknown>> {
  readonly repo: string
  readonly base?: string
  readonly head?: string
  readonly spec?: string
  readonly notes?: string
  readonly format?: string
  readonly ignoreUntrusted?: true
  readonly cancelOnSignal?: true
}

function toReviewInput(options: TypedReviewOptions): ReviewCommandOptions {
  const { repo, base, head, spec, notes, format, ignoreUntrusted, cancelOnSignal } = options
  return {
    repository: repo,
    ...{ base, head, spec, notes, format },
    cancelOnSignal: isFlagSet(cancelOnSignal),
    flags: collectSettingFlags({ ...options, ...(ignoreUntrusted ? { ignoreUntrusted: 'ignore' } : {}) }),
  }
}
