// What a person who looks elsewhere is told of a session.
export { findNotice as findSessionNotice } from '../../domain/session/notice.ts'
