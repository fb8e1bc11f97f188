export { fixSession } from './fix-session.ts'
