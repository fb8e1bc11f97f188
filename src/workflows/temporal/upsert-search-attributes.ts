// Tells Temporal what people search sessions by. A namespace may lack an attribute, which is then left out.
import { defineSearchAttributeKey } from '@temporalio/common'
import { upsertSearchAttributes } from '@temporalio/workflow'
import { truncateText } from '../../domain/text/truncate.ts'

export function upsertKnownAttributes(
  known: readonly string[],
  values: Readonly<Record<string, string | number | null>>,
): void {
  const pairs = Object.entries(values)
    .filter(([name]) => known.includes(name))
    .map(([name, value]) =>
      typeof value === 'number'
        ? { key: defineSearchAttributeKey(name, 'INT'), value }
        : {
            key: defineSearchAttributeKey(name, 'KEYWORD'),
            value: typeof value === 'string' ? truncateText(value, 255) : null,
          },
    )
  if (pairs.length > 0) upsertSearchAttributes(pairs)
}
