// All settings, with types and bounds. config/settings.yaml has the commented defaults; a test keeps the two in step.
import { z } from 'zod'
import { Budgets } from '../budget/limits.ts'
import { Price } from '../budget/prices.ts'
import { ExpertName } from '../review/experts.ts'
import { AdditionRules } from '../scope/additions.ts'
import { parsePathInside } from '../scope/paths.ts'
import { ForgeSettings } from './forge-settings.ts'
import { RequirementKind } from './repository-requirements.ts'
import { SeverityRule } from './severity-map.ts'

const Seconds = z.number().positive()
/** Time for a decision. Dates beyond the calendar can't be shown. */
const Deadline = Seconds.max(10 * 366 * 86_400)
const Percent = z.number().min(0).max(100)
const Port = z.number().int().min(0).max(65535)
const Model = z.string().min(1)
/** Profiles are chosen on the command line and in the environment, so their names are plain. */
const ProfileName = z.string().regex(/^[a-z][a-z0-9-]*$/)
const BranchPrefix = z
  .string()
  .max(60)
  .regex(/^$|^[A-Za-z0-9](?!.*(\.\.|\/\/|\/\.|\.\/|\.lock\/))[A-Za-z0-9._/-]*$/)
  .describe('what git takes as the beginning of a branch name: letters, digits, and . _ - / between them')

/** Normalises `./packages//web/` to `packages/web`. An invalid path is refused as it was written. */
const PathInside = z
  .string()
  .overwrite((path) => parseFolderInside(path) ?? path)
  .refine((path) => parseFolderInside(path) !== undefined)
  .describe(
    'the path of a file or folder from the root of the repository, as packages/web: no "..", no "*", nothing of git',
  )

const Report = z
  .string()
  .min(1)
  .refine((pattern) => !/^[/\\~]|(^|[/{,])\.\.([/},]|$)/.test(pattern))
  .describe('a glob pattern inside the repository, as reports/**/*.xml')

const Endpoint = z
  .string()
  .regex(/^[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/)
  .describe('host or host:port, as models.example.com:8443; without a port it is 443')

const VariableName = z
  .string()
  .regex(/^(?!FIXWRIGHT_)[A-Za-z_][A-Za-z0-9_]*$/)
  .describe('the name of an environment variable, as DATABASE_URL, and none of ours (FIXWRIGHT_…)')

const WebAddress = z
  .string()
  .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/)
  .describe('an address on the web, as https://temporal.example.com')

const RemoteHost = z
  .string()
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/)
  .describe('a host, as git.example.com, with its port if that is not the usual one')

const Bucket = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
  .describe('the name of a bucket, as fixwright-artifacts')

