// The steps to issues for what a session left undone: look for those that are there, open one, close a second one of the same finding.
import { ApplicationFailure } from '@temporalio/common'
import { formatAddress } from '../../domain/forge/forge-address.ts'
import { formatPostMarker, hasPostMarker, type MarkerKey } from '../../domain/forge/marker.ts'
import { clampBody, toPostedText, toPostedTitle } from '../../domain/forge/posted-text.ts'
import { LeftoverIssues } from '../../domain/review-fix/leftover.ts'
import type { ForgeOutcome, LeftoverIssuesInput, PostedIssue } from '../../domain/workflow-types/index.ts'
import type { ForgeApi, ForgeIssue } from '../../integrations/forge/forge.ts'
import { loadArtifact } from '../artifacts.ts'
import type { ActivityContext } from '../context.ts'
import { openForgeApi, toForgeOutcome } from './forge-outcomes.ts'

const CUT = 'There is more: see `fixwright leftovers`.'

export async function findLeftoverIssues(
  context: ActivityContext,
  input: LeftoverIssuesInput,
): Promise<ForgeOutcome<readonly PostedIssue[]>> {
  return await toForgeOutcome('read', async () => {
    const api = await openForgeApi(context, input)
    const { login } = await api.identity()
    const listed = await api.listIssues({ author: login, since: input.since })
    const ours = listed.filter(({ author }) => author === login).sort((a, b) => a.number - b.number)
    return input.keys.flatMap((key) =>
      ours
        .filter(({ body }) => hasPostMarker(body, toKey(key, api), context.markerSecret))
        .map((issue) => toPosted(key, issue, input)),
    )
  })
}

export async function openLeftoverIssue(
  context: ActivityContext,
  input: LeftoverIssuesInput & { readonly key: string },
): Promise<ForgeOutcome<PostedIssue>> {
  const { key, issuesRef, labels } = input
  return await toForgeOutcome('write', async () => {
    const wanted = (await loadArtifact(context, issuesRef, LeftoverIssues)).find((each) => each.key === key)
    if (wanted === undefined) throw ApplicationFailure.nonRetryable(`the artifact ${issuesRef} has no issue ${key}`)
    const api = await openForgeApi(context, input)
    const text = toPostedText(
      await context.masking.maskText(`${wanted.body}\n\nLeft by the session ${input.sessionId}.`),
    )
    const marker = formatPostMarker(toKey(key, api), context.markerSecret)
    const title = toPostedTitle(await context.masking.maskText(wanted.title))
    const made = await api.openIssue({ title, body: `${clampBody(text, CUT)}\n\n${marker}\n`, labels })
    return toPosted(key, made, input)
  })
}

export async function closeDuplicateIssue(
  context: ActivityContext,
  input: LeftoverIssuesInput & { readonly number: number },
): Promise<ForgeOutcome<number>> {
  return await toForgeOutcome('read', async () => {
    const api = await openForgeApi(context, input)
    await api.closeAsDuplicate(input.number)
    return input.number
  })
}

function toKey(id: string, { address }: ForgeApi): MarkerKey {
  return { kind: 'issue', id, place: formatAddress(address) }
}

function toPosted(key: string, { number, url, state, labels }: ForgeIssue, input: LeftoverIssuesInput): PostedIssue {
  const missingLabels = input.labels.filter((label) => !labels.includes(label))
  return { key, number, url, state, missingLabels }
}
