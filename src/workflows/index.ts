export { fixSession } from './fix-session.ts'
export { reviewFixSession } from './review/review-fix-session.ts'
export { reviewSession } from './review/review-session.ts'
export { voteSession } from './vote-session.ts'
