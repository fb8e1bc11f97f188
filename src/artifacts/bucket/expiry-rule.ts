// The rule by which a bucket deletes artifacts by itself. Other rules of the bucket stay as they are.
import type { LifecycleRule } from '@aws-sdk/client-s3'
import { type BucketConnection, isMissing } from './connect-bucket.ts'

interface RulePlace {
  readonly bucket: string
  readonly prefix: string
}

/** Content is renewed when it is a day old, looked at a few times a day, so at its session's end up to two of its days may have passed. */
const RENEWED_WITHIN_DAYS = 2

export async function setExpiry(connection: BucketConnection, place: RulePlace, days: number): Promise<void> {
  const rules = await readRules(connection, place)
  const Days = Math.ceil(days) + RENEWED_WITHIN_DAYS
  const own = rules.find(({ ID }) => ID === ruleId(place))
  if (own?.Status === 'Enabled' && own.Expiration?.Days === Days) return
  const rule: LifecycleRule = {
    ID: ruleId(place),
    Status: 'Enabled',
    Filter: { Prefix: place.prefix },
    Expiration: { Days },
  }
  const LifecycleConfiguration = { Rules: [...rules.filter((each) => each !== own), rule] }
  const { sdk, client } = connection
  const command = new sdk.PutBucketLifecycleConfigurationCommand({ Bucket: place.bucket, LifecycleConfiguration })
  await client.send(command)
}

export async function readExpiry(connection: BucketConnection, place: RulePlace): Promise<number | undefined> {
  const own = (await readRules(connection, place)).find(({ ID }) => ID === ruleId(place))
  return own?.Status === 'Enabled' ? own.Expiration?.Days : undefined
}

function ruleId({ prefix }: RulePlace): string {
  return `fixwright ${prefix}`
}

async function readRules({ sdk, client }: BucketConnection, { bucket }: RulePlace): Promise<LifecycleRule[]> {
  try {
    const found = await client.send(new sdk.GetBucketLifecycleConfigurationCommand({ Bucket: bucket }))
    return found.Rules ?? []
  } catch (error) {
    if ((error as Error).name === 'NoSuchLifecycleConfiguration' || isMissing(error)) return []
    throw error
  }
}
