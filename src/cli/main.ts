// The commands of the terminal. Each lives in a file of its own that is loaded only when it is called.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { packageVersion } from '../runtime/version.ts'
import { BAD_INPUT, Exit } from './exit.ts'
import { guarded } from './harmless.ts'

interface SettingFlags {
  readonly set?: Record<string, string>
  readonly profile?: string
  readonly verify?: readonly string[]
  readonly setup?: readonly string[]
  readonly strict?: true
  readonly maxIterations?: string
  readonly maxFixCycles?: string
  readonly temporal?: string
  readonly clarify?: true
  readonly approvePlan?: true
  readonly workspace?: string
  readonly allow?: readonly string[]
  readonly ignoreUntrusted?: true
  readonly maxCost?: string
  readonly maxTokens?: string
  readonly maxMinutes?: string
}

/** Flags that are settings under a shorter name. */
function flagsOf({ set, ...given }: SettingFlags): Record<string, unknown> {
  const { profile, verify, strict, maxIterations, maxFixCycles, temporal, clarify, approvePlan, workspace, allow } =
    given
  const { maxCost, maxTokens, maxMinutes } = given
  const short = {
    profile,
    'people.clarify': clarify,
    'people.approve_plan': approvePlan,
    'scope.workspace_path': workspace,
    'scope.allowed_extra_paths': allow,
    'verification.commands': verify,
    'verification.setup': given.setup,
    'verification.strict': strict,
    max_iterations: maxIterations ?? maxFixCycles,
    'temporal.address': temporal,
    'repository.untrusted': given.ignoreUntrusted ? 'ignore' : undefined,
    'budgets.session_usd': maxCost,
    'budgets.session_tokens': maxTokens && withUnit(maxTokens),
    'budgets.session_seconds': maxMinutes,
  }
  return { ...Object.fromEntries(Object.entries(short).filter(([, value]) => value !== undefined)), ...set }
}

function setting(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('must be path=value, as in --set claude.timeout_seconds=600')
  return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1) }
}

/** `2M`, `500k`, `120000`. */
function withUnit(text: string): string {
  const [, number = '', unit = ''] = /^([\d.]+)\s*([kM])$/i.exec(text.trim()) ?? []
  if (unit === '') return text
  return scaled(number, unit.toLowerCase() === 'k' ? 1_000 : 1_000_000)
}

/** As seconds: refused here, where minutes were typed. */
function minutes(text: string): string {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('must be a number of minutes above 0')
  return scaled(text, 60)
}

/** What is no number stays as it was, and is refused. */
function scaled(text: string, by: number): string {
  const number = Number(text)
  return Number.isFinite(number) && text.trim() !== '' ? String(Math.round(number * by)) : text
}

function several(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number')
  return Number(text)
}

function withSettings(command: Command): Command {
  return command
    .option('--set <path=value>', 'a setting by its path, as "fixwright config" shows them; repeatable', setting)
    .option('--temporal <address>', 'an existing Temporal cluster (host:port) instead of the embedded server')
}

function withJson(command: Command): Command {
  return command.option('--json', 'as JSON on standard output, for programs')
}

/** A list that may be empty: then it means all. */
function paths(given: true | readonly string[] | undefined): readonly string[] | undefined {
  return given === true ? [] : given
}

/** A switch that was not given is off. */
function isOn(flag: true | undefined): boolean {
  return flag === true
}

function done(status: number): void {
  process.exitCode = status
}

const SESSION = 'its id, or the beginning of it ("fixwright list" shows them)'

const program = new Command('fixwright')
  .description(
    'Turns the findings of a code review into commits that someone can trust: one agent fixes, another challenges, your checks run, and Temporal remembers every step.',
  )
  .version(packageVersion(), '-V, --version', 'print the version')
  .helpOption('-h, --help', 'explain a command')
  .exitOverride()
  .showSuggestionAfterError()
  .showHelpAfterError('("fixwright --help" shows what there is)')
  .configureHelp({ showGlobalOptions: false })
  .addHelpText(
    'after',
    `
Start here:
  fixwright doctor                               what is installed, and what is missing
  fixwright fix findings.json --repo ../my-app   fix what a review found, on a branch of its own
  fixwright list                                 what became of it`,
  )

