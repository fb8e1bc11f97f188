// Finds a session's page in Temporal's UI.
import type { SessionRecord } from '../../domain/session/session.ts'
import { formatWorkflowUrl } from '../../domain/workflow-types/temporal-names.ts'
import type { Home } from '../../runtime/home/home.ts'
import { findLiveInstance } from '../../runtime/instance/instance-file.ts'

export function findWorkflowUrl(home: Home, { workflow_id, settings }: SessionRecord): string | null {
  const instance = findLiveInstance(home)
  const { temporal } = settings
  const ui = instance?.uiUrl ?? temporal.ui_url ?? null
  return ui && formatWorkflowUrl({ ui, namespace: instance?.namespace ?? temporal.namespace }, workflow_id)
}
