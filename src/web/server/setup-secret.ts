import { hash, timingSafeEqual } from 'node:crypto'

const hashOf = (text: string) => hash('sha256', text, 'buffer')

/** Compares `candidate` with the secret of the setup link. The time tells neither the bytes nor the length. */
export function isSetupSecret(candidate: string, secret: string | undefined): boolean {
  return secret ? timingSafeEqual(hashOf(candidate), hashOf(secret)) : false
}
