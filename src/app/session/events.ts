export { listEventIssueCodes } from '../../domain/session/events/index.ts'
