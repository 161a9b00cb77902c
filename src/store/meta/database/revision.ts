import { MishapError } from '../../../base/errors.ts'
import type { Store } from './store.ts'

/** What a write finds in place of the revision that it was made for. */
type Stale = { rev: number; userId: string | null; atMs: number | null }

/**
 * The refusal of a write that was made for an older revision. It says who changed the thing last and when;
 * `current` has the same for programs.
 */
export function staleError(
  { write, dialect: { builder } }: Pick<Store, 'write' | 'dialect'>,
  found: Stale,
): MishapError {
  const person =
    found.userId === null
      ? undefined
      : write.get(builder.selectFrom('auth_user').select(['id', 'name', 'email']).where('id', '=', found.userId))
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
