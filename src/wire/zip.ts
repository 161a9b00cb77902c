/** One file of a ZIP archive, from the directory at its end. Offsets are positions in the whole file. */
export type ZipEntry = {
  name: string
  /** Start of its local header. */
  at: number
  packed: number
  bytes: number
  crc: number
  /** 0: stored; 8: deflate. */
  method: number
}

/** Position of an archive's directory. `shift`: number of bytes before the archive's start. */
type ZipDirectory = { at: number; bytes: number; entries: number; shift: number }

/** Size of the end record with the longest comment. */
export const zipEndBytesMax = 22 + 65_535
/** Size of the local header without its name and extra fields. */
export const zipLocalBytes = 30

const endSignature = 0x06054b50
const zip64EndSignature = 0x06064b50
const zip64LocatorSignature = 0x07064b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const full32 = 0xffffffff
const full16 = 0xffff

/** A fault of an archive, with a message for the uploader. */
export class ZipFault extends Error {}

/** Reads a 64-bit number. Throws ZipFault if no file can be that long. */
function big(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ZipFault('The archive points beyond its end.')
  return Number(value)
}

/** Returns the position of the end record in the tail: the last one whose comment reaches the end. */
function findEnd(tail: Buffer): number {
  for (let at = tail.length - 22; at >= 0; at--)
    if (tail.readUInt32LE(at) === endSignature && at + 22 + tail.readUInt16LE(at + 20) === tail.length) return at
  throw new ZipFault('This is not a ZIP archive, or its end is missing.')
}

/**
 * Finds the directory in the last bytes of a file of `size` bytes (at least the last `zipEndBytesMax`, or all). `read`
 * returns other parts of the file, for archives over 4 GiB. Throws ZipFault.
 */
export async function findZipDirectory(
  tail: Buffer,
  size: number,
  read: (from: number, bytes: number) => Promise<Buffer>,
): Promise<ZipDirectory> {
  const end = findEnd(tail)
  const endAt = size - tail.length + end
  const plain = {
    entries: tail.readUInt16LE(end + 10),
    bytes: tail.readUInt32LE(end + 12),
    at: tail.readUInt32LE(end + 16),
  }
  if (plain.entries !== full16 && plain.bytes !== full32 && plain.at !== full32) return placed(plain, endAt)
  // ZIP64: a locator of 20 bytes precedes the end record.
  const locator = endAt >= 20 ? await read(endAt - 20, 20) : Buffer.alloc(0)
  if (locator.length < 20 || locator.readUInt32LE(0) !== zip64LocatorSignature) return placed(plain, endAt)
  const named = big(locator, 8)
  // Bytes before the archive also shift the record. Without an extensible part it starts 56 bytes before the locator.
  for (const at of new Set([named, endAt - 20 - 56])) {
    const record = at >= 0 && at + 56 <= size ? await read(at, 56) : Buffer.alloc(0)
    if (record.length < 56 || record.readUInt32LE(0) !== zip64EndSignature) continue
    return placed({ entries: big(record, 32), bytes: big(record, 40), at: big(record, 48) }, at)
  }
  throw new ZipFault('The archive’s end is broken.')
}

function placed({ entries, bytes, at }: { entries: number; bytes: number; at: number }, endAt: number): ZipDirectory {
  const shift = endAt - bytes - at
  if (shift < 0) throw new ZipFault('The archive’s directory is outside the archive.')
  return { at: at + shift, bytes, entries, shift }
}

/** Reads sizes and position from the extra field, in this order, if the directory has all ones. */
function readBig(extra: Buffer, entry: ZipEntry): void {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === 1) {
      const field = extra.subarray(at + 4, at + 4 + length)
      let next = 0
      for (const key of ['bytes', 'packed', 'at'] as const) {
        if (entry[key] !== full32) continue
        if (next + 8 > field.length) throw new ZipFault(`${shown(entry.name)}: its sizes are missing.`)
        entry[key] = big(field, next)
        next += 8
      }
      return
    }
    at += 4 + length
  }
}

/** Formats a name for a message: short, and without control characters. */
export const shown = (name: string): string => `"${name.replace(/\p{Cc}/gu, ' ').slice(0, 120)}"`

/** Returns whether a name stays inside the folder to which its archive would be unpacked. */
const isSafeName = (name: string): boolean =>
  name !== '' &&
  name.length <= 4096 &&
  !/^[\\/]|^[A-Za-z]:|[\0\\]/.test(name) &&
  !name.split('/').some((part) => part === '..')

/** Parses the directory. Throws ZipFault for malformed or encrypted data, unknown compression, or unsafe names. */
export function readZipDirectory(bytes: Buffer, directory: ZipDirectory): ZipEntry[] {
  const entries: ZipEntry[] = []
  let at = 0
  for (let i = 0; i < directory.entries; i++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== entrySignature)
      throw new ZipFault('The archive’s directory is broken.')
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset))
    const nameAt = at + 46
    const extraAt = nameAt + (nameBytes ?? 0)
    const next = extraAt + (extraBytes ?? 0) + (commentBytes ?? 0)
    if (next > bytes.length) throw new ZipFault('The archive’s directory is broken.')
    const entry: ZipEntry = {
      name: bytes.toString('utf8', nameAt, extraAt),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      bytes: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    }
    const flags = bytes.readUInt16LE(at + 8)
    readBig(bytes.subarray(extraAt, extraAt + (extraBytes ?? 0)), entry)
    entry.at += directory.shift
    at = next
    if (!isSafeName(entry.name))
      throw new ZipFault(`The archive has a file with a path outside of it: ${shown(entry.name)}.`)
    if (entry.name.endsWith('/')) continue
    if (flags & 1) throw new ZipFault(`${shown(entry.name)} is encrypted.`)
    if (entry.method !== 0 && entry.method !== 8)
      throw new ZipFault(
        `${shown(entry.name)} uses compression method ${entry.method}. Only 0 and 8 (deflate) are supported.`,
      )
    entries.push(entry)
  }
  return entries
}

/** Returns the start of an entry's compressed bytes, from its local header. Throws ZipFault. */
export function dataStart(local: Buffer, entry: ZipEntry): number {
  if (local.length < zipLocalBytes || local.readUInt32LE(0) !== localSignature)
    throw new ZipFault(`${shown(entry.name)} is not where the directory says.`)
  return entry.at + zipLocalBytes + local.readUInt16LE(26) + local.readUInt16LE(28)
}
