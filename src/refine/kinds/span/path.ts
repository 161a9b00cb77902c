import { matchingPattern, noRules, type RouteRules, withLearned } from '../../../domain/traces/routes.ts'

/** Longer paths are cut. */
const pathMax = 300
const partsMax = 24

/** Parts that are placeholders of a framework already: `:id`, `{id}`, `<int:id>`, `[id]`, `$id`, `*`. */
const template = /^[:{<[$(*]/
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const date = /^\d{4}[-_.]\d{1,2}(?:[-_.]\d{1,2})?(?:T[\d:.%A-Z]{0,30})?$/i
const hex = /^(?=[a-f]{0,64}\d)[0-9a-f]{7,128}$/i
const number = /^[-+]?\d{1,40}(?:[.,]\d{1,20})?$/
const version = /^v\d{1,3}(?:\.\d{1,3}){0,2}$/i
/** Random ids such as ULID, nanoid and base64: long, with digits and letters of both cases, or no vowels. */
const token = /^[\w-]{10,256}={0,2}$/
const extension = /\.[a-z][a-z0-9]{0,4}$/i

function isToken(part: string): boolean {
  if (!token.test(part)) return false
  const digits = part.match(/\d/g)?.length ?? 0
  const isMixed = /[a-z]/.test(part) && /[A-Z]/.test(part)
  return (
    (digits >= 2 && isMixed && !part.includes('-')) || (digits >= 5 && digits * 4 >= part.length) || part.length > 64
  )
}

/** A title in an address: three hyphens or more, or a number at its end. */
const slug = /^(?=[^-]*-[^-]*-[^-]*-)[\w%.~]+(?:-[\w%.~]+)+$/
const numbered = /^[a-z][a-z_]{0,40}(?:-[a-z_]{1,40}){0,2}[-_]\d{1,20}$/i

/**
 * Replaces what varies between the addresses of one page: numbers, UUIDs and hashes become `[id]`, dates `[date]`,
 * e-mail addresses `[email]`, titles `[slug]`.
 */
export function placeholderOf(part: string): string {
  if (part === '' || part.length > 256 || template.test(part)) return part.length > 256 ? '[id]' : part
  if (version.test(part)) return part
  if (date.test(part)) return '[date]'
  if (number.test(part) || uuid.test(part) || hex.test(part)) return '[id]'
  if (part.includes('@') || /%40/.test(part)) return part.startsWith('@') ? part : '[email]'
  if (isToken(part)) return '[id]'
  const found = extension.exec(part)
  if (found && found.index > 0) {
    const stem = placeholderOf(part.slice(0, found.index))
    return stem.startsWith('[') ? `${stem}${found[0]}` : part
  }
  if (slug.test(part) || numbered.test(part)) return '[slug]'
  return part
}

/** The path of an address without host, query and fragment; undefined if the text is no address. */
export function pathOf(address: string): string | undefined {
  const found = /^(?:[a-z][a-z0-9+.-]{0,20}:\/\/[^/?#\s]*)?(\/[^?#\s]*)?/i.exec(address)
  if (!found || found[0] === '') return undefined
  return found[1] ?? '/'
}

/**
 * A path with placeholders, without an empty end: `/orders/7/` becomes `/orders/[id]`. `rules`: the patterns, the
 * uploaded routes of the release and the learned names of the project, for its own pages.
 */
export function parameterizedPath(path: string, rules: RouteRules = noRules, release = ''): string {
  const parts = path.slice(0, pathMax).split('/').slice(0, partsMax)
  if (parts.length > 2 && parts.at(-1) === '') parts.pop()
  const pattern = matchingPattern(parts, rules) ?? rules.uploaded(parts, release)
  if (pattern !== undefined) return pattern
  const out = withLearned(parts.map(placeholderOf), rules.learned).join('/')
  return out.length > 1 && out.endsWith('/') ? out.slice(0, -1) : out || '/'
}

/** Path of an asset: hashes in its name become `[hash]`: `/chunks/main-4f3a9b2c1d.js` becomes `/chunks/main-[hash].js`. */
export function assetPath(path: string): string {
  return path
    .slice(0, pathMax)
    .split('/')
    .map((part) =>
      part
        .split(/([.~_-])/)
        .map((piece) =>
          hex.test(piece) || isToken(piece) || (piece.length >= 8 && /\d/.test(piece)) ? '[hash]' : piece,
        )
        .join(''),
    )
    .map((part) => (uuid.test(part) || number.test(part) ? '[id]' : part))
    .join('/')
}
