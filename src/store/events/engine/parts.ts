import { readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncPath } from '../../sync.ts'
import { tableFolders } from './names.ts'

/** Name of a part's folder. */
const partForm = /^(?<partition>[0-9a-zA-Z-]+)_(?<first>\d+)_(?<last>\d+)_(?<level>\d+)(_(?<mutation>\d+))?$/
const listName = 'checksums.txt'
const listHead = Buffer.from('checksums format version: 4\n')
/** A compressed block starts with a hash of 16 bytes, the method, and two sizes of four bytes. */
const hashBytes = 16
const headBytes = 9
const methods = { none: 0x02, lz4: 0x82 } as const

/** Files of a part whose bytes the rows do not need: indexes that a merge builds again. */
const isIndex = (name: string): boolean => name.startsWith('skp_idx_')
/** Small files that describe the rows. None is ever empty. */
const isDetail = (name: string): boolean => /\.(txt|dat|json)$/.test(name)
/** `skp_idx_NAME.idx`, `skp_idx_NAME.dct.idx` and others belong to one index. */
const indexOf = (name: string): string => name.slice(0, name.indexOf('.'))

/** Decodes one block of LZ4. Throws RangeError if it is cut off. */
function decodeLz4(block: Buffer, size: number): Buffer {
  const decoded = Buffer.alloc(size)
  let [at, to] = [0, 0]
  const lengthOf = (nibble: number): number => {
    let length = nibble
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) byte = block.readUInt8(at++)
    return length
  }
  while (at < block.length) {
    const token = block.readUInt8(at++)
    const literals = lengthOf(token >> 4)
    block.copy(decoded, to, at, at + literals)
    at += literals
    to += literals
    // The last sequence has no match.
    if (at >= block.length) break
    const from = to - block.readUInt16LE(at)
    at += 2
    const length = lengthOf(token & 15) + 4
    for (let n = 0; n < length; n++) decoded.writeUInt8(decoded.readUInt8(from + n), to++)
  }
  if (to !== size) throw new RangeError('a block of LZ4 is cut off')
  return decoded
}

/** Sizes of a part's files in bytes, by name. Throws RangeError if the list is cut off; undefined: unknown format. */
function sizesIn(file: Buffer): Map<string, number> | undefined {
  if (file.length < listHead.length + hashBytes + headBytes) throw new RangeError('a list of checksums is cut off')
  if (!file.subarray(0, listHead.length).equals(listHead)) return undefined
  const block = file.subarray(listHead.length + hashBytes)
  const [method, packedBytes, bytes] = [block.readUInt8(0), block.readUInt32LE(1), block.readUInt32LE(5)]
  if (block.length < packedBytes) throw new RangeError('a list of checksums is cut off')
  const packed = block.subarray(headBytes, packedBytes)
  if (method !== methods.lz4 && method !== methods.none) return undefined
  const list = method === methods.lz4 ? decodeLz4(packed, bytes) : packed
  let at = 0
  const number = (): number => {
    let [value, scale] = [0, 1]
    for (let byte = 0x80; byte >= 0x80; scale *= 128) {
      byte = list.readUInt8(at++)
      value += (byte & 0x7f) * scale
    }
    return value
  }
  const sizes = new Map<string, number>()
  for (let left = number(); left > 0; left--) {
    const nameBytes = number()
    const name = list.toString('utf8', at, at + nameBytes)
    at += nameBytes
    sizes.set(name, number())
    at += hashBytes
    const isCompressed = list.readUInt8(at++) === 1
    if (!isCompressed) continue
    number()
    at += hashBytes
  }
  return sizes
}

/** Returns the sizes that a part's list says. 'torn': the list is cut off. Undefined: it cannot be judged. */
async function listedSizes(part: string): Promise<Map<string, number> | 'torn' | undefined> {
  const file = await readFile(join(part, listName)).catch(() => undefined)
  if (!file) return undefined
  try {
    return sizesIn(file)
  } catch (error) {
    if (error instanceof RangeError) return 'torn'
    throw error
  }
}

const sizeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size

/** Files without their bytes, and whether the engine can do without them. */
type Damage = { files: string[]; isRepairable: boolean }

/** Compares a part with its list. Undefined: it is whole, or it cannot be judged. */
async function damageOf(part: string): Promise<Damage | undefined> {
  const sizes = await listedSizes(part)
  if (!sizes) return undefined
  const names = await readdir(part).catch((): string[] => [])
  const torn: string[] = []
  if (sizes !== 'torn')
    for (const [name, bytes] of sizes) if ((await sizeOf(join(part, name))) !== bytes) torn.push(name)
  // The list does not name all of them.
  for (const name of names.filter(isDetail)) if ((await sizeOf(join(part, name))) === 0) torn.push(name)
  if (torn.length === 0 && sizes !== 'torn') return undefined
  // Without a list, nothing says which index is whole.
  const indexes = new Set((sizes === 'torn' ? names : torn).filter(isIndex).map(indexOf))
  const files = names.filter((name) => isIndex(name) && indexes.has(indexOf(name)))
  return { files: [...files, listName], isRepairable: torn.every((name) => isIndex(name) || name === listName) }
}

