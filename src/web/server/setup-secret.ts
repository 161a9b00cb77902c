import { timingSafeEqual } from 'node:crypto'

/** Compares `candidate` with the secret of the setup link. Takes constant time for values of equal length. */
export function isSetupSecret(candidate: string, secret: string | undefined): boolean {
  if (!secret) return false
  const candidateBytes = Buffer.from(candidate)
  const secretBytes = Buffer.from(secret)
  return candidateBytes.length === secretBytes.length && timingSafeEqual(candidateBytes, secretBytes)
}
