// What a starting instance tells the command that started it, over the channel between them.
import { z } from 'zod'
import { Instance } from './instance-file.ts'

export const StartupReport = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('step'), text: z.string() }),
  /** Its server can be reached: sessions may be started. */
  z.object({ kind: z.literal('ready'), instance: Instance }),
  /** Its worker is at work. */
  z.object({ kind: z.literal('serving') }),
  z.object({ kind: z.literal('failed'), text: z.string() }),
])
export type StartupReport = Readonly<z.infer<typeof StartupReport>>

/** How a command hands its settings to the instance that it starts. */
export const SETTINGS_VARIABLE = 'FIXWRIGHT_INSTANCE_SETTINGS'
/** The module with the worker, where a test brings its own. */
export const WORKER_VARIABLE = 'FIXWRIGHT_INSTANCE_WORKER'
export const VERSION_VARIABLE = 'FIXWRIGHT_INSTANCE_VERSION'
