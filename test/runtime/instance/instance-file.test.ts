import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getTaskQueues } from '../../../src/runtime/instance/instance-file.ts'

const home = { hostId: '1a2b' }

test('task queues: orders come in under a plain name on our own server, and under that of the home on a cluster', () => {
  const own = getTaskQueues(home, { task_queue: null }, { embedded: true })
  assert.deepEqual(own, { taskQueue: 'fixwright', hostQueue: 'fixwright-1a2b-host' })
  const shared = getTaskQueues(home, { task_queue: null }, { embedded: false })
  assert.deepEqual(shared, { taskQueue: 'fixwright-1a2b', hostQueue: 'fixwright-1a2b-host' })
})

test('task queues: a home has work done on its own queue, whatever the one for orders is called', () => {
  const named = getTaskQueues(home, { task_queue: 'team-a' }, { embedded: false })
  assert.deepEqual(named, { taskQueue: 'team-a', hostQueue: 'fixwright-1a2b-host' })
})
