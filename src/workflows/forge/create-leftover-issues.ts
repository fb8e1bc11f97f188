// Creates an issue for each finding that a session left undone, once. It can be started again at any time: what is there is found, and what
// a person has closed stays closed. One that fails keeps no other from being made.
import type { LeftoverIssuesInput, LeftoverIssuesSummary, PostedIssue } from '../../domain/workflow-types/index.ts'
import { createOnce, untilAllowed } from './create-once.ts'
import { createForgePorts, type ForgePorts } from './forge-ports.ts'

/** The pace that GitHub asks for. */
const BETWEEN_WRITES_MS = 1000

export async function createLeftoverIssues(input: LeftoverIssuesInput): Promise<LeftoverIssuesSummary> {
  return await createIssuesByKey(input, createForgePorts(input))
}

export async function createIssuesByKey(input: LeftoverIssuesInput, ports: ForgePorts): Promise<LeftoverIssuesSummary> {
  const { keys } = input
  const list = () => ports.read('look for the issues', ({ findLeftoverIssues }) => findLeftoverIssues(input))
  const before = await untilAllowed(ports, list)
  if (before.kind !== 'done') {
    const code = before.kind === 'refused' ? before.code : 'forge_unreachable'
    return { created: [], found: [], duplicates: [], failed: keys.map((key) => ({ key, code, detail: before.detail })) }
  }
  const failed: LeftoverIssuesSummary['failed'][number][] = []
  const made: PostedIssue[] = []
  const missing = keys.filter((key) => !before.value.some((each) => each.key === key))
  for (const [index, key] of missing.entries()) {
    if (index > 0) await ports.pause(BETWEEN_WRITES_MS)
    const outcome = await createOnce<PostedIssue>({
      ...ports,
      // All were just looked for, and are again at the end.
      isWatched: true,
      find: async () => {
        const found = await list()
        return found.kind === 'done' ? { ...found, value: found.value.filter((each) => each.key === key) } : found
      },
      create: () =>
        ports.write(`open an issue for ${key}`, ({ openLeftoverIssue }) => openLeftoverIssue({ ...input, key })),
    })
    if (outcome.kind === 'done') made.push(...outcome.things)
    else failed.push({ key, code: outcome.code, detail: outcome.detail })
  }
  const after = missing.length === 0 ? before : await untilAllowed(ports, list)
  const listed = after.kind === 'done' ? after.value : before.value
  // The last list may lag behind what was just made.
  const all = [...listed, ...made.filter(({ number }) => !listed.some((each) => each.number === number))]
  const first = keys.flatMap((key) => all.find((each) => each.key === key) ?? [])
  const second = all.filter((each) => !first.includes(each) && each.state === 'open')
  const duplicates: number[] = []
  for (const { key, number } of second) {
    const closed = await untilAllowed(ports, () =>
      ports.read(`close #${number} as a duplicate`, (each) => each.closeDuplicateIssue({ ...input, number })),
    )
    if (closed.kind === 'done') duplicates.push(number)
    else {
      const code = closed.kind === 'refused' ? closed.code : 'forge_unreachable'
      failed.push({ key, code, detail: `#${number}, a second issue of it, is still open: ${closed.detail}` })
    }
  }
  return {
    created: first.filter(({ key }) => missing.includes(key)),
    found: first.filter(({ key }) => !missing.includes(key)),
    failed,
    duplicates,
  }
}
