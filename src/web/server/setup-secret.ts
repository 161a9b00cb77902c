import { timingSafeEqual } from 'node:crypto'

/** Compares `given` with the secret of the setup link. Takes constant time for values of equal length. */
export function isSetupSecret(given: string, secret: string | undefined): boolean {
  if (!secret) return false
  const left = Buffer.from(given)
  const right = Buffer.from(secret)
  return left.length === right.length && timingSafeEqual(left, right)
}
