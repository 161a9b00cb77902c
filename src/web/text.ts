/** Invisible characters that change how text reads: control, zero-width, bidi and similar. */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/

/** Splits text into plain strings and marks for invisible code points. Newlines and tabs stay plain. */
export function plainParts(text: string): (string | { mark: string })[] {
  if (!hidden.test(text)) return text ? [text] : []
  const parts: (string | { mark: string })[] = []
  let plain = ''
  for (const name of text) {
    if (!hidden.test(name)) {
      plain += name
      continue
    }
    if (plain) parts.push(plain)
    plain = ''
    parts.push({ mark: `U+${(name.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}` })
  }
  if (plain) parts.push(plain)
  return parts
}

const schemes = new Set(['http:', 'https:', 'mailto:'])

/** An event's URL if it is safe as a link, with the host in punycode; undefined for other schemes or text. */
export function safeHref(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 4096 || hidden.test(value)) return undefined
  try {
    const url = new URL(value)
    return schemes.has(url.protocol) ? url.href : undefined
  } catch {
    return undefined
  }
}

/** The target after sign-in: a path of this site, else `/`. */
export function localPath(value: unknown): string {
  if (
    typeof value !== 'string' ||
    !/^\/(?![/\\])/.test(value) ||
    value.length > 2048 ||
    hidden.test(value) ||
    /[\n\t\\]/.test(value)
  )
    return '/'
  return value
}
