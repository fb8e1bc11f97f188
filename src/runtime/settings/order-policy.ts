// Decides which settings an order from outside may set: its sender is not the worker's operator, so only tighter limits and more questions
// to people. Commands, programs, models, sandbox, proof, scope and the most that may be spent are the operator's.
import type { Settings } from '../../domain/settings/schema.ts'
import { isLooserThanDefault, TIGHTENING_SETTINGS } from './repository-policy.ts'

const ASKING_PEOPLE = ['people.clarify', 'people.approve_plan', 'people.wait_for_start', 'people.four_eyes']
const WORKSPACE = 'scope.workspace_path'

/** Why an order may not set this; undefined if it may. `holds`: the settings without the order. */
export function orderPolicy(path: string, value: unknown, holds: Settings): string | undefined {
  const own = path
    .split('.')
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], holds)
  if (JSON.stringify(value) === JSON.stringify(own)) return undefined
  const kept = `the operator of the worker has ${JSON.stringify(own)}`
  if (TIGHTENING_SETTINGS.includes(path)) {
    return isLooserThanDefault(path, value, holds)
      ? `${path}: an order may not set more than holds: ${kept}`
      : undefined
  }
  if (ASKING_PEOPLE.includes(path)) {
    return value === true ? undefined : `${path}: an order may not keep people from being asked: ${kept}`
  }
  if (path.startsWith('budgets.')) {
    return isLess(value, own) ? undefined : `${path}: an order may not spend more than holds: ${kept}`
  }
  if (path === WORKSPACE) {
    return isWithin(value, own) ? undefined : `${path}: an order may not leave the folder that holds: ${kept}`
  }
  const may = [...TIGHTENING_SETTINGS, ...ASKING_PEOPLE, 'budgets.*', WORKSPACE].join(', ')
  return `${path}: an order may not set this, only ${may}: the operator of the worker sets it, in settings.yaml of the home`
}

function isLess(value: unknown, own: unknown): boolean {
  return typeof value === 'number' && (own === null || value <= Number(own))
}

function isWithin(value: unknown, own: unknown): boolean {
  return typeof value === 'string' && (own === null || value.startsWith(`${own}/`))
}
