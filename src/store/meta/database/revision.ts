import { MishapError } from '../../../base/errors.ts'
import type { Store } from './store.ts'

/** The current revision of a row that a write found instead of the expected revision. */
type Stale = { rev: number; userId: string | null; atMs: number | null }

/**
 * The error for a write with an outdated revision. It names who changed the row last and when; `current` has the same
 * data for programs.
 */
export async function staleError(
  { write, dialect: { builder } }: Pick<Store, 'write' | 'dialect'>,
  found: Stale,
): Promise<MishapError> {
  const person =
    found.userId === null
      ? undefined
      : await write.get(builder.selectFrom('auth_user').select(['id', 'name', 'email']).where('id', '=', found.userId))
  const at = found.atMs === null ? null : new Date(found.atMs).toISOString()
  const who = person ? person.name || person.email : 'Somebody'
  return new MishapError('CONFLICT', {
    detail: `${who} changed this in the meantime${at === null ? '' : `, at ${at}`}.`,
    causes: ['Load it again, or send the change without a revision to apply it anyway.'],
    current: {
      revision: found.rev,
      changedBy: person ? { id: person.id, name: person.name, email: person.email } : null,
      changedAt: at,
    },
  })
}
