import { ApplicationFailure } from '@temporalio/common'
import type { ActivityContext } from './context.ts'

/** Reads the JSON that an earlier step stored, checked by its schema. */
export async function loadArtifact<Value>(
  { artifacts }: Pick<ActivityContext, 'artifacts'>,
  ref: string,
  schema: { parse(value: unknown): Value },
): Promise<Value> {
  const text = await artifacts.getText(ref)
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw ApplicationFailure.nonRetryable(
      `the artifact ${ref} is not what this version stores (${why}): finish the session with the version that began it, or start the same work again`,
    )
  }
}
