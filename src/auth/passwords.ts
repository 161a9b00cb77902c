/** Shorter passwords are easy to guess. The maximum keeps hashing cheap. */
export const passwordCharactersMin = 10
export const passwordCharactersMax = 128

const productName = 'mishap'

/**
 * Returns whether a password is one of the 49,233 most common ones (all lower case). They are loaded with the first new
 * password: the lists have 8 MB, which stay, and passwords are chosen rarely. A set of them would only add to that.
 */
async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const text = password.toLowerCase()
  return dictionary['passwords-common'].some((common) => String(common) === text)
}

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
export async function passwordFault(password: string, names: readonly string[] = []): Promise<string | undefined> {
  const { length } = [...password]
  if (length < passwordCharactersMin) return `Use at least ${passwordCharactersMin} characters.`
  if (length > passwordCharactersMax) return `Use at most ${passwordCharactersMax} characters.`
  if (repeated(password) || (await isCommon(password))) return 'This password is too common. Choose another password.'
  if (isName(password, names)) return 'Do not use your address, the product’s name or your organization’s name.'
  return undefined
}
