// Every setting there is, with its type and bounds. The defaults stand, commented, in config/settings.yaml; a test keeps
// the two in step. Durations are seconds and say so in their name.
import { z } from 'zod'
import { Budgets } from '../budget/limits.ts'
import { Price } from '../budget/prices.ts'
import { parsePathInside } from '../scope/paths.ts'
import { RequirementKind } from './repository-requirements.ts'

const Seconds = z.number().positive()
/** For a decision: a time that no calendar has any more can't be shown. */
const Deadline = Seconds.max(10 * 366 * 86_400)
const Percent = z.number().min(0).max(100)
const Port = z.number().int().min(0).max(65535)
const Model = z.string().min(1)
/** Profiles are chosen on the command line and in the environment, so their names stay plain. */
const ProfileName = z.string().regex(/^[a-z][a-z0-9-]*$/)
const BranchPrefix = z
  .string()
  .max(60)
  .regex(/^$|^[A-Za-z0-9](?!.*(\.\.|\/\/|\/\.|\.\/|\.lock\/))[A-Za-z0-9._/-]*$/)
  .describe('what git takes as the beginning of a branch name: letters, digits, and . _ - / between them')

/** `./packages//web/` is `packages/web`. What is no such path stays as it was written, and is refused. */
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

/** How often the fixer may try; 0 is not at all. */
const Iterations = z.number().int().min(0).max(10)

export const Profile = z.strictObject({
  /** What is gated and committed together: each batch by itself, or all batches of the session. */
  stage: z.enum(['batch', 'session']),
  max_iterations: Iterations,
  /** Whether the challenger also gives one score for the whole diff, which then has to reach the satisfaction threshold. */
  whole_diff_score: z.boolean(),
  /**
   * How issues become calls of the fixer: by kind and workload, or all in one call. That one hands them on to sub-agents; a plain one
   * fixes them itself.
   */
  calls: z.enum(['batched', 'one', 'one-plain']).default('batched'),
  /** Who says how each issue is to be fixed: nobody but the rules of order, or an agent before the first fix. */
  planner: z.enum(['rules', 'agent']).default('rules'),
  /** Whether the challenger judges every fix. */
  challenge: z.boolean().default(true),
  /** Whether the verification has to be green, and not only no worse than before. */
  strict: z.boolean().default(false),
})
export type Profile = z.infer<typeof Profile>

