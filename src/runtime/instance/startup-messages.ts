// The reports of a starting instance to the command that started it, over their IPC channel.
import { z } from 'zod'
import { Instance } from './instance-file.ts'

export const StartupReport = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('step'), text: z.string() }),
  /** The server can be reached, so sessions may be started. */
  z.object({ kind: z.literal('ready'), instance: Instance }),
  /** The worker runs. */
  z.object({ kind: z.literal('serving') }),
  z.object({ kind: z.literal('failed'), text: z.string() }),
])
export type StartupReport = Readonly<z.infer<typeof StartupReport>>

/** Carries the command's settings to the instance that it starts. */
export const SETTINGS_VARIABLE = 'FIXWRIGHT_INSTANCE_SETTINGS'
/** Names the worker's module, if a test has its own. */
export const WORKER_VARIABLE = 'FIXWRIGHT_INSTANCE_WORKER'
export const VERSION_VARIABLE = 'FIXWRIGHT_INSTANCE_VERSION'
