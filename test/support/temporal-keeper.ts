// Keeps the shared server of a test run: starts it, says where it is, and ends it when the runner ends or asks.
// Run as: node temporal-keeper.ts FOLDER OWNER_PID
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning, readProcessIdentity } from '../../src/platform/processes/process-identity.ts'
import { adoptOrStartServer, stopServers } from '../../src/runtime/temporal-server/adopt-or-start-server.ts'
import { type SharedTemporal, TEST_NAMESPACE, temporalExecutable } from './temporal.ts'

const [folder = '', ownerPid = ''] = process.argv.slice(2)
const owner = readProcessIdentity(Number(ownerPid))
const database = join(folder, 'temporal.db')

function tell(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.draft`), text)
  renameSync(join(folder, `${name}.draft`), join(folder, name))
}

let ending = false

async function end(): Promise<void> {
  if (ending) return
  ending = true
  await stopServers(database, 1_500)
  process.exit(0)
}

process.on('SIGTERM', end)
process.on('SIGINT', end)
setInterval(() => {
  if (owner === undefined || !isRunning(owner)) end()
}, 200)

try {
  const { address, uiUrl } = await adoptOrStartServer({
    database,
    logFile: join(folder, 'server.log'),
    namespace: TEST_NAMESPACE,
    port: 0,
    uiPort: 0,
    env: process.env,
    executable: temporalExecutable,
    onStep: (text) => process.stdout.write(`${text}\n`),
  })
  tell('server.json', JSON.stringify({ address, uiUrl, namespace: TEST_NAMESPACE } satisfies SharedTemporal))
} catch (error) {
  tell('failed', (error as Error).message)
  process.exit(1)
}
