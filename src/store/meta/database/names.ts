import { createHash } from 'node:crypto'
import { MishapError } from '../../../base/errors.ts'

/** Characters of a slug and of a name at most (docs/specification.md 5). */
const slugCharactersMax = 50
const nameCharactersMax = 64

const refuse = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

/** Returns the slug when it follows the rules; throws VALIDATION (field `slug`) otherwise. */
export function checkSlug(slug: string): string {
  if (!/^[a-z0-9-]{1,50}$/.test(slug)) throw refuse('slug', `Use 1 to ${slugCharactersMax} of a-z, 0-9 and -.`)
  if (/^\d+$/.test(slug)) throw refuse('slug', 'A slug must not be only digits.')
  return slug
}

/** Returns the trimmed name; throws VALIDATION (field `name`) when it is empty, too long or has control characters. */
export function checkName(name: string, field = 'name'): string {
  const trimmed = name.trim()
  if (trimmed.length === 0 || [...trimmed].length > nameCharactersMax)
    throw refuse(field, `Use 1 to ${nameCharactersMax} characters.`)
  if (/[\u0000-\u001f\u007f-\u009f]/.test(trimmed)) throw refuse(field, 'Control characters are not allowed.')
  return trimmed
}

/** Hex characters of the hash that stands for a name of which no letter can stand in a slug. */
const hashCharacters = 8

/**
 * A slug out of what a person typed as a name: lower case, accents dropped, everything else to single `-`. The same name
 * gives the same slug always. A name of only digits gets `prefix-` before them, since a slug that is a number would be
 * taken for an id; of a name in a script that has no a-z, as 日本, it is `prefix-` and 8 hex characters of its SHA-256.
 * Throws VALIDATION (field `field`) for a name without any letter or digit, such as `../..`.
 */
export function slugOf(name: string, prefix: string, field = 'name'): string {
  if (!/[\p{L}\p{N}]/u.test(name)) throw refuse(field, 'Use at least one letter or digit.')
  const cut = (text: string) => text.slice(0, slugCharactersMax).replace(/^-+|-+$/g, '')
  const plain = cut(
    name
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+/, ''),
  )
  if (plain === '')
    return `${prefix}-${createHash('sha256').update(name.normalize('NFKC').trim()).digest('hex').slice(0, hashCharacters)}`
  return /^\d+$/.test(plain) ? cut(`${prefix}-${plain}`) : plain
}

/** The slug of `name`, with -2, -3 and so on behind it while it is taken. Throws what slugOf throws. */
export function freeSlug(name: string, prefix: string, isTaken: (slug: string) => boolean, field = 'name'): string {
  const base = slugOf(name, prefix, field)
  for (let count = 1; ; count++) {
    const tail = count === 1 ? '' : `-${count}`
    const slug = `${base.slice(0, slugCharactersMax - tail.length)}${tail}`
    if (!isTaken(slug)) return slug
  }
}

/** The id that a path part names, or undefined when it is a slug. Slugs are never only digits, so the two can't meet. */
export function idOf(slugOrId: string): number | undefined {
  return /^\d{1,15}$/.test(slugOrId) ? Number(slugOrId) : undefined
}
