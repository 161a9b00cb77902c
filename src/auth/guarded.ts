import { MishapError } from '../base/errors.ts'
import type { Attempts } from './attempts.ts'

/** Client address as set by the main process; '' if absent. */
export const addressOf = (headers: Headers) => headers.get('x-forwarded-for')?.split(',')[0]?.trim() ?? ''

/** Counts an attempt as failed until it succeeds. Throws AUTH_LOCKED. */
export function demandTry(attempts: Attempts, email: string, address: string): void {
  const waitS = attempts.waitS(email, address)
  if (waitS > 0)
    throw new MishapError('AUTH_LOCKED', { detail: `Too many attempts. Try again in ${waitS} s.`, retryAfterS: waitS })
  attempts.failed(email, address)
}

/** Dependencies of a password check: the attempt counter and the hash queue. */
export type Guard = { attempts: Attempts; queue: { demandCapacity(): void } }

/**
 * Runs a password attempt that counts as failed until the answer is known. `isWrong` returns whether the password was
 * wrong. Throws AUTH_LOCKED and AUTH_BUSY.
 */
export async function guarded(
  { attempts, queue }: Guard,
  [email, address]: [string, string],
  work: () => Promise<Response>,
  isWrong: (response: Response) => Promise<boolean> | boolean,
): Promise<Response> {
  demandTry(attempts, email, address)
  let isCounted = false
  try {
    queue.demandCapacity()
    const response = await work()
    isCounted = await isWrong(response)
    if (response.ok) attempts.succeeded(email, address)
    return response
  } finally {
    if (!isCounted) attempts.undo(email, address)
  }
}