program.commandsGroup('Work:')

const fixCommand = program
  .command('fix')
  .description('fix findings, in a session that survives any crash')
  .argument('<findings>', 'a JSON file: {"issues":[…]}, the bare array, or a review with groups')
  .option('--repo <folder>', 'the git repository', '.')
  .option('--base <revision>', 'where the fixes start from (default: the default branch)')
  .option('--profile <name>', 'how to go about it: batched, sequential, one-call, verify, or one of your own')
  .option('--notes <text>', 'what the fixer should know besides')
  .option('--context <file>', "the review's report in Markdown, as background for the agents; repeatable", several)
  .option(
    '--only <codes>',
    'only these of the findings; repeatable, or with commas ("fixwright issues --related" helps)',
    several,
  )
  .option('--task <id>', 'what this work is called (default: made from the findings)')
  .option('--verify <command>', 'a check of yours that must not break; repeatable', several)
  .option('--setup <command>', 'what the clone needs before, as "npm ci"; repeatable', several)
  .option('--strict', 'all checks must pass, not only those that passed before')
  .option('--max-iterations <n>', 'how often the fixer may try; 0: not at all')
  .addOption(new Option('--max-fix-cycles <n>', 'the same under another name').conflicts('maxIterations'))
  .option('--clarify', 'let the fixer ask what is unclear before it begins')
  .option('--approve-plan', 'begin only when somebody has agreed with the plan')
  .option(
    '--workspace <path>',
    'the one folder of the repository that fixes may change; what lies outside is asked about',
  )
  .option('--allow <path>', 'a file or folder besides it; repeatable', several)
  .option(
    '--max-cost <usd>',
    'what the session may cost, as far as that is known; then it commits what passed and ends',
  )
  .option('--max-tokens <n>', 'how many tokens it may use, also as 500k or 2M')
  .option('--max-minutes <n>', 'how long it may take, without its waits for people', minutes)
  .option('--branch <name>', 'the branch that gets the commits (default: made from the titles)')
  .option('--use-existing-branch', 'go on with that branch where it is there already')
  .option('--force', 'cancel the session that is at this work, and start anew')
  .option('--dry-run', 'show the plan, every prompt and every command; nothing is started, run or changed')
  .option('--no-wait', 'end with status 4 where the session waits for a person')
  .option('--ignore-untrusted', "go on without what nobody has trusted in the repository's .fixwright.yaml")
  .option('--allow-dirty', 'fix files that have uncommitted changes: the fix will not see them')
withJson(withSettings(fixCommand))
  .addHelpText(
    'after',
    `
Only issue_code, title and file are required of a finding:
  {"issues": [{"issue_code": "BE-001", "title": "Discount is applied twice", "file": "shop/cart.py", "line": "45"}]}

Examples:
  fixwright fix findings.json --repo ../my-app
  fixwright fix findings.json --repo ../my-app --setup "npm ci" --verify "npm test" --notes "use /api/v2/users"
  fixwright fix findings.json --repo ../my-app --context review.md --base feature/basket
  fixwright fix findings.json --repo ../my-app --profile sequential --json > result.json
  fixwright fix findings.json --repo ../my-app --profile verify --verify "npm test" --max-fix-cycles 3
  fixwright fix findings.json --repo ../my-app --dry-run > what-would-be-asked.txt
  fixwright fix findings.json --clarify --approve-plan --workspace packages/web --allow packages/shared
  fixwright fix findings.json --set claude.command=/opt/claude/bin/claude --set claude.timeout_seconds=1800

The same command again joins the session while it runs, also after a crash. Ctrl-C twice cancels it.
Where the session waits for a person, fix asks on a terminal, and elsewhere says which command answers, and waits.
Exit status: 0 all resolved, 1 some not, 2 wrong input, 3 it could not go on, 4 it waits (--no-wait), 130 cancelled.`,
  )
  .action(async (findings: string, options) => {
    const { repo, base, branch, useExistingBranch, force, notes, context, task, only, allowDirty, json, wait } = options
    const order = {
      findings,
      repository: repo,
      base,
      branch,
      useExistingBranch: isOn(useExistingBranch),
      notes,
      context,
      task,
      only: only?.flatMap((list: string) => list.split(',')).map((code: string) => code.trim()),
      allowDirty: isOn(allowDirty),
      flags: flagsOf(options),
    }
    if (isOn(options.dryRun)) {
      const { fixDry } = await import('./dry-run.ts')
      return done(await fixDry(order, { json: isOn(json) }))
    }
    const { fix } = await import('./fix.ts')
    done(await fix({ ...order, force: isOn(force), noWait: !wait, json: isOn(json) }))
  })

