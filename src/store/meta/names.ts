import { MishapError } from '../../errors.ts'

/** Characters of a slug and of a name at most (spec.md 5). */
export const slugCharactersMax = 50
export const nameCharactersMax = 64

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

/** A slug out of what a person typed as a name: lower case, other characters to `-`; `fallback` when nothing is left or only digits. */
export function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugCharactersMax)
    .replace(/^-+|-+$/g, '')
  return slug === '' || /^\d+$/.test(slug) ? fallback : slug
}

/** The id that a path part names, or undefined when it is a slug. Slugs are never only digits, so the two can't meet. */
export function idOf(slugOrId: string): number | undefined {
  return /^\d{1,15}$/.test(slugOrId) ? Number(slugOrId) : undefined
}
