import { proxyActivities, sleep } from '@temporalio/workflow'

interface Activities {
  double(value: number): Promise<number>
}

const { double } = proxyActivities<Activities>({ startToCloseTimeout: '10 s' })

/** Twice the double, with a pause between. */
export async function quadruple(value: number, pauseMs: number): Promise<number> {
  const half = await double(value)
  await sleep(pauseMs)
  return double(half)
}
