import { dictionary } from '@zxcvbn-ts/language-common'

/** Characters of a password: shorter ones fall to guessing; the upper bound keeps hashing cheap. */
export const passwordCharactersMin = 10
export const passwordCharactersMax = 128

const productName = 'mishap'

/** The commonest passwords that are long enough to be asked about (1,557 of 49,233; all lower case). */
const commonest: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].map(String).filter((item) => item.length >= passwordCharactersMin),
)

const common = (password: string) => commonest.has(password.toLowerCase())

/** One character, or a short piece, again and again: what guessing tools try after their lists. */
const repeated = (password: string) => /^(.{1,4}?)\1+$/su.test(password)

const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}]+/gu, '')

/** Whether a password is one of the names, whatever digits and signs stand around or within it. */
function isName(password: string, names: readonly string[]): boolean {
  const letters = lettersOf(password)
  const known = [productName, ...names].flatMap((name) => [name, name.split('@')[0] ?? ''].map(lettersOf))
  return letters !== '' && known.some((name) => letters.replaceAll(name, '') === '')
}

/**
 * Returns the sentence that tells what is wrong with a password, or undefined when it is allowed. `names`: the person's
 * address and the names of their organizations, which are guessed first.
 */
export function passwordFault(password: string, names: readonly string[] = []): string | undefined {
  const { length } = [...password]
  if (length < passwordCharactersMin) return `Use at least ${passwordCharactersMin} characters.`
  if (length > passwordCharactersMax) return `Use at most ${passwordCharactersMax} characters.`
  if (common(password) || repeated(password)) return 'This password is too common. Choose another one.'
  if (isName(password, names)) return 'Do not use your address, the product’s name or your organization’s name.'
  return undefined
}