const KeyPrefix = z
  .string()
  .max(200)
  .regex(/^([A-Za-z0-9!_.'()-]+\/)+$/)
  .describe('the beginning of keys, as fix-logs/: with a slash at its end')

/** How many stages may be at work at once, each in a work tree of its own. */
const Lanes = z.union([z.number().int().min(1).max(16), z.literal('auto')])

/** The number of tries of the fixer; 0 allows none. */
const Iterations = z.number().int().min(0).max(10)

export const Profile = z.strictObject({
  /** The unit that is gated and committed together: each batch, or the whole session. */
  stage: z.enum(['batch', 'session']),
  max_iterations: Iterations,
  /** Whether the challenger also scores the whole diff, which then has to reach the satisfaction threshold. */
  whole_diff_score: z.boolean(),
  /** How issues become batches: by kind and workload, or all in one, with sub-agents (`one`) or without (`one-plain`). */
  calls: z.enum(['batched', 'one', 'one-plain']).default('batched'),
  /** The source of the plan: only the rules of order, or an agent before the first fix. */
  planner: z.enum(['rules', 'agent']).default('rules'),
  challenge: z.boolean().default(true),
  /** Whether the verification has to be green, not only no worse than before. */
  strict: z.boolean().default(false),
  /** Attempts after which an issue is blocked. With a number, the fixer's word that it is blocked ends it as well. */
  max_attempts_per_issue: z.number().int().min(1).max(10).nullable().default(null),
  lanes: Lanes.default(1),
})
export type Profile = z.infer<typeof Profile>

export const Settings = z.strictObject({
  profile: ProfileName,
  profiles: z.record(ProfileName, Profile),
  max_iterations: Iterations.nullable(),
  people: z.strictObject({
    clarify: z.boolean(),
    approve_plan: z.boolean(),
    /** Whether somebody else than who started a session has to approve its plan and its files outside of the scope. */
    four_eyes: z.boolean(),
    /** After the last answer to `clarify`. */
    wait_for_start: z.boolean(),
    clarify_deadline_seconds: Deadline,
    plan_deadline_seconds: Deadline,
    scope_deadline_seconds: Deadline,
    max_clarify_rounds: z.number().int().min(1).max(20),
    max_plan_rejections: z.number().int().min(0).max(20),
  }),
  planner: z.enum(['rules', 'agent']).nullable(),
  /** Names of files that count in every folder, and paths from the root. */
  conventions: z.array(PathInside),
  fix_challenger: z.strictObject({
    enabled: z.boolean().nullable(),
    solved_threshold: Percent,
    satisfaction_threshold: Percent,
    allow_same_vendor: z.boolean(),
    /** What the challenger sees: the diff; with it what surrounds it; or also the judged tree, by tools that read. */
    sees: z.enum(['diff', 'context', 'tree']),
    /** Whether the challenger is asked about a round's tree that fails the verification. */
    when_checks_fail: z.enum(['skip', 'ask']),
  }),
  limits: z.strictObject({
    max_issues_per_cli_call: z.number().int().min(1).max(50),
    max_workload_points_per_batch: z.number().int().min(1),
    max_workload_points_per_one_call: z.number().int().min(1),
    /** Characters of a whole prompt. Below this minimum, not even our own text would fit. */
    max_prompt_characters: z.number().int().min(60_000),
    /** A start with more issues is asked about. */
    ask_above_issues: z.number().int().min(0),
    default_effort: z.number().int().min(1).max(5),
    default_files_count: z.number().int().min(1),
    /** Null leaves it to the profile. */
    lanes: Lanes.nullable(),
  }),
  budgets: Budgets,
  prices: z.array(Price),
  claude: z.strictObject({
    command: z.string().min(1),
    timeout_seconds: Seconds,
    /** Tried in order: the next one when a model is overloaded, limited or gone. If empty, the agent file decides. */
    models: z.array(Model),
    small_models: z.array(Model),
    /** For a name or a message. The branch is named within ten minutes, with all else that opens a session. */
    small_timeout_seconds: Seconds.max(300),
    effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullable(),
    thinking_budget: z.number().int().min(0),
    /** Above it, a conversation is compacted before it is resumed. */
    max_session_tokens: z.number().int().min(1000),
  }),
  gemini: z.strictObject({
    command: z.string().min(1),
    timeout_seconds: Seconds,
    models: z.array(Model),
    thinking_budget: z.number().int().min(0),
  }),
  votes: z.strictObject({
    /** Tried in order, for each of the two voters. */
    claude_models: z.array(Model).min(1),
    gemini_models: z.array(Model).min(1),
    timeout_seconds: Seconds,
  }),
  git: z.strictObject({
    naming: z.enum(['rules', 'agent']),
    branch_prefix: BranchPrefix,
    author_name: z.string().nullable(),
    author_email: z.string().nullable(),
    /** Whether each commit gets `Signed-off-by` with its author; null does as the repository's log does. */
    sign_off: z.boolean().nullable(),
    /** One commit for each batch of a stage, or one for each group of issues that share no file with others. */
    commits: z.enum(['batch', 'issue']),
    trailers: z.enum(['full', 'short', 'none']),
  }),
  repository: z.strictObject({
    /** For a repository whose `.fixwright.yaml` wants more than any repository may, and which nobody has trusted. */
    untrusted: z.enum(['stop', 'ignore']),
    /** Requirements that are waived for every repository. */
    without: z.array(RequirementKind),
  }),
  repositories: z.strictObject({
    /** The hosts that repositories may be cloned from; none allows none. */
    hosts: z.array(RemoteHost),
    /** For https. No setting holds a secret. */
    credentials: z.array(
      z.strictObject({ host: RemoteHost, username: z.string().regex(/^[^\s:@/]+$/), password_file: z.string().min(1) }),
    ),
  }),
  orders: z.strictObject({
    /** Folders whose repositories Temporal orders may name; null allows any. */
    repositories: z.array(z.string().min(1)).nullable(),
  }),
  review: z.strictObject({
    /** The experts of a review; empty: those whose lanes the change concerns. */
    experts: z.array(ExpertName),
    /** How many findings one call of the verifier gets. */
    findings_per_verifier: z.number().int().min(1).max(50),
  }),
  github: ForgeSettings,
  importers: z.strictObject({
    /** Overrides the severities that reports name. */
    severity_map: z.array(SeverityRule),
  }),
  verification: z.strictObject({
    commands: z.array(z.string().min(1)),
    timeout_seconds: Seconds,
    /** Variables of the instance's environment that commands and setup see besides the usual ones, and agents never. */
    environment: z.array(VariableName),
    strict: z.boolean().nullable(),
    fail_fast: z.boolean(),
    /** Whether each commit is verified as itself; else batches of several lanes may land together after one run. */
    each_commit: z.boolean(),
    /** Commands that prepare a workspace for the others. */
    setup: z.array(z.string().min(1)),
    setup_timeout_seconds: Seconds,
    /** Whether a tree also has to pass in a fresh checkout, which holds nothing else, before it is committed. */
    fresh_checkout: z.boolean(),
    /** Whether fresh checkouts take a copy of what the setup made on the base, where that depends on manifests and lockfiles alone. */
    share_setup: z.enum(['auto', 'never']),
    /** How long a commit's baseline stays valid; 0 runs the commands for every session. */
    base_max_age_seconds: z.number().min(0),
    /** JUnit files that the commands write, as glob patterns from their working folder. */
    reports: z.array(Report),
    /** Whether a fix's tests have to be seen to fail without it. The result is evidence, not a gate. */
    /** For a fix that fails the tests as they were before it. */
    test_changes: z.enum(['ask', 'allow', 'reject']),
    prove: z.boolean(),
    /** Commands that may be unable to start on the base; `all` stands for every one. */
    ignore_broken: z.array(z.string().min(1)),
    /** What becomes of a fix that no command could say anything about; null refuses it where commands are configured. */
    unproven: z.enum(['accept', 'refuse']).nullable(),
    /** Test files, as glob patterns from the repository's root, in any letter case. */
    tests: z.array(z.string().min(1)),
  }),
  scope: z.strictObject({
    /** The one folder that fixes may change; null is the whole repository. */
    workspace_path: PathInside.nullable(),
    /** Further folders or files that fixes may change. */
    allowed_extra_paths: z.array(PathInside),
    /** Paths that no fix may touch without a person's approval, as glob patterns from the repository's root. */
    protected: z.array(z.string()),
    /** Likewise, except for the fix of an issue about that very file. */
    protected_unless_about: z.array(z.string()),
    /** By-products, which are never committed, in the syntax of .gitignore. */
    artefacts: z.array(z.string()),
    /** What a fix may bring besides: each kind is free up to its limit. */
    additions: AdditionRules,
  }),
  limit_wait: z.strictObject({
    backoff_min_seconds: Seconds,
    backoff_max_seconds: Seconds,
    give_up_after_seconds: Seconds,
  }),
  notify: z.strictObject({
    /** Run by a shell on the worker's host when a long session ends or waits for a person; null runs nothing. */
    command: z.string().min(1).nullable(),
    /** The sign that a terminal gets which follows the session. */
    terminal: z.enum(['bell', 'osc9', 'off']),
    /** A session younger than this has somebody in front of it. */
    after_seconds: z.number().min(0),
  }),
  webhooks: z.strictObject({
    /** How long after each failed try the next one follows; after the last one a delivery is given up. */
    retry_after_seconds: z.array(Seconds.max(30 * 86_400)).max(50),
    timeout_seconds: Seconds.max(60),
    /** Hosts of the operator's own networks that webhooks may go to, also without TLS. */
    private_hosts: z.array(z.string().min(1).max(255)),
  }),
  artifacts: z.strictObject({
    retention_days: z.number().positive(),
    /** Where a session's todo files lie: with its other files in the home, or in the system's folder for temporary files. */
    todo_files: z.enum(['home', 'temporary']),
    s3: z.strictObject({
      /** Holds the artifacts instead of the home; null keeps them there. */
      bucket: Bucket.nullable(),
      /** The beginning of each key. */
      prefix: KeyPrefix,
      /** Of a server that is not AWS. */
      endpoint: WebAddress.nullable(),
      region: z.string().min(1).nullable(),
    }),
  }),
  sandbox: z.strictObject({
    /** The sandbox of agents: `require` also closes the network, and applies to the operator's commands too. */
    mode: z.enum(['auto', 'require', 'off']),
    pid_namespace: z.enum(['auto', 'off']),
    /** The operator's files that agents may read, besides those that PATH leads to; `~` is the home. */
    readable: z.array(z.string().min(1)),
    writable: z.array(z.string().min(1)),
    /** Hosts that agents may connect to besides their model, in `require`. */
    endpoints: z.array(Endpoint),
    /** Whether verification commands have the network, in `require`. */
    commands_network: z.boolean(),
  }),
  temporal: z.strictObject({
    address: z.string().nullable(),
    namespace: z.string(),
    task_queue: z.string().min(1).max(200).nullable(),
    retention_days: z.number().int().min(1),
    port: Port,
    ui_port: Port,
    /** The UI of the operator's own server. */
    ui_url: WebAddress.nullable(),
    cli: z.string().nullable(),
  }),
  server: z.strictObject({
    /** Whether `up` serves the HTTP API. */
    enabled: z.boolean(),
    /** Any other address than one of loopback needs TLS, or a proxy that has it. */
    host: z.string().min(1).max(255),
    port: Port,
    /** The names by which clients may call the service, besides those of loopback. */
    names: z.array(z.string().min(1).max(255)),
    behind_proxy: z.boolean(),
    tls_certificate: z.string().min(1).nullable(),
    tls_key: z.string().min(1).nullable(),
    /** Of one token, or of one address without a token. */
    requests_per_minute: z.number().int().min(1),
    /** Folders below which an admin may register repositories over HTTP. */
    repository_roots: z.array(z.string().min(1)),
  }),
  metrics: z.strictObject({
    host: z.string().min(1).max(255),
    /** Of Fixwright's own metrics; null serves none. */
    port: Port.nullable(),
    /** Of the metrics of Temporal's SDK in the instance; null serves none. */
    temporal_port: Port.nullable(),
  }),
  tracing: z.strictObject({
    /** The address of an OTLP receiver, without /v1/traces; null leaves it to OTEL_EXPORTER_OTLP_ENDPOINT. */
    endpoint: WebAddress.nullable(),
  }),
  worker: z.strictObject({
    heartbeat_timeout_seconds: z.number().min(2).max(60),
    /** What an activity gets beyond the timeouts of the CLIs that it calls. Ending a process group takes a few seconds. */
    grace_seconds: z.number().min(10).max(3600),
    max_parallel_sessions: z.number().int().min(1),
    /** Agent activities that may run at once on this host; others wait. */
    max_parallel_calls: z.number().int().min(1),
    history_events_before_continue: z.number().int().min(10),
  }),
})
export type Settings = z.infer<typeof Settings>

export function effectiveIterations(settings: Settings): number {
  return settings.max_iterations ?? getProfile(settings).max_iterations
}

export function isChallenged(settings: Settings): boolean {
  return settings.fix_challenger.enabled ?? getProfile(settings).challenge
}

/** Whether everything must pass, even checks that failed on the baseline. */
export function isStrict(settings: Settings): boolean {
  return settings.verification.strict ?? getProfile(settings).strict
}

/** Whether a commit that no check proves counts as a full success. */
export function acceptsUnproven({ verification }: Settings): boolean {
  return (verification.unproven ?? (verification.commands.length > 0 ? 'refuse' : 'accept')) === 'accept'
}

/** An operator who approves plans wants an agent's plan: those of the rules say little. */
export function effectivePlanner(settings: Settings): Profile['planner'] {
  const asked = settings.people.approve_plan ? 'agent' : getProfile(settings).planner
  return settings.planner ?? asked
}

export function getProfile(settings: Settings): Profile {
  const { profile, profiles } = settings
  const found = Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
  if (found) return found
  throw new RangeError(`there is no profile "${profile}": use one of ${Object.keys(profiles).join(', ')}`)
}

function parseFolderInside(path: string): string | undefined {
  // Absolute paths and patterns are refused: a folder of that name would never be found.
  if (path.startsWith('/') || /[*\\]/.test(path) || path.split('/').includes('..')) return undefined
  return parsePathInside(path.replace(/\/+$/, '')).path
}
