import { commonPasswords } from './common-passwords.ts'

/** Characters of a password: shorter ones fall to guessing; the upper bound keeps hashing cheap. */
export const passwordCharactersMin = 10
export const passwordCharactersMax = 128

const common = (password: string) => commonPasswords.has(password.toLowerCase())

/** One character, or a short piece, again and again: what guessing tools try after their lists. */
const repeated = (password: string) => /^(.{1,4}?)\1+$/su.test(password)

/** Returns the sentence that tells what is wrong with a password, or undefined when it is allowed. */
export function passwordFault(password: string): string | undefined {
  const { length } = [...password]
  if (length < passwordCharactersMin) return `Use at least ${passwordCharactersMin} characters.`
  if (length > passwordCharactersMax) return `Use at most ${passwordCharactersMax} characters.`
  if (common(password) || repeated(password)) return 'This password is among the commonest; choose another one.'
  return undefined
}