export const Settings = z.strictObject({
  profile: ProfileName,
  profiles: z.record(ProfileName, Profile),
  max_iterations: Iterations.nullable(),
  people: z.strictObject({
    clarify: z.boolean(),
    approve_plan: z.boolean(),
    clarify_deadline_seconds: Deadline,
    plan_deadline_seconds: Deadline,
    scope_deadline_seconds: Deadline,
    max_clarify_rounds: z.number().int().min(1).max(20),
    max_plan_rejections: z.number().int().min(0).max(20),
  }),
  planner: z.enum(['rules', 'agent']).nullable(),
  fix_challenger: z.strictObject({
    enabled: z.boolean().nullable(),
    solved_threshold: Percent,
    satisfaction_threshold: Percent,
    allow_same_vendor: z.boolean(),
  }),
  limits: z.strictObject({
    max_issues_per_cli_call: z.number().int().min(1).max(50),
    max_workload_points_per_batch: z.number().int().min(1),
    max_workload_points_per_one_call: z.number().int().min(1),
    /** Of a whole prompt. Below this not even our own words would fit. */
    max_prompt_characters: z.number().int().min(60_000),
    default_effort: z.number().int().min(1).max(5),
    default_files_count: z.number().int().min(1),
  }),
  budgets: Budgets,
  prices: z.array(Price),
  claude: z.strictObject({
    command: z.string().min(1),
    timeout_seconds: Seconds,
    /** Tried in order: the next one when a model is overloaded, limited or gone. Empty: what the agent file says. */
    models: z.array(Model),
    small_models: z.array(Model),
    effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullable(),
    thinking_budget: z.number().int().min(0),
    /** Above it, a conversation is compacted before it goes on. */
    max_session_tokens: z.number().int().min(1000),
  }),
  gemini: z.strictObject({
    command: z.string().min(1),
    timeout_seconds: Seconds,
    models: z.array(Model),
    thinking_budget: z.number().int().min(0),
  }),
  git: z.strictObject({
    naming: z.enum(['rules', 'agent']),
    branch_prefix: BranchPrefix,
    author_name: z.string().nullable(),
    author_email: z.string().nullable(),
    /** Whether each commit gets `Signed-off-by` with its author; null is no, and not said by anybody. */
    sign_off: z.boolean().nullable(),
  }),
  repository: z.strictObject({
    /** Where its `.fixwright.yaml` wants more than any repository may, and nobody has trusted it. */
    untrusted: z.enum(['stop', 'ignore']),
    /** What is not done for any repository, whatever it wants. */
    without: z.array(RequirementKind),
  }),
  orders: z.strictObject({
    /** The folders in which repositories may lie that somebody orders a session for through Temporal; null is anywhere. */
    repositories: z.array(z.string().min(1)).nullable(),
  }),
  verification: z.strictObject({
    commands: z.array(z.string().min(1)),
    timeout_seconds: Seconds,
    strict: z.boolean().nullable(),
    fail_fast: z.boolean(),
    /** What a workspace needs before any of the commands can work. */
    setup: z.array(z.string().min(1)),
    setup_timeout_seconds: Seconds,
    /** Whether what is committed has passed also where nothing but the tree itself lies. */
    fresh_checkout: z.boolean(),
    /** How long what passed on a commit is known of it; 0 runs the commands for every session. */
    base_max_age_seconds: z.number().min(0),
    /** JUnit files that the commands write, as glob patterns from the folder they run in. */
    reports: z.array(Report),
    /** Whether a test that comes with a fix has to be seen to fail without it. Evidence, no gate. */
    prove: z.boolean(),
    /** Which files are tests, as glob patterns from the repository's root, in any letter case. */
    tests: z.array(z.string().min(1)),
  }),
  scope: z.strictObject({
    /** The one folder that fixes may change; null is the whole repository. */
    workspace_path: PathInside.nullable(),
    /** Folders or files besides it. */
    allowed_extra_paths: z.array(PathInside),
    /** Paths that no fix may touch without a person's word, as glob patterns from the repository's root. */
    protected: z.array(z.string()),
    /** The same, except by the fix of an issue about that very file. */
    protected_unless_about: z.array(z.string()),
    /** What counts as a by-product and is never committed, in the syntax of .gitignore. */
    artefacts: z.array(z.string()),
  }),
  limit_wait: z.strictObject({
    backoff_min_seconds: Seconds,
    backoff_max_seconds: Seconds,
    give_up_after_seconds: Seconds,
  }),
  artifacts: z.strictObject({ retention_days: z.number().positive() }),
  sandbox: z.strictObject({
    /** What stands around agents: `require` also closes the network, and holds for the operator's commands, too. */
    mode: z.enum(['auto', 'require', 'off']),
    pid_namespace: z.enum(['auto', 'off']),
    /** Of the operator's files, besides what their PATH leads to; `~` is the home. */
    readable: z.array(z.string().min(1)),
    writable: z.array(z.string().min(1)),
    /** Where agents may connect to besides their model, in `require`. */
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
    cli: z.string().nullable(),
  }),
  worker: z.strictObject({
    heartbeat_timeout_seconds: z.number().min(2).max(60),
    max_parallel_sessions: z.number().int().min(1),
    /** Activities of agents that may run at once on this host; the rest waits its turn. */
    max_parallel_calls: z.number().int().min(1),
    history_events_before_continue: z.number().int().min(10),
  }),
})
export type Settings = z.infer<typeof Settings>

/** The iterations that hold for a session: its own number, else its profile's. */
export function effectiveIterations(settings: Settings): number {
  return settings.max_iterations ?? getProfile(settings).max_iterations
}

/** Whether a second agent judges the fixes. */
export function isChallenged(settings: Settings): boolean {
  return settings.fix_challenger.enabled ?? getProfile(settings).challenge
}

/** Whether everything must pass, also what failed before anybody fixed anything. */
export function isStrict(settings: Settings): boolean {
  return settings.verification.strict ?? getProfile(settings).strict
}

/** Whoever wants to approve a plan wants one that says something. */
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
  // From the root, and no pattern: a folder that is named so would never be found.
  if (path.startsWith('/') || /[*\\]/.test(path) || path.split('/').includes('..')) return undefined
  return parsePathInside(path.replace(/\/+$/, '')).path
}
