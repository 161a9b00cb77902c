import { addError, addMeta, type Loose, type MetaNotes, object, own, scalar } from '../../pipeline/value.ts'

/** Tags kept per event. `_meta` counts the others. */
const tagsMax = 200
const reserved = new Set(['release', 'dist', 'user', 'filename', 'function'])

/**
 * Reads tags from an object or a list of pairs (or `{key, value}`). Repairs names to `[A-Za-z0-9_.:-]` and values to
 * one line, both at most 200 characters. The first of two equal names wins. Reserved names are dropped.
 */
export function readTags(to: MetaNotes, value: unknown): [string, string][] {
  const out = new Map<string, string>()
  to.path.push('tags')
  let total = 0
  const add = (name: unknown, content: unknown) => {
    total += 1
    if (out.size >= tagsMax) return
    const tag = readTag(to, name, content)
    if (tag && !out.has(tag[0])) out.set(tag[0], tag[1])
  }
  if (Array.isArray(value)) {
    for (const entry of value) {
      const loose = object(entry)
      if (Array.isArray(entry)) add(entry[0], entry[1])
      else if (loose) add(own(loose, 'key'), own(loose, 'value'))
    }
  } else {
    const loose: Loose = object(value) ?? {}
    for (const key in loose) add(key, loose[key])
  }
  if (total > out.size && out.size >= tagsMax) addMeta(to, '', { len: total, rem: [['!limit', 'x']] })
  to.path.pop()
  return [...out]
}

function readTag(to: MetaNotes, name: unknown, content: unknown): [string, string] | undefined {
  const key = scalar(name)?.trim().replaceAll(' ', '-')
  if (!key || reserved.has(key)) return undefined
  // `.` and `..` cannot be part of a URL path, because clients remove them.
  const good = key.slice(0, 200).replace(/^\.{1,2}$|[^\w.:-]/g, (bad) => '_'.repeat(bad.length))
  if (good !== key) addError(to, 'invalid_data', good, key, 'tag name repaired')
  const text = content === null || content === undefined ? undefined : (scalar(content) ?? undefined)
  if (text === undefined) {
    addMeta(to, good, { err: [content === null || content === undefined ? 'no value' : 'expected a scalar'] })
    return undefined
  }
  const line = text.replace(/[\r\n]+/g, ' ').trim()
  if (!line) return undefined
  if (line.length > 200) addMeta(to, good, { len: line.length, rem: [['!limit', 'x', 197, 200]] })
  return [good, line.length > 200 ? `${line.slice(0, 197).toWellFormed()}...` : line]
}