/** Whether `part` was made from `other`: of the same partition and within its range. */
function isFrom(part: string, other: string): boolean {
  const [a, b] = [part, other].map((path) => partForm.exec(basename(path))?.groups)
  if (!a || !b || part === other || dirname(part) !== dirname(other) || a['partition'] !== b['partition']) return false
  const isLower = (name: string) => Number(b[name] ?? 0) <= Number(a[name] ?? 0)
  return Number(b['first']) >= Number(a['first']) && isLower('last') && isLower('level') && isLower('mutation')
}

/** Looks for parts that the engine wrote with the last bytes of a full disk. */
export type PartCheck = {
  /**
   * Repairs torn parts whose sources are gone. Call it before the engine opens the folder. `repaired`: their paths.
   * `left`: torn parts that the engine drops; it goes back to their sources if they are there. Throws if a part needs a
   * repair and the disk is still full: the engine would then drop the part.
   */
  repair(): Promise<{ repaired: string[]; left: string[] }>
  /** Returns torn parts that a restart of the engine would repair or replace by their sources. */
  torn(): Promise<string[]>
}

type Torn = { part: string; damage: Damage; hasSources: boolean }

const needsRepair = ({ damage, hasSources }: Torn): boolean => damage.isRepairable && !hasSources

const inodeOf = async (part: string): Promise<number> => (await stat(part).catch(() => undefined))?.ino ?? 0

/** Free bytes that a repair needs: the engine writes a new list for each part. */
const freeBytesMin = 16 * 1024 * 1024

async function partsIn(folder: string): Promise<string[]> {
  const tables = await tableFolders(folder)
  const parts = tables.map(async (table) => {
    const names = await readdir(table).catch((): string[] => [])
    return names.filter((name) => partForm.test(name)).map((name) => join(table, name))
  })
  return (await Promise.all(parts)).flat()
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** The list goes last: a repair that is interrupted is found again. */
async function repairPart(part: string, { files }: Damage): Promise<void> {
  for (const name of files) await rm(join(part, name))
  await syncPath(part)
}

/**
 * Creates the check of a chDB folder. On a full disk, chDB 26 ignores failed writes of small files of a part: the list of
 * checksums, text indexes, counts. The rows can still be read, but searches in the part and its merges fail. The next
 * start refuses the part. While the parts that it was merged from are there (eight minutes), the engine goes back to
 * them. Later, a part can only be repaired if its list or its indexes are torn: without its list, the engine checks the
 * rows and writes the list again, and a merge builds the missing indexes again.
 */
export function createPartCheck(folder: string, freeBytes = freeBytesOf): PartCheck {
  const whole = new Set<string>()
  /**
   * Parts that were left to the engine at its start, with their inode: a new merge can have the same name. Another start
   * would not change them, so they do not end the engine again.
   */
  const left = new Map<string, number>()
  const isFull = async () => (await freeBytes(folder)) < freeBytesMin

  async function findTorn() {
    const parts = await partsIn(folder)
    const there = new Set(parts)
    for (const part of whole) if (!there.has(part)) whole.delete(part)
    const found: Torn[] = []
    for (const part of parts) {
      if (whole.has(part)) continue
      // The second look passes over a part that the engine removed during the first look.
      const damage = (await damageOf(part)) && (await damageOf(part))
      if (damage) found.push({ part, damage, hasSources: parts.some((other) => isFrom(part, other)) })
      else whole.add(part)
    }
    // A merge can succeed all the same. Then the engine has a whole part, and removes this one later.
    return found.filter(({ part }) => !parts.some((other) => whole.has(other) && isFrom(other, part)))
  }

  return {
    async repair() {
      const found = await findTorn()
      const repairs = found.filter(needsRepair)
      const paths = repairs.map(({ part }) => part)
      if (paths.length > 0 && (await isFull()))
        throw new Error(`the disk is full, and parts that it cut off need ${freeBytesMin} bytes: ${paths}`)
      for (const { part, damage } of repairs) await repairPart(part, damage)
      for (const item of found) if (!needsRepair(item)) left.set(item.part, await inodeOf(item.part))
      return { repaired: paths, left: [...left.keys()] }
    },
    async torn() {
      const found: Torn[] = []
      for (const item of await findTorn()) if (left.get(item.part) !== (await inodeOf(item.part))) found.push(item)
      const isRoom = found.some(needsRepair) && !(await isFull())
      return found.filter((item) => item.hasSources || (isRoom && needsRepair(item))).map(({ part }) => part)
    },
  }
}
