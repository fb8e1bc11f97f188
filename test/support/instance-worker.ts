// The worker that the instance's tests bring: real, with one workflow and one activity; a file in the home makes it busy,
// another one holds its start, and a third one holds why it can't tell whether it is busy.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from '@temporalio/worker'
import { openHome } from '../../src/runtime/home/home.ts'
import type { RunningWorker, WorkerContext } from '../../src/runtime/instance/connect-worker.ts'
import { until } from './until.ts'

await until('the start goes on', () => !existsSync(join(openHome(process.env).path, 'hold')))

export async function startWorker(context: WorkerContext): Promise<RunningWorker> {
  const worker = await Worker.create({
    connection: context.connection,
    namespace: context.namespace,
    taskQueue: context.taskQueue,
    identity: context.identity,
    ...(context.env.FIXWRIGHT_TEST_BUNDLE !== undefined && {
      workflowBundle: { codePath: context.env.FIXWRIGHT_TEST_BUNDLE },
    }),
    activities: { double: async (value: number) => 2 * value },
  })
  const run = worker.run()
  const failed = run.then(
    () => new Promise<Error>(() => {}),
    (error: Error) => error,
  )
  const stop = async () => {
    if (worker.getState() === 'RUNNING') worker.shutdown()
    await run.catch(() => {})
  }
  return { stop, failed }
}

export async function hasActiveSession(context: WorkerContext): Promise<boolean> {
  const { path } = context.home
  const unreadable = join(path, 'unreadable')
  if (existsSync(unreadable)) throw new Error(readFileSync(unreadable, 'utf8'))
  return existsSync(join(path, 'busy'))
}
