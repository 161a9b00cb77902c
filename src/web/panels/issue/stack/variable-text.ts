/** Characters of the preview of a closed object. */
const previewMax = 80

function leafText(value: unknown): string {
  if (typeof value === 'string') return `"${value.length > 24 ? `${value.slice(0, 24)}…` : value}"`
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === 'object' && value !== null) return `{${Object.keys(value).length}}`
  return String(value)
}

/** The first members of an object or array on one line: `{id: 8812, state: "open", …}`. */
export function previewOf(value: object): string {
  const isArray = Array.isArray(value)
  const [opening, closing] = isArray ? ['[', ']'] : ['{', '}']
  let text = ''
  // Not Object.entries: a hostile object can have 100,000 members.
  for (const key in value) {
    const member = leafText((value as Record<string, unknown>)[key])
    const part = isArray ? member : `${key.slice(0, 40)}: ${member}`
    if (text.length + part.length > previewMax) return `${opening}${text ? `${text}, ` : ''}…${closing}`
    text += text ? `, ${part}` : part
  }
  return `${opening}${text}${closing}`
}
