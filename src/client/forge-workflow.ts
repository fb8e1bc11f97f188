// Starts what brings something to a forge, or joins it, and waits for its end.
import { type Client, WorkflowFailedError } from '@temporalio/client'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import { FORGE_WAIT_MEMO, FORGE_WORKFLOWS } from '../domain/workflow-types/temporal-names.ts'
import { describeWorkflow } from './describe-workflow.ts'

export interface ForgeWorkflowOptions<Input> {
  readonly kind: keyof typeof FORGE_WORKFLOWS
  /** Names the work: while it runs, a second start joins it. */
  readonly workflowId: string
  readonly input: Input
  readonly taskQueue: string
  /** For Temporal's UI. */
  readonly summary: string
}

export async function startForgeWorkflow<Input>(client: Client, options: ForgeWorkflowOptions<Input>): Promise<void> {
  const { kind, workflowId, input, taskQueue, summary } = options
  await client.workflow.start(FORGE_WORKFLOWS[kind], {
    ...{ workflowId, taskQueue, args: [input], staticSummary: summary, workflowTaskTimeout: '3s' },
    ...{ workflowIdConflictPolicy: 'USE_EXISTING', workflowIdReusePolicy: 'ALLOW_DUPLICATE' },
  })
}

export type ForgeProgress<Summary> =
  | { readonly kind: 'running'; readonly waits: string | undefined }
  | { readonly kind: 'ended'; readonly summary: Summary }

export async function readForgeProgress<Summary>(client: Client, workflowId: string): Promise<ForgeProgress<Summary>> {
  const described = await describeWorkflow(client, workflowId)
  if (described?.status.name === 'RUNNING') {
    const waits = described.memo?.[FORGE_WAIT_MEMO]
    return { kind: 'running', waits: typeof waits === 'string' && waits !== '' ? waits : undefined }
  }
  if (described === undefined) {
    const what = `Temporal knows no ${workflowId} any more: its database was replaced`
    throw new FixwrightError('forge_unreachable', `${what}. Start it again: what was made is found`)
  }
  try {
    const handle = client.workflow.getHandle(workflowId, described.runId)
    return { kind: 'ended', summary: (await handle.result()) as Summary }
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error
    throw new FixwrightError(
      'forge_unreachable',
      `${workflowId} was ended from outside: ${error.cause?.message ?? error.message}`,
    )
  }
}
