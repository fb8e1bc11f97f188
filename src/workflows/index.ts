export { fixSession } from './fix-session.ts'
export { voteSession } from './vote-session.ts'
