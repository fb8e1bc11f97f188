// Finds the route of a request before any of its code runs, so that the gate knows who may call it and which methods there are.
import { type Access, needsToken } from '../define-route.ts'

export interface KnownRoute {
  readonly method: string
  /** As OpenAPI writes it: `/api/sessions/{session_id}`. */
  readonly path: string
  readonly access: Access
  readonly maxBodyBytes?: number | undefined
  /** The types of its answers, besides problems. */
  readonly produces?: readonly string[] | undefined
}

export type RouteMatch =
  | { readonly kind: 'found'; readonly route: KnownRoute }
  | { readonly kind: 'wrong_method'; readonly allowed: readonly string[]; readonly isPublic: boolean }
  | { readonly kind: 'none' }

export function createRouteFinder(routes: readonly KnownRoute[]): (method: string, path: string) => RouteMatch {
  const known = routes.map((route) => ({ route, pattern: toPattern(route.path) }))
  return (method, path) => {
    // Fixed paths come before those with parameters.
    const matching = known.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route)
    const exact = matching.filter((route) => route.path === path)
    const candidates = exact.length > 0 ? exact : matching
    if (candidates.length === 0) return { kind: 'none' }
    const wanted = method === 'HEAD' ? 'GET' : method
    const route = candidates.find((each) => each.method === wanted)
    if (route) return { kind: 'found', route }
    const methods = candidates.flatMap((each) => (each.method === 'GET' ? ['GET', 'HEAD'] : [each.method]))
    return {
      kind: 'wrong_method',
      allowed: [...new Set(methods)].sort(),
      isPublic: candidates.every(({ access }) => !needsToken(access)),
    }
  }
}

function toPattern(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^/]+')}$`)
}
