// Finds the Temporal cluster to use instead of the embedded server. Fixwright's own address (flag or settings) comes before Temporal's
// environment configuration (TEMPORAL_ADDRESS, its profile file).
import type { NativeConnectionOptions } from '@temporalio/worker'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment } from '../home/home.ts'

export type TemporalSettings = Settings['temporal']

/** Options for both `Connection.connect` of a client and `NativeConnection.connect` of a worker. */
export type ConnectionOptions = Pick<NativeConnectionOptions, 'apiKey' | 'metadata'> & {
  readonly address: string
  readonly tls?: Exclude<NativeConnectionOptions['tls'], undefined>
}

export interface ExternalCluster {
  readonly connection: ConnectionOptions
  readonly namespace: string
}

/**
 * The existing cluster to use; undefined if Fixwright is to run its own server. A profile's keys and certificates are only for that
 * profile's address, and are not used with another one.
 */
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

/** Connection options for the server: the cluster's with its credentials, or plain loopback for our own server. */
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
