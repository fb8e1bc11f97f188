// A pull request on the GitHub of the test bed whose votes were posted, an instance that serves the webhook, and people who comment.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import type { CommandOutcome } from '../../src/domain/workflow-types/index.ts'
import type { BedToken } from './github/state.ts'
import { ADA, BOB, type GitHubBed, startGitHub, TOKEN } from './github.ts'
import { APP_BOT, makeApp } from './github-app.ts'
import { QUICK } from './killing.ts'
import type { E2eStage } from './session.ts'
import { startTokenHunt, type TokenHunt } from './token-hunt.ts'
import { until } from './until.ts'
import { setVoteStage } from './votes.ts'

export const EVE: BedToken = {
  ...{ token: 'ghp_0123456789abcdefEVESTOKEN0123456789', login: 'eve', id: 9 },
  ...{ kind: 'personal', contents: 'write', push: false },
}
export const WEBHOOK_SECRET = 'the secret of the webhook of the test bed'

export interface CommandStage {
  readonly stage: E2eStage
  readonly github: GitHubBed
  /** For the token and for the webhook's secret. */
  readonly hunt: TokenHunt
  readonly number: number
  /** The last commit of the pull request. */
  readonly head: string
  /** Where GitHub posts, once it is told to. */
  readonly hookUrl: string
  command(...args: string[]): ReturnType<E2eStage['command']>
  /** Our comments on it, or on another pull request, without that of the votes, the oldest first. */
  replies(pull?: number): Promise<readonly string[]>
  /** Until a comment of ours matches. */
  says(pattern: RegExp, pull?: number): Promise<string>
  /** What came of a comment that was read as a command. */
  outcome(comment: number, pull?: number): Promise<CommandOutcome>
  commandId(comment: number, pull?: number): string
  endUp(): Promise<void>
}

export const defect = (id: string, file: string, line: string, quote: string) => ({
  ...{ id, file, line, quote, issue: `${id} is wrong.`, failure: `With no user, ${id} throws.` },
  ...{ effect: 'crash', reach: 'realistic' },
})

const LOGIN = '  const token = user.token'
const ANSWER = 'export const answer = 42'
const edit = (file: string, old: string, more: string) => ({ tool: 'edit' as const, file, old, new: more })

/** Two findings of both voters, F001 in src/login.js and F002 in src/new-name.js, and the right fix of each. */
export const TWO_DEFECTS: ScenarioInput = {
  votes: {
    claude: {
      vote: 50,
      findings: [defect('V1', 'src/login.js', '2', LOGIN.trim()), defect('V2', 'src/only.js', '1', ANSWER)],
    },
    gemini: { vote: 60 },
  },
  issues: {
    F001: {
      fixes: [{ steps: [edit('src/login.js', LOGIN, "  const token = user?.token ?? ''")] }],
      proof: [{ file: 'src/login.js', adds: 'user\\?\\.token' }],
    },
    F002: {
      fixes: [{ steps: [edit('src/only.js', ANSWER, 'export const answer = 43')] }],
      proof: [{ file: 'src/only.js', adds: 'answer = 43' }],
    },
  },
}

export async function setCommandStage(
  t: TestContext,
  {
    scenario = {},
    environment = {},
    asApp = false,
    people = [],
    files = { 'src/only.js': `${ANSWER}\n` },
  }: {
    readonly scenario?: ScenarioInput
    readonly environment?: Readonly<Record<string, string>>
    /** An App is the credential, in place of Ada's token. */
    readonly asApp?: boolean
    /** Besides Ada, Bob and Eve. */
    readonly people?: readonly BedToken[]
    /** What the pull request adds. */
    readonly files?: Readonly<Record<string, string>>
  } = {},
): Promise<CommandStage> {
  const stage = await setVoteStage(t, { ...TWO_DEFECTS, ...scenario }, { environment: QUICK, files })
  const made = asApp ? makeApp(stage.folder) : undefined
  const tokens = [...(made ? [] : [ADA]), BOB, EVE, ...people]
  const github = await startGitHub(t, { from: stage.repository, tokens, ...(made ? { app: made.app } : {}) })
  stage.git('remote', 'add', 'origin', github.remote)
  const poster = made ? APP_BOT : ADA.login
  const credential: Readonly<Record<string, string>> = made
    ? { FIXWRIGHT_GITHUB_APP_ID: `${made.app.id}`, FIXWRIGHT_GITHUB_APP_KEY_FILE: made.keyFile }
    : { GH_ENTERPRISE_TOKEN: TOKEN }
  const secrets = [...(made?.secrets ?? [TOKEN]), WEBHOOK_SECRET]
  const hunt = await startTokenHunt(t, stage, { secrets, github, holders: made ? [made.keyFile] : [] })
  const number = await github.open(BOB, 'feature', 'main')
  const settings = {
    ...credential,
    ...{ FIXWRIGHT_GITHUB_HOST: github.host, FIXWRIGHT_GITHUB_COMMANDS: 'true' },
    ...{ FIXWRIGHT_GITHUB_LOOK_AGAIN_SECONDS: '0.2', FIXWRIGHT_GITHUB_WATCH_SECONDS: '0.2' },
    ...{ FIXWRIGHT_GITHUB_WATCH_MAX_SECONDS: '0.5', FIXWRIGHT_GITHUB_WEBHOOK_SECRET: WEBHOOK_SECRET },
    FIXWRIGHT_SERVER_PORT: `${20_000 + (process.pid % 10_000)}`,
    ...environment,
  }
  const command = (...args: string[]) => stage.commandWith(settings, ...args)
  const up = command('up')
  let said = ''
  up.child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  const endUp = async () => {
    up.child.kill('SIGINT')
    await up.ended
  }
  stage.beforeEnd(endUp)
  await Promise.race([
    until('up says where the API is', () => /API +http:\S+/.test(said)),
    up.ended.then(({ stderr }) => assert.fail(`up has ended: ${stderr}`)),
  ])
  const [, url = ''] = /API +(http:\/\/127\.0\.0\.1:\d+)\/api/.exec(said) ?? []
  const pull = ['--repo', stage.repository, '--pr', `${github.slug}#${number}`, '--post', '--format', 'json']
  const voted = await command('review-pr', ...pull).ended
  assert.equal(voted.status, 1, voted.stderr)
  const replies = async (pull = number) => {
    const { comments } = await github.state()
    return comments
      .filter(({ issue, user, body }) => issue === pull && user.login === poster && /fixwright:command=/.test(body))
      .map(({ body }) => body)
  }
  const commandId = (comment: number, pull = number) => `pull-command/${github.host}/${github.slug}#${pull}/${comment}`
  return {
    ...{ stage, github, number, command, replies, hunt, endUp },
    head: github.git('rev-parse', 'feature'),
    hookUrl: `${url}/api/github/webhook`,
    commandId,
    outcome: async (comment, pull) => {
      const handle = (await stage.client()).workflow.getHandle(commandId(comment, pull))
      await until('the command is over', async () => {
        const described = await handle.describe().catch(() => undefined)
        return described?.status.name === 'COMPLETED'
      })
      return (await handle.result()) as CommandOutcome
    },
    says: async (pattern, pull) => {
      let found: string | undefined
      await until(`a comment says ${pattern}`, async () => {
        found = (await replies(pull)).find((body) => pattern.test(body))
        return found !== undefined
      })
      return found ?? ''
    },
  }
}
