import { MishapError } from '../base/errors.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type Meta = MetaWith<'people.isEmpty'>

/**
 * Runs a call of better-auth, which hides why a statement failed behind an error 500. If the database still does not
 * answer, its own error (DATABASE_UNAVAILABLE) takes the place, for screens and clients that wait for it.
 */
export async function withDatabaseCause<T>(meta: Meta, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { statusCode = 500 } = (error ?? {}) as { statusCode?: number }
    if (!(error instanceof MishapError) && statusCode >= 500) await meta.people.isEmpty()
    throw error
  }
}

/** The same for a call that answers with a response. */
export async function withDatabaseAnswer(meta: Meta, work: () => Promise<Response>): Promise<Response> {
  const response = await work()
  if (response.status >= 500) await meta.people.isEmpty()
  return response
}
