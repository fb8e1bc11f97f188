// A home whose instance is this very process, on the Temporal server of the run: what joins it meets real files and a real server.
import type { TestContext } from 'node:test'
import { readOwnIdentity } from '../../../src/platform/processes/process-identity.ts'
import { type Home, openHome } from '../../../src/runtime/home/home.ts'
import { readPackageVersion } from '../../../src/runtime/home/package-root.ts'
import { getTaskQueues, type Instance, writeInstanceFile } from '../../../src/runtime/instance/instance-file.ts'
import { listLiveLeases } from '../../../src/runtime/instance/leases.ts'
import { temporaryFolder } from '../../store/support.ts'
import { DEFAULT_SETTINGS } from '../../support/store.ts'
import { sharedTemporal } from '../../support/temporal.ts'

export async function setInstance(t: TestContext, more: Partial<Instance> = {}) {
  const folder = temporaryFolder(t)
  const env = { FIXWRIGHT_HOME: folder, FIXWRIGHT_CACHE: folder, HOME: folder, PATH: process.env.PATH }
  const home = openHome(env)
  const { address } = await beInstance(home, more)
  const elsewhere = { ...DEFAULT_SETTINGS, temporal: { ...DEFAULT_SETTINGS.temporal, address: '127.0.0.1:1' } }
  return {
    env,
    home,
    address,
    settings: DEFAULT_SETTINGS,
    /** Settings that name a cluster on which the instance does not run. */
    elsewhere,
    countLeases: () => listLiveLeases(home).length,
  }
}

/** Returns what others find in the home. */
export async function beInstance(home: Home, more: Partial<Instance> = {}): Promise<Instance> {
  const { address, namespace, uiUrl } = await sharedTemporal()
  const instance = {
    identity: readOwnIdentity(),
    version: readPackageVersion(),
    startedAt: new Date().toISOString(),
    embedded: true,
    address,
    uiUrl,
    namespace,
    ...getTaskQueues(home, DEFAULT_SETTINGS.temporal, { embedded: true }),
    attributes: [],
    ...more,
  }
  writeInstanceFile(home, instance)
  return instance
}
