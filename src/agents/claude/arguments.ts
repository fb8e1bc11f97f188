// Builds the flags of one run of the Claude CLI. Nothing in the repository configures it. Tools that make no sense for one answer and a
// tree of its own are refused by name; the one for sub-agents, by parameter.
import { writeFile } from 'node:fs/promises'
import type { AgentCall } from '../agent-call.ts'

export type ClaudeConversation = NonNullable<AgentCall['conversation']>

const DISALLOWED_TOOLS = [
  ...['Workflow', 'ScheduleWakeup', 'CronCreate', 'CronDelete', 'CronList', 'EnterWorktree', 'ExitWorktree'],
  ...['AskUserQuestion', 'SendMessage', 'Monitor', 'RemoteTrigger', 'PushNotification'],
  // The work of a sub-agent in a worktree of its own, or on another machine, never reaches this tree.
  'Agent(isolation:*)',
]
// One argument may have 128 KiB on Linux. The CLI accepts the path of a file instead.
const MAX_ARGUMENT_LENGTH = 100_000

export async function buildClaudeArguments(
  call: AgentCall,
  {
    model,
    session,
    agentsFile,
  }: { readonly model: string; readonly session: ClaudeConversation; readonly agentsFile: string },
): Promise<readonly string[]> {
  const { schema, subagents, tools, readableFolders = [] } = call
  return [
    ...['--print', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
    // The repository's settings, hooks and servers stay out: its settings could redirect the CLI to another endpoint.
    ...['--setting-sources', 'user', '--strict-mcp-config', '--model', model],
    ...('resume' in session
      ? ['--resume', session.resume, ...(session.fork ? ['--fork-session'] : [])]
      : ['--session-id', session.id]),
    ...optionalFlag('--json-schema', schema && JSON.stringify(schema)),
    ...optionalFlag('--agents', subagents && (await writeIfTooLong(JSON.stringify(subagents), agentsFile))),
    ...optionalFlag('--effort', call.effort),
    ...optionalFlag('--max-budget-usd', call.maxBudgetUsd?.toFixed(6)),
    ...readableFolders.flatMap((folder) => ['--add-dir', folder]),
    ...(tools?.only === undefined ? [] : ['--tools', tools.only.join(',')]),
    ...optionalFlag('--allowedTools', tools?.allowed?.join(',')),
    ...['--disallowedTools', [...DISALLOWED_TOOLS, ...(tools?.disallowed ?? [])].join(',')],
  ]
}

function optionalFlag(flag: string, value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [flag, value]
}

async function writeIfTooLong(json: string, file: string): Promise<string> {
  if (json.length < MAX_ARGUMENT_LENGTH) return json
  await writeFile(file, json)
  return file
}
