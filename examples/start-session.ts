// Orders a session over a connection to Temporal and waits for its end: node start-session.ts /path/to/my-app findings.json
// No Fixwright is needed here, only at the worker: `fixwright up` prints the address, and what is ordered is looked at there.
import { readFile } from 'node:fs/promises'
import { Client, Connection } from '@temporalio/client'

const [repository = '', findings = 'findings.json'] = process.argv.slice(2)
const { TEMPORAL_ADDRESS: address = 'localhost:7233', TEMPORAL_NAMESPACE: namespace = 'fixwright' } = process.env
const connection = await Connection.connect({ address })
try {
  const client = new Client({ connection, namespace })
  const handle = await client.workflow.start('fixSession', {
    taskQueue: 'fixwright',
    workflowId: `my-order-${Date.now()}`,
    args: [{ repository, findings: JSON.parse(await readFile(findings, 'utf8')) }],
  })
  // Refused: { cause: { type: 'findings_invalid', message: '…' } }. At work already: { status: 'joined', workflowId: '…' }.
  console.log(JSON.stringify(await handle.result()))
} catch (error) {
  const { cause } = error as { cause?: { type?: string; message?: string } }
  console.error(cause?.type === undefined ? error : `${cause.type}: ${cause.message}`)
  process.exitCode = 1
} finally {
  await connection.close()
}
