import { dictionary } from '@zxcvbn-ts/language-common'

/** Shorter passwords are easy to guess. The maximum keeps hashing cheap. */
export const passwordCharactersMin = 10
export const passwordCharactersMax = 128

const productName = 'mishap'

/** The most common passwords of at least the minimum length (1,557 of 49,233; all lower case). */
const commonest: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].map(String).filter((password) => password.length >= passwordCharactersMin),
)

const common = (password: string) => commonest.has(password.toLowerCase())

/** Returns whether a text of 1 to 4 characters repeats. Guessing tools try such passwords after their lists. */
const repeated = (password: string) => /^(.{1,4}?)\1+$/su.test(password)

const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}]+/gu, '')

/** Returns whether a password consists of these names, ignoring digits and other symbols. */
function isName(password: string, names: readonly string[]): boolean {
  const letters = lettersOf(password)
  const personal = [productName, ...names].flatMap((name) => [name, name.split('@')[0] ?? ''].map(lettersOf))
  return letters !== '' && personal.some((name) => letters.replaceAll(name, '') === '')
}

/**
 * Returns a sentence with the fault of a password, or undefined if it is allowed. `names` has the person's address and
 * the names of their organizations, which attackers guess first.
 */
export function passwordFault(password: string, names: readonly string[] = []): string | undefined {
  const { length } = [...password]
  if (length < passwordCharactersMin) return `Use at least ${passwordCharactersMin} characters.`
  if (length > passwordCharactersMax) return `Use at most ${passwordCharactersMax} characters.`
  if (common(password) || repeated(password)) return 'This password is too common. Choose another password.'
  if (isName(password, names)) return 'Do not use your address, the product’s name or your organization’s name.'
  return undefined
}
