// Which Temporal cluster to use instead of the embedded server, and how to reach it. An address given to Fixwright (flag or
// settings) wins; else what Temporal's own environment configuration says (TEMPORAL_ADDRESS, its profile file).
// The keys and certificates of a profile are for that profile's address: with another one they stay where they are.
import type { NativeConnectionOptions } from '@temporalio/worker'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment } from '../home/home.ts'

export type TemporalSettings = Settings['temporal']

/** What both `Connection.connect` of a client and `NativeConnection.connect` of a worker take. */
export type ConnectionOptions = Pick<NativeConnectionOptions, 'apiKey' | 'metadata'> & {
  readonly address: string
  readonly tls?: Exclude<NativeConnectionOptions['tls'], undefined>
}

export interface ExternalCluster {
  readonly connection: ConnectionOptions
  readonly namespace: string
}

/** The existing cluster that was asked for; undefined when Fixwright is to run a server of its own. */
export async function findExternalCluster(
  settings: TemporalSettings,
  env: Environment,
): Promise<ExternalCluster | undefined> {
  const profile = await loadTemporalProfile(env, false)
  const address = settings.address ?? profile.connectionOptions.address
  if (!address) return undefined
  const known = profile.connectionOptions.address ?? address
  const { connectionOptions, namespace } = known === address ? profile : await loadTemporalProfile(env, true)
  const { tls, apiKey, metadata } = connectionOptions
  return {
    connection: {
      address,
      ...(tls !== undefined && tls !== null && { tls }),
      ...(apiKey !== undefined && { apiKey }),
      ...(metadata !== undefined && { metadata }),
    },
    namespace: namespace ?? settings.namespace,
  }
}

/** How to reach the server at an address: with the cluster's credentials if it is one, plain on loopback if it is ours. */
export function toConnectionOptions(address: string, cluster: ExternalCluster | undefined): ConnectionOptions {
  return cluster?.connection ?? { address }
}

async function loadTemporalProfile(env: Environment, disableFile: boolean) {
  const { loadClientConnectConfig } = await import('@temporalio/envconfig')
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  try {
    return loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(set), disableFile })
  } catch (error) {
    throw new Error(
      `Temporal's environment configuration can't be read: ${(error as Error).message}. Look at the TEMPORAL_* variables and ` +
        'at its file (temporal.toml), or unset them.',
    )
  }
}
