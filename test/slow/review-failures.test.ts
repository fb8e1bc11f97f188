// Every way in which a reviewer can fail, on the real CLI: none is green, and each says which it was.
import { test } from 'node:test'
import { failInWays, WAYS } from '../support/review-failures.ts'

for (const command of ['review', 'review-fix'] as const) {
  test(`${command} fails in each way in which a reviewer can fail, says which it was, and is never green [S3-1]`, {
    timeout: 900_000,
  }, async (t) => {
    await failInWays(t, command, Object.keys(WAYS) as (keyof typeof WAYS)[])
  })
}
