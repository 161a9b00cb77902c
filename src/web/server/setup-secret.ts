import { timingSafeEqual } from 'node:crypto'

/** Whether `given` is the setup link's secret, in the same time for every wrong secret. */
export function isSetupSecret(given: string, secret: string | undefined): boolean {
  if (!secret) return false
  const left = Buffer.from(given)
  const right = Buffer.from(secret)
  return left.length === right.length && timingSafeEqual(left, right)
}
