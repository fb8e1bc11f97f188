// How Fixwright speaks to GitHub. No setting holds a secret: a token comes from the environment or a file.
import { z } from 'zod'

export const ForgeSettings = z.strictObject({
  /** The one GitHub of this home: github.com, or the host of an Enterprise Server, with its port if it has one. */
  host: z
    .string()
    .regex(/^[a-z0-9.-]+(:\d{1,5})?$/)
    .describe('a host in small letters, as github.example.com'),
  token_file: z.string().min(1).nullable(),
  app_id: z.number().int().positive().nullable(),
  app_key_file: z.string().min(1).nullable(),
  /** Whether comments on pull requests start sessions and answer their questions. */
  commands: z.boolean(),
  webhook_secret_file: z.string().min(1).nullable(),
  /** After a write whose answer was lost: how long until it is looked for, twice, before it is tried again. */
  look_again_seconds: z.number().min(0).max(600),
  /** How soon a watch looks at a pull request again after something was new, and how long it waits at most when nothing is. */
  watch_seconds: z.number().min(0.1).max(3600),
  watch_max_seconds: z.number().min(0.1).max(86_400),
})
export type ForgeSettings = z.infer<typeof ForgeSettings>
