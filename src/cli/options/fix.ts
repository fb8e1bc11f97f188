// Defines `fixwright fix`: its arguments, options and help.
import { type Command, Option } from 'commander'
import { addJsonOption, addSettingsOptions, collect, collectSettingFlags, isFlagSet, setExitCode } from './shared.ts'

export function addFixCommand(program: Command): void {
  const fixCommand = program
    .command('fix')
    .description('fix findings, in a session that survives any crash')
    .argument(
      '[findings]',
      'a JSON file: {"issues":[…]}, the bare array, a review with groups, or a report of a tool; - reads standard input',
    )
    .option(
      '--format <format>',
      'the format of the findings: fixwright, sarif, eslint, semgrep, rdjson, codeclimate, github or github-issues (default: by their content)',
    )
    .option('--repo <folder>', 'the git repository, or the name that it is registered with', '.')
    .option('--open', 'the open issues of the store ("fixwright import"), in place of findings')
    .option('--severity <list>', 'with --open: only these, as critical,high')
    .option('--from-import <import>', 'with --open: only what this import opened')
    .option('--base <revision>', 'where the fixes start from (default: the default branch)')
    .option(
      '--against <branch>',
      'what the review compared the base with: agents are shown the difference near each finding (default: the default branch)',
    )
    .option('--profile <name>', 'how to go about it: batched, sequential, one-call, verify, or one of your own')
    .option('--notes <text>', 'what the fixer should know besides')
    .option('--context <file>', "the review's report in Markdown, as background for the agents; repeatable", collect)
    .option(
      '--only <codes>',
      'only these of the findings; repeatable, or with commas ("fixwright issues --related" helps)',
      collect,
    )
    .option('--task <id>', 'what this work is called (default: made from the findings)')
    .option('--verify <command>', 'a check of yours that must not break; repeatable', collect)
    .option('--setup <command>', 'what the clone needs before, as "npm ci"; repeatable', collect)
    .option(
      '--ignore-broken-checks <command>',
      'a check that may be unable to run before the fixes, or "all"; repeatable',
      collect,
    )
    .option('--strict', 'all checks must pass, not only those that passed before')
    .option('--max-iterations <n>', 'how often the fixer may try; 0: not at all')
    .option('--max-fix-cycles <n>', 'the same under another name')
    .option('--lanes <n>', 'how many batches are worked on at the same time, or "auto" (default: 1)')
    .option('--clarify', 'let the fixer ask what is unclear before it begins')
    .option('--approve-plan', 'begin only when somebody has agreed with the plan')
    .option(
      '--workspace <path>',
      'the one folder of the repository that fixes may change; what lies outside is asked about',
    )
    .option('--allow <path>', 'a file or folder besides it; repeatable', collect)
    .option(
      '--max-cost <usd>',
      'what the session may cost, as far as that is known; then it commits what passed and ends',
    )
    .option('--max-tokens <n>', 'how many tokens it may use, also as 500k or 2M')
    .option('--max-minutes <n>', 'how long it may take, without its waits for people')
    .option('--branch <name>', 'the branch that gets the commits (default: made from the titles)')
    .option('--use-existing-branch', 'go on with that branch where it is there already')
    .option('--force', 'cancel the session that is at this work, and start anew')
    .option(
      '--dry-run',
      'show the plan, the branch, the commands and the first prompt of each agent; nothing is started, run or changed',
    )
    .option(
      '--cancel-on-signal',
      'SIGTERM, a lost terminal and Ctrl-C cancel the session; otherwise it goes on without you',
    )
    .option('--yes', 'begin with any number of issues, without a question')
    .option('--no-wait', 'end with status 4 where the session waits for a person')
    .addOption(
      new Option(
        '--ignore-untrusted',
        "go on without what nobody has trusted in the repository's .fixwright.yaml",
      ).preset('ignore'),
    )
    .addOption(
      new Option('--allow-test-changes', 'commit fixes also where the tests as they were before fail with them').preset(
        'allow',
      ),
    )
    .option('--allow-dirty', 'fix files that have uncommitted changes: the fix will not see them')
  addJsonOption(addSettingsOptions(fixCommand))
    .addHelpText(
      'after',
      `
Only issue_code, title and file are required of a finding:
  {"issues": [{"issue_code": "BE-001", "title": "Discount is applied twice", "file": "shop/cart.py", "line": "45"}]}

Examples:
  fixwright fix findings.json --repo ../my-app
  fixwright fix scan.sarif --repo ../my-app
  fixwright fix --repo my-app --open --severity high,critical
  fixwright fix findings.json --repo ../my-app --setup "npm ci" --verify "npm test" --notes "use /api/v2/users"
  fixwright fix findings.json --repo ../my-app --context review.md --base feature/basket
  fixwright fix findings.json --repo ../my-app --profile sequential --json > result.json
  fixwright fix findings.json --repo ../my-app --profile verify --verify "npm test" --max-fix-cycles 3
  fixwright fix findings.json --repo ../my-app --dry-run > what-would-be-asked.txt
  fixwright fix findings.json --clarify --approve-plan --workspace packages/web --allow packages/shared
  fixwright fix findings.json --set claude.command=/opt/claude/bin/claude --set claude.timeout_seconds=1800

The same command again joins the session while it runs, also after a crash. Ctrl-C asks whether to
detach or to cancel; SIGTERM and a closed terminal detach (--cancel-on-signal: they cancel).
Where the session waits for a person, fix asks on a terminal, and elsewhere says which command answers, and waits.
Exit status: 0 all resolved, 1 some not, or committed though no check of yours could say anything about it, 2 wrong
input, or a check that can't run, 3 it could not go on, 4 it waits (--no-wait), 130 cancelled, or left.`,
    )
    .action(async (findings: string | undefined, options) => {
      const { format, repo: repository, base, against, branch, notes, context, task, only, json, wait } = options
      const { readFindingsArgument, readKnownSelection } = await import('./findings-argument.ts')
      const input = {
        findings: findings === undefined ? undefined : await readFindingsArgument(findings),
        known: readKnownSelection(findings, options),
        ...{ format, repository, base, against, branch, notes, context, task },
        useExistingBranch: isFlagSet(options.useExistingBranch),
        only: only?.flatMap((list: string) => list.split(',')).map((code: string) => code.trim()),
        allowDirty: isFlagSet(options.allowDirty),
        flags: collectSettingFlags(options),
      }
      if (isFlagSet(options.dryRun)) {
        const { runFixDryCommand } = await import('../commands/fix-dry-run.ts')
        return setExitCode(await runFixDryCommand(input, { json: isFlagSet(json) }))
      }
      const { runFixCommand } = await import('../commands/fix.ts')
      setExitCode(
        await runFixCommand({
          ...input,
          force: isFlagSet(options.force),
          noWait: !wait,
          cancelOnSignal: isFlagSet(options.cancelOnSignal),
          yes: isFlagSet(options.yes),
          json: isFlagSet(json),
        }),
      )
    })
}