withJson(program.command('answer'))
  .description('answer what a session asks: on a terminal one by one')
  .argument('<session>', SESSION)
  .option('--answer <id=text>', 'an answer to one question, as in FUNC-001-q1="the strict one"; repeatable', several)
  .option('--file <file>', 'answers as JSON, by the ids of their questions; - reads standard input')
  .option('--skip', 'go on without answers to what is still open')
  .action(async (session: string, options) => {
    const { answer } = await import('./answer.ts')
    const { answer: answers = [], file, skip, json } = options
    done(await answer(session, { answers, file, skip: isOn(skip), json: isOn(json) }))
  })

withJson(program.command('plan'))
  .description("show a session's plan, and decide about it")
  .argument('<session>', SESSION)
  .option('--approve', 'begin with it, with the changes given here if there are any')
  .option('--reject <why>', 'have it made again; the planner is told why')
  .option('--edit', 'change it in your $VISUAL or $EDITOR')
  .option('--drop <codes>', 'leave these issues out; repeatable, or with commas', several)
  .option('--order <codes>', 'plan the issues in this order; repeatable, or with commas', several)
  .option('--note <code=text>', 'what the fixer should know about an issue; repeatable', several)
  .action(async (session: string, options) => {
    const { plan } = await import('./plan.ts')
    const { approve, reject, edit, drop = [], order = [], note: notes = [], json } = options
    done(
      await plan(session, { approve: isOn(approve), reject, edit: isOn(edit), drop, order, notes, json: isOn(json) }),
    )
  })

withJson(program.command('scope'))
  .description('show what was changed outside of the scope, and decide about it')
  .argument('<session>', SESSION)
  .option('--approve [paths...]', 'let it pass for this session: all, or these files and folders (ending in /)')
  .option('--approve-once [paths...]', 'let it pass this one time')
  .option('--for-repository', 'with --approve: for every later session on this repository, too')
  .option('--reject [why]', 'take back what the issues in question changed')
  .action(async (session: string, options) => {
    const { scope } = await import('./scope.ts')
    const { approve, approveOnce, forRepository, reject, json } = options
    done(
      await scope(session, {
        approve: paths(approve),
        approveOnce: paths(approveOnce),
        forRepository: isOn(forRepository),
        reject,
        json: isOn(json),
      }),
    )
  })

withSettings(program.command('up'))
  .description('run the Temporal server, its UI and the worker until Ctrl-C')
  .action(async (options) => {
    const { up } = await import('./up.ts')
    done(await up(flagsOf(options)))
  })

withJson(program.command('cancel'))
  .description('stop a session for good; what is committed stays')
  .argument('<session>', SESSION)
  .option('--reason <text>', 'why, for the record')
  .action(async (session: string, { reason, json }) => {
    const { cancel } = await import('./cancel.ts')
    done(await cancel(session, { reason, json: isOn(json) }))
  })

program.commandsGroup('Look:')

withJson(program.command('list'))
  .description('the sessions, the newest first')
  .option('--repo <folder>', 'only those of this repository')
  .option('--all', 'not only the latest 20')
  .action(async (options) => {
    const { list } = await import('./list.ts')
    done(await list({ repo: options.repo, all: isOn(options.all), json: isOn(options.json) }))
  })

withJson(program.command('status'))
  .description('one session as it stands: issues, scores, cost, worker')
  .argument('<session>', SESSION)
  .action(async (session: string, options) => {
    const { status } = await import('./status.ts')
    done(await status(session, { json: isOn(options.json) }))
  })

