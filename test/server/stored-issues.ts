// The repository of a made stage, registered, and its issues as an import or a review leaves them.
import assert from 'node:assert/strict'
import { addRepository } from '../../src/app/repositories/repositories.ts'
import type { Finding } from '../../src/domain/issue/parse-findings.ts'
import type { IssueRecord } from '../../src/domain/session/store-records.ts'
import type { setMadeStage } from '../support/session.ts'
import { newSession } from '../support/store.ts'

type MadeStage = Awaited<ReturnType<typeof setMadeStage>>

export async function storeIssues({ repository, made, read }: MadeStage): Promise<readonly IssueRecord[]> {
  return await read(async (at) => {
    const added = await addRepository({ store: at }, { folder: repository, name: 'made' })
    assert.ok(added.kind === 'added')
    const { repository_id } = added.repository
    const session = newSession('fx-before', { repository, repository_id, task_id: 'task' })
    await at.createSession(session, made.findings.issues as readonly Finding[])
    assert.ok(await at.sessions.discardUnstarted('fx-before'))
    return await at.issues.list({ repository_id })
  })
}
