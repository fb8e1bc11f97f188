// A review that did not happen as it has to is none: exit status 3, and which expert or file it was.
import { test } from 'node:test'
import { failInWays } from '../support/review-failures.ts'

test('a review fails with the reason where an expert or a part of the change is missing [S3-1]', async (t) => {
  await failInWays(t, ['no start', 'wrong head', 'half of the files'])
})
