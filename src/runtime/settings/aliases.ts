// Other names of settings: those that the documents use which Fixwright was made from, so that their configuration works as it stands.
import { z } from 'zod'

export interface SettingAlias {
  /** The setting's own path. */
  readonly path: string
  /** The alias's own form, if it is not the setting's. */
  readonly form?: { readonly schema: z.ZodType; readonly toValue: (value: unknown) => unknown }
}

const SETTING_ALIASES: Readonly<Record<string, SettingAlias>> = {
  'fix_challenger.max_iterations': { path: 'max_iterations' },
  'fix_challenger.model': {
    path: 'gemini.models',
    form: { schema: z.string().min(1), toValue: (model) => [model] },
  },
  'fix_challenger.thinking_budget': { path: 'gemini.thinking_budget' },
}

export const ALIAS_PATHS: readonly string[] = Object.keys(SETTING_ALIASES)

export function findAlias(path: string): SettingAlias | undefined {
  return Object.hasOwn(SETTING_ALIASES, path) ? SETTING_ALIASES[path] : undefined
}

/** The setting's own path for a path that may be an alias. */
export function resolvePath(path: string): string {
  return findAlias(path)?.path ?? path
}
