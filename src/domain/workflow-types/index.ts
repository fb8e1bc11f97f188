// The activities by name. Their inputs and outcomes end up in Temporal's history, so they hold ids, verdicts and references only:
// prompts, replies and diffs stay in the artifact store, texts of issues in the issue store.

import type { CommandActivities } from './commands.ts'
import type { FixActivities } from './fix.ts'
import type { ForgeActivities } from './forge.ts'
import type { GateActivities } from './gates.ts'
import type { PeopleActivities } from './people.ts'
import type { ReviewActivities } from './review.ts'
import type { LifecycleActivities } from './session.ts'
import type { VoteActivities } from './votes.ts'
import type { WatchActivities } from './watch.ts'

export type { MessageRecord } from '../session/store-records.ts'
export type * from './commands.ts'
export type * from './fix.ts'
export type * from './forge.ts'
export type * from './gates.ts'
export type * from './people.ts'
export type * from './review.ts'
export type * from './session.ts'
export * from './temporal-names.ts'
export type * from './votes.ts'
export type * from './watch.ts'
export * from './webhooks.ts'

export type SessionActivities = LifecycleActivities &
  PeopleActivities &
  FixActivities &
  GateActivities &
  ReviewActivities &
  VoteActivities &
  ForgeActivities &
  WatchActivities &
  CommandActivities
