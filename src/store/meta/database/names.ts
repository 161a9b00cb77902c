import { createHash } from 'node:crypto'
import { MishapError } from '../../../base/errors.ts'

/** Maximum characters of a slug and of a name (docs/specification.md 5). */
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

/** Hex characters of the hash in the slug of a name without usable letters. */
const hashCharacters = 8

/**
 * Derives a slug from a name: lower case, accents dropped, everything else becomes a single `-`. The same name always
 * has the same slug. A name of only digits gets the prefix `prefix-`, because a numeric slug would be read as an id. A
 * name in a script without a-z, such as 日本, becomes `prefix-` and 8 hex characters of its SHA-256. Throws VALIDATION
 * (field `field`) for a name without any letter or digit, such as `../..`.
 */
export function slugOf(name: string, prefix: string, field = 'name'): string {
  if (!/[\p{L}\p{N}]/u.test(name)) throw refuse(field, 'Use at least one letter or digit.')
  const cut = (text: string) => text.slice(0, slugCharactersMax).replace(/^-+|-+$/g, '')
  const slug = cut(
    name
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+/, ''),
  )
  if (slug === '')
    return `${prefix}-${createHash('sha256').update(name.normalize('NFKC').trim()).digest('hex').slice(0, hashCharacters)}`
  return /^\d+$/.test(slug) ? cut(`${prefix}-${slug}`) : slug
}

/** Derives a free slug from `name`; appends -2, -3 and so on while it is taken. Throws like slugOf. */
export async function freeSlug(
  name: string,
  prefix: string,
  isUsed: (slug: string) => Promise<boolean>,
  field = 'name',
): Promise<string> {
  const base = slugOf(name, prefix, field)
  for (let count = 1; ; count++) {
    const tail = count === 1 ? '' : `-${count}`
    const slug = `${base.slice(0, slugCharactersMax - tail.length)}${tail}`
    if (!(await isUsed(slug))) return slug
  }
}

/** Returns the id in a path part, or undefined for a slug. A slug never has only digits, so both forms are distinct. */
export function idOf(slugOrId: string): number | undefined {
  return /^\d{1,15}$/.test(slugOrId) ? Number(slugOrId) : undefined
}