program
  .command('watch')
  .description("follow a session's events to its end")
  .argument('<session>', SESSION)
  .option('--json', 'one JSON object a line')
  .option('--since <seq>', 'only what comes after the event of this number', whole, 0)
  .action(async (session: string, options) => {
    const { watch } = await import('./watch.ts')
    done(await watch(session, { since: options.since, json: isOn(options.json) }))
  })

program
  .command('logs')
  .description('what happened, and where prompts, replies and diffs lie')
  .argument('<session>', SESSION)
  .argument('[issue]', 'only what is about this issue')
  .option('--prompts', 'what each call was told and what it answered, instead')
  .option('--raw', 'all that the CLIs printed, instead')
  .action(async (session: string, issue: string | undefined, options) => {
    const { logs } = await import('./logs.ts')
    done(await logs(session, { issue, prompts: isOn(options.prompts), raw: isOn(options.raw) }))
  })

program
  .command('report')
  .description('what was fixed, with the evidence: fit for a pull request')
  .argument('<session>', SESSION)
  .option('--format <format>', 'md, json, html or sarif', 'md')
  .option('--output <file>', 'into this file, not to standard output')
  .action(async (session: string, options) => {
    const { report } = await import('./report.ts')
    done(await report(session, options))
  })

program.commandsGroup('Issues:')

withJson(program.command('issues'))
  .description('the known findings, and what became of each')
  .option('--repo <folder>', 'only those of this repository')
  .option('--task <id>', 'only those of this task')
  .option('--related <code>', 'only those worth fixing together with this one: same file, same category')
  .option('--status <status>', 'only open, in_progress, resolved, failed, merged, ignored or duplicate ones')
  .action(async (options) => {
    const { issues } = await import('./issues.ts')
    done(await issues({ ...options, json: isOn(options.json) }))
  })

withJson(program.command('issue'))
  .description('one finding: all that is known, and what you decide about it')
  .argument('<code>', "the issue's code, such as BE-001")
  .option('--set <status>', 'open, resolved, ignored or duplicate, where its status allows that')
  .option('--note <text>', 'why; an open issue is resolved by hand only with a note')
  .option('--repo <folder>', 'the one of this repository')
  .option('--task <id>', 'the one of this task')
  .action(async (code: string, options) => {
    const { issue } = await import('./issues.ts')
    done(await issue(code, { ...options, json: isOn(options.json) }))
  })

program.commandsGroup('Set up:')

withJson(withSettings(program.command('config')))
  .description('each setting as it holds, and where it came from')
  .argument('[path]', 'only this setting, or this group of settings')
  .option('--repo <folder>', 'as it holds for this repository')
  .option('--base <revision>', "the commit whose .fixwright.yaml counts (default: the default branch's)")
  .action(async (path: string | undefined, options) => {
    const { config } = await import('./config.ts')
    const { repo, base, json } = options
    done(await config({ path, repo, base, json: isOn(json), flags: flagsOf(options) }))
  })

withJson(program.command('trust'))
  .description(
    "look at a repository's .fixwright.yaml, and let it set what you could set; or go on without what it needs",
  )
  .option('--repo <folder>', 'the git repository', '.')
  .option('--base <revision>', "the commit whose .fixwright.yaml it is (default: the default branch's)")
  .option('--without <needs>', 'go on without filters, hooks, signing or sign-off; repeatable, or with commas', several)
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
    const { trust } = await import('./trust.ts')
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
    const { doctor } = await import('./doctor.ts')
    done(await doctor({ repo: options.repo, json: isOn(options.json), flags: flagsOf(options) }))
  })

// Who reads the output may stop before its end, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

// By itself `help` of what is no command explains everything, and says nothing of the mistake.
program.helpCommand(false)
program.commandsGroup('Help:')
program
  .command('help')
  .argument('[command]')
  .description('explain a command')
  .action((name: string | undefined) => {
    const asked = name === undefined ? program : program.commands.find((command) => command.name() === name)
    if (asked) asked.outputHelp()
    else program.error(`error: unknown command '${guarded(name ?? '')}'`)
  })

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) done(error.exitCode === 0 ? 0 : BAD_INPUT)
  else if (error instanceof Exit) {
    process.stderr.write(`fixwright: ${guarded(error.message)}\n`)
    done(error.status)
  } else throw error
}
