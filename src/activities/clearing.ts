// Files of another user, as checks leave them that run in a container, stay where they are: they are told, and nothing else waits for them.
import type { Left } from '../git/files.ts'
import { type Session, tell, type Workshop } from './workshop.ts'

/** Once a session: each checkout would say the same, and at its end it is told how to remove them all. */
export async function tellLeft(
  shop: Pick<Workshop, 'store' | 'masking'>,
  session: Session,
  { path, why }: Left,
): Promise<void> {
  const message = `a fresh checkout could not be removed whole: the rest of it is ${path} (${why}). It may hold files of another user, left by checks in a container (have it run as you: --user "$(id -u):$(id -g)"). The result stands, and the session says at its end how to remove what is left`
  await tell(shop, session.id, [{ key: 'checkouts/left', type: 'fix_log', message, data: { path } }])
}
