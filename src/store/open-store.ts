import { openSqliteStore } from './sqlite/open-sqlite-store.ts'
import type { Store } from './store.ts'

export interface StoreOptions {
  readonly now?: () => Date
}

/** Opens the store in this file, or creates it. */
export async function openStore(file: string, { now = () => new Date() }: StoreOptions = {}): Promise<Store> {
  return await openSqliteStore(file, now)
}
