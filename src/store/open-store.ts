import { openSqliteStore } from './sqlite/open-sqlite-store.ts'
import type { Store } from './store.ts'

export interface StoreOptions {
  readonly now?: () => Date
}

export async function openStore(file: string, { now = () => new Date() }: StoreOptions = {}): Promise<Store> {
  return await openSqliteStore(file, now)
}
