// Adds session and issue fields to all log lines of an activity, so that the lines of one session or issue can be found.
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { z } from 'zod'
import type { LogFields } from '../../platform/logging/log-fields.ts'
import type { Store } from '../../store/store.ts'

const ActivityInput = z.object({
  sessionId: z.string(),
  stepId: z.string().optional(),
  codes: z.array(z.string()).optional(),
})

export function logSessionFields(store: Store): ActivityInterceptorsFactory {
  return () => {
    let fields: LogFields = {}
    return {
      inbound: {
        async execute(input, next) {
          // The activity itself gets the store's error.
          fields = await loadSessionFields(store, input.args[0]).catch(() => ({}))
          return await next(input)
        },
      },
      outbound: { getLogAttributes: (attributes, next) => next({ ...attributes, ...fields }) },
    }
  }
}

async function loadSessionFields(store: Store, input: unknown): Promise<LogFields> {
  const { data } = ActivityInput.safeParse(input)
  if (!data) return {}
  const { sessionId, stepId, codes } = data
  const issues = codes && (await store.sessions.listIssues(sessionId))
  const own = issues?.filter(({ issue }) => codes?.includes(issue.issue_code))
  const issue_ids = own?.map(({ issue }) => issue.issue_id)
  const trace_id = (await store.sessions.get(sessionId))?.trace?.trace_id
  return { session_id: sessionId, trace_id, step_id: stepId, issue_codes: codes, issue_ids }
}
