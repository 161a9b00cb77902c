import { MishapError } from '../base/errors.ts'
import type { Attempts } from './attempts.ts'

/** The client's address, as process main says it; '' when nothing did. */
export const addressOf = (headers: Headers) => headers.get('x-forwarded-for')?.split(',')[0]?.trim() ?? ''

/** Counts a try as failed until it is known to be none. Throws AUTH_LOCKED. */
export function demandTry(attempts: Attempts, email: string, address: string): void {
  const waitS = attempts.waitS(email, address)
  if (waitS > 0)
    throw new MishapError('AUTH_LOCKED', { detail: `Too many attempts. Try again in ${waitS} s.`, retryAfterS: waitS })
  attempts.failed(email, address)
}

/** What a password's check needs: who tries too often, and room in the queue. */
export type Guard = { attempts: Attempts; queue: { demandRoom(): void } }

/**
 * A try with a password: counted as failed until the answer is known. `isWrong` tells whether the password was the fault.
 * Throws AUTH_LOCKED and AUTH_BUSY.
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
    queue.demandRoom()
    const response = await work()
    isCounted = await isWrong(response)
    if (response.ok) attempts.succeeded(email, address)
    return response
  } finally {
    if (!isCounted) attempts.undo(email, address)
  }
}
