/** The form of a sent minidump: plain or compressed. */
export type DumpForm = 'plain' | 'gzip' | 'zstd' | 'xz' | 'bzip2'

/** Name of the part with the dump in every crash reporter's upload. */
export const dumpPartName = 'upload_file_minidump'

/** Type of a minidump attachment. */
export const dumpAttachmentType = 'event.minidump'

const magics: readonly [DumpForm, readonly number[]][] = [
  ['plain', [0x4d, 0x44, 0x4d, 0x50]], // MDMP
  ['plain', [0x50, 0x4d, 0x44, 0x4d]], // PMDM: written on a machine with the other byte order
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['bzip2', [0x42, 0x5a, 0x68]], // BZh
]

/** Number of bytes that determine the form. */
export const dumpMagicBytes = 6

/** Returns the form of the first bytes; undefined if they are no minidump. */
export function dumpFormOf(bytes: Uint8Array): DumpForm | undefined {
  return magics.find(([, magic]) => magic.every((byte, i) => bytes[i] === byte))?.[0]
}

/** Limit of a nested form's first line in bytes: two hyphens, a boundary of 70 and the line end. */
export const nestedLineBytesMax = 74

/** Returns whether bytes start like a form. No minidump starts like this. */
export const beginsAsForm = (bytes: Uint8Array): boolean => bytes[0] === 0x2d && bytes[1] === 0x2d

/**
 * Returns the boundary of a form in place of a dump; undefined if there is none or its first line is incomplete. On
 * Linux Electron's crash reporter stores its whole upload body as the dump, and the SDK sends that file.
 */
export function nestedBoundary(bytes: Buffer): string | undefined {
  if (!beginsAsForm(bytes)) return undefined
  return /^--([^\r\n]{1,70})\r\n/.exec(bytes.toString('latin1', 0, nestedLineBytesMax))?.[1]
}

/** A text field of a crash reporter's form. */
export type FormField = { name: string; value: string }

/** Byte limit of all text fields of a form. They include an event. */
export const formBytesMax = 1024 * 1024

/** Level limit of `sentry[a][b]`. SDKs send at most 4 (contexts, name, key, list). */
const levelsMax = 10

/**
 * Assembles the event from the fields of a form: `sentry` as JSON, or its pieces `sentry__1` to `sentry__n`, overridden
 * by `sentry[a][b]`. `others` are the other fields. `broken`: the JSON is invalid. Never throws.
 */
export function readForm(fields: readonly FormField[]): {
  event: Record<string, unknown>
  others: FormField[]
  broken: boolean
} {
  const others: FormField[] = []
  const numbered: [number, string][] = []
  const nested: FormField[] = []
  let json = ''
  for (const field of fields) {
    const match = /^sentry__(\d{1,6})$/.exec(field.name)
    if (field.name === 'sentry') json = field.value
    else if (match) numbered.push([Number(match[1]), field.value])
    else if (/^sentry\[/.test(field.name)) nested.push(field)
    else others.push(field)
  }
  const text =
    json ||
    numbered
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value)
      .join('')
  const parsed = parse(text)
  const event = parsed ?? {}
  for (const { name, value } of nested) put(event, name, value)
  return { event, others, broken: text.trim() !== '' && parsed === undefined }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sets `sentry[a][b]` = value; `[]` appends to a list. Ignores names with `__proto__`. */
function put(event: Record<string, unknown>, name: string, value: string): void {
  const keys = [...name.slice('sentry'.length).matchAll(/\[([^\][]*)\]/g)].map((found) => found[1] ?? '')
  const last = keys.at(-1)
  if (last === undefined || keys.length > levelsMax || keys.some((key) => key === '__proto__')) return
  let node: Record<string, unknown> | unknown[] = event
  for (const [i, key] of keys.slice(0, -1).entries()) {
    const found: unknown = Array.isArray(node) ? undefined : Object.hasOwn(node, key) ? node[key] : undefined
    let next: Record<string, unknown> | unknown[]
    if (isObject(found) || Array.isArray(found)) next = found
    else {
      next = keys[i + 1] === '' ? [] : {}
      if (Array.isArray(node)) node.push(next)
      else node[key] = next
    }
    node = next
  }
  if (Array.isArray(node)) node.push(value)
  else if (last !== '') node[last] = value
}
