/** How the bytes of a sent minidump begin: as a plain minidump, or as a compressed minidump. */
export type DumpForm = 'plain' | 'gzip' | 'zstd' | 'xz' | 'bzip2'

/** Name of the part that holds the dump, as every crash reporter sends it. */
export const dumpPartName = 'upload_file_minidump'

/** Type of an attachment that is a minidump. */
export const dumpAttachmentType = 'event.minidump'

const magics: readonly [DumpForm, readonly number[]][] = [
  ['plain', [0x4d, 0x44, 0x4d, 0x50]], // MDMP
  ['plain', [0x50, 0x4d, 0x44, 0x4d]], // PMDM: written by a machine of the other byte order
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['bzip2', [0x42, 0x5a, 0x68]], // BZh
]

/** Bytes that decide the form. */
export const dumpMagicBytes = 6

/** The form that bytes begin with; undefined when they are no minidump. */
export function dumpFormOf(bytes: Uint8Array): DumpForm | undefined {
  return magics.find(([, magic]) => magic.every((byte, i) => bytes[i] === byte))?.[0]
}

/** Bytes that a nested form's first line takes at most: two hyphens, a boundary of 70 and the line's end. */
export const nestedLineBytesMax = 74

/** Whether bytes begin as a form does; no minidump begins so. */
export const beginsAsForm = (bytes: Uint8Array): boolean => bytes[0] === 0x2d && bytes[1] === 0x2d

/**
 * The boundary of a form that lies where a dump is expected; undefined where none begins or its first line is not complete.
 * On Linux Electron's crash reporter keeps the whole body of its upload as the dump, and the SDK sends that file.
 */
export function nestedBoundary(bytes: Buffer): string | undefined {
  if (!beginsAsForm(bytes)) return undefined
  return /^--([^\r\n]{1,70})\r\n/.exec(bytes.toString('latin1', 0, nestedLineBytesMax))?.[1]
}

/** A plain field of a crash reporter's form. */
export type FormField = { name: string; value: string }

/** Bytes that the plain fields of one form may have together: an event is among them. */
export const formBytesMax = 1024 * 1024

/** Levels of `sentry[a][b]`; the deepest that SDKs send is 4 (contexts, name, key, list). */
const levelsMax = 10

/**
 * The event that the fields of a form hold: `sentry` as JSON, or its pieces `sentry__1` to `sentry__n`, and over it what
 * `sentry[a][b]` says. `rest` are the other fields. `broken`: the JSON is none. Never throws.
 */
export function readForm(fields: readonly FormField[]): {
  event: Record<string, unknown>
  rest: FormField[]
  broken: boolean
} {
  const rest: FormField[] = []
  const pieces: [number, string][] = []
  const nested: FormField[] = []
  let whole = ''
  for (const field of fields) {
    const piece = /^sentry__(\d{1,6})$/.exec(field.name)
    if (field.name === 'sentry') whole = field.value
    else if (piece) pieces.push([Number(piece[1]), field.value])
    else if (/^sentry\[/.test(field.name)) nested.push(field)
    else rest.push(field)
  }
  const text =
    whole ||
    pieces
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value)
      .join('')
  const parsed = parse(text)
  const event = parsed ?? {}
  for (const { name, value } of nested) put(event, name, value)
  return { event, rest, broken: text.trim() !== '' && parsed === undefined }
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

/** Writes `sentry[a][b]` = value; a bare `[]` appends to a list. Names that reach a prototype are left out. */
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
