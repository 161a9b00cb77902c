// Computes the possible contents of a disk after a power cut, from the log that disklog.c writes.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const op = { write: 1, truncate: 2, sync: 3, link: 4, unlink: 5, rename: 6, extend: 7, syncAll: 8, seen: 9 } as const
const headBytes = 80
const magic = 0x4b534944
const pageBytes = 4096
const sectorBytes = 512
const exchange = 2

/** One call that changed the folder. The `start` of a sync is the number of the last call that it covers. */
export type Call = {
  op: number
  seq: number
  /** CLOCK_MONOTONIC, the clock of `process.hrtime`. */
  ns: bigint
  a: number
  b: number
  offset: number
  length: number
  start: number
  kind: number
  name: string
  other: string
  data: Buffer
}

/**
 * The guarantees after a power cut. `strict`: POSIX only, so a name is durable after a sync of its folder. `ordered`:
 * like ext4, XFS and APFS, where any sync makes all earlier changes of names durable.
 */
export type Model = 'strict' | 'ordered'

/** Compiles the layer into `folder`. Without Linux or a C compiler it returns the reason to skip. */
export function compileLayer(folder: string): { path: string } | { skip: string } {
  if (process.platform !== 'linux') return { skip: 'the layer needs Linux' }
  const source = fileURLToPath(new URL('./disklog.c', import.meta.url))
  const path = join(folder, 'disklog.so')
  for (const compiler of ['cc', 'gcc', 'clang']) {
    try {
      execFileSync(compiler, ['-O2', '-shared', '-fPIC', '-o', path, source, '-ldl'], { stdio: 'pipe' })
      return { path }
    } catch {
      // Try the next compiler.
    }
  }
  return { skip: 'there is no C compiler' }
}

/** The calls of a log, ordered by number. A last record that was cut off when the process ended is left out. */
export function readCalls(file: string): Call[] {
  const bytes = readFileSync(file)
  const calls: Call[] = []
  let at = 0
  while (at + headBytes <= bytes.length) {
    if (bytes.readUInt32LE(at) !== magic) throw new Error(`the log is broken at ${at}`)
    const u64 = (offset: number) => Number(bytes.readBigUInt64LE(at + offset))
    const u32 = (offset: number) => bytes.readUInt32LE(at + offset)
    const nameEnd = at + headBytes + u32(64)
    const otherEnd = nameEnd + u32(68)
    const end = otherEnd + u32(72)
    if (end > bytes.length) break
    calls.push({
      op: u32(4),
      seq: u64(8),
      ns: bytes.readBigUInt64LE(at + 16),
      a: u64(24),
      b: u64(32),
      offset: u64(40),
      length: u64(48),
      start: u64(56),
      kind: u32(76),
      name: bytes.toString('utf8', at + headBytes, nameEnd),
      other: bytes.toString('utf8', nameEnd, otherEnd),
      data: bytes.subarray(otherEnd, end),
    })
    at = end
  }
  return calls.sort((call, two) => call.seq - two.seq)
}

/** A folder at the start of the recording: the inodes of the live folder, and the bytes in an unchanged copy. */
export type Snapshot = {
  inode: number
  kind: 'file' | 'folder' | 'symlink'
  base: string
  target: string
  inner: Map<string, Snapshot>
}

/** Copies `live` to `still`, which must not exist, and returns the snapshot. */
export function takeSnapshot(live: string, still: string): Snapshot {
  copyFolder(live, still)
  return scan(live, still)
}

function scan(live: string, still: string): Snapshot {
  const found: Snapshot = {
    inode: lstatSync(live).ino,
    kind: 'folder',
    base: still,
    target: '',
    inner: new Map(),
  }
  for (const dirent of readdirSync(live, { withFileTypes: true })) {
    const [path, base] = [join(live, dirent.name), join(still, dirent.name)]
    if (dirent.isDirectory()) found.inner.set(dirent.name, scan(path, base))
    else if (dirent.isFile() || dirent.isSymbolicLink()) {
      const target = dirent.isFile() ? '' : readlinkSync(path)
      const kind = dirent.isFile() ? 'file' : 'symlink'
      found.inner.set(dirent.name, { inode: lstatSync(path).ino, kind, base, target, inner: new Map() })
    }
  }
  return found
}

type Change = { seq: number; kind: 'write' | 'truncate' | 'extend'; offset: number; data: Buffer; length: number }

class Content {
  bytes: Buffer
  size: number
  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.size = bytes.length
  }

  #reach(size: number): void {
    if (size <= this.bytes.length) return
    const grown = Buffer.alloc(Math.max(size, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.size)
    this.bytes = grown
  }

  apply(change: Change): void {
    if (change.kind === 'write') {
      this.#reach(change.offset + change.data.length)
      change.data.copy(this.bytes, change.offset)
      this.size = Math.max(this.size, change.offset + change.data.length)
    } else if (change.kind === 'truncate' || change.length > this.size) {
      this.#reach(change.length)
      if (change.length < this.size) this.bytes.fill(0, change.length, this.size)
      this.size = change.length
    }
  }

  copy(): Content {
    return new Content(Buffer.from(this.bytes.subarray(0, this.size)))
  }
}

class Item {
  readonly kind: 'file' | 'folder' | 'symlink'
  /** Path of its content at the start of the recording. */
  readonly base: string | undefined
  readonly target: string
  /** The durable content, or undefined while it equals the unchanged base. */
  content: Content | undefined
  pending: Change[] = []
  readonly durable = new Map<string, Item>()
  readonly visible = new Map<string, Item>()

  constructor(kind: Item['kind'], base?: string, target = '') {
    this.kind = kind
    this.base = base
    this.target = target
  }

  own(): Content {
    this.content ??= new Content(this.base === undefined ? Buffer.alloc(0) : readFileSync(this.base))
    return this.content
  }
}

type Naming = { folder: Item; name: string; item: Item | undefined }
type NameChange = { seq: number; sets: Naming[] }

const set = (view: 'durable' | 'visible', { folder, name, item }: Naming): void => {
  if (item) folder[view].set(name, item)
  else folder[view].delete(name)
}

/** A folder at the start plus all changes since: the durable ones, and those that are only in memory. */
export class Disk {
  readonly #root: Item
  readonly #items = new Map<number, Item>()
  readonly #model: Model
  #names: NameChange[] = []
  /** Changes that the log cannot express. A test fails if there are any. */
  readonly unseen: string[] = []

  constructor(start: Snapshot, model: Model) {
    this.#model = model
    this.#root = this.#begin(start)
  }

  #begin(start: Snapshot): Item {
    const item = new Item(start.kind, start.base, start.target)
    this.#items.set(start.inode, item)
    for (const [name, inner] of start.inner) {
      const entry = this.#begin(inner)
      for (const view of ['durable', 'visible'] as const) set(view, { folder: item, name, item: entry })
    }
    return item
  }

  /** Applies the next call. */
  apply(call: Call): void {
    if (call.op === op.sync) this.#synced(call)
    else if (call.op === op.syncAll) {
      for (const item of this.#items.values()) this.#settle(item, call.start)
      this.#settleNames(call.start, () => true)
    } else if (call.op === op.seen) this.unseen.push(call.name)
    else if (call.op === op.link || call.op === op.unlink || call.op === op.rename) this.#named(call)
    else this.#changed(call)
  }

  #changed(call: Call): void {
    const kind = call.op === op.write ? 'write' : call.op === op.truncate ? 'truncate' : 'extend'
    this.#items
      .get(call.a)
      ?.pending.push({ seq: call.seq, kind, offset: call.offset, data: call.data, length: call.length })
  }

  #named(call: Call): void {
    const folder = this.#items.get(call.a)
    if (!folder) return
    const sets: Naming[] = []
    if (call.op === op.link) {
      const known = call.kind === 2 ? this.#items.get(call.b) : undefined
      const kinds = ['file', 'folder', 'file', 'symlink'] as const
      const item = known ?? new Item(kinds[call.kind] ?? 'file', undefined, call.other)
      this.#items.set(call.b, item)
      sets.push({ folder, name: call.name, item })
    } else if (call.op === op.unlink) sets.push({ folder, name: call.name, item: undefined })
    else {
      const to = this.#items.get(call.b)
      const moved = folder.visible.get(call.name)
      if (!to || !moved) return void this.unseen.push(`rename of ${call.name}`)
      const back = call.kind & exchange ? to.visible.get(call.other) : undefined
      sets.push({ folder, name: call.name, item: back }, { folder: to, name: call.other, item: moved })
    }
    for (const item of sets) set('visible', item)
    this.#names.push({ seq: call.seq, sets })
  }

  #synced(call: Call): void {
    const item = this.#items.get(call.a)
    if (!item) return
    if (item.kind !== 'folder') this.#settle(item, call.start)
    if (this.#model === 'ordered') this.#settleNames(call.start, () => true)
    else if (item.kind === 'folder')
      this.#settleNames(call.start, ({ sets }) => sets.some((entry) => entry.folder === item))
  }

  #settle(item: Item, start: number): void {
    if (item.pending.length === 0) return
    const content = item.own()
    for (const change of item.pending) if (change.seq <= start) content.apply(change)
    item.pending = item.pending.filter((change) => change.seq > start)
  }

  #settleNames(start: number, covered: (change: NameChange) => boolean): void {
    const rest: NameChange[] = []
    for (const change of this.#names) {
      if (change.seq > start || !covered(change)) {
        rest.push(change)
        continue
      }
      for (const item of change.sets) {
        set('durable', item)
        // This replaces earlier changes of the same name. They must not be applied later.
        for (const older of rest)
          older.sets = older.sets.filter((other) => other.folder !== item.folder || other.name !== item.name)
      }
    }
    this.#names = rest
  }

  /** Writes a possible state after a power cut into the new `folder`. `random` keeps, tears or drops unsynced data. */
  cut(folder: string, random: () => number): void {
    const lasts = new Map<Item, number>()
    const last = this.#names.at(-1)?.seq ?? 0
    const first = this.#names[0]?.seq ?? 0
    const value = between(first, last, random)
    const untilOf = (item: Item): number => {
      if (this.#model === 'ordered') return value
      const known = lasts.get(item) ?? between(first, last, random)
      lasts.set(item, known)
      return known
    }
    for (const { seq, sets } of this.#names) {
      const [main] = sets
      if (main && seq <= untilOf(main.folder)) for (const each of sets) set('durable', each)
    }
    write(this.#root, 'durable', folder, (item) => torn(item, random))
  }

  /** Writes the folder as processes saw it, including unsynced changes. */
  all(folder: string): void {
    write(this.#root, 'visible', folder, (item) => {
      if (item.pending.length === 0) return item.content
      const content = item.own().copy()
      for (const change of item.pending) content.apply(change)
      return content
    })
  }
}

/** A random number from `first` - 1 (no call) to `last` (all calls), in which both ends are frequent. */
function between(first: number, last: number, random: () => number): number {
  const mode = random()
  if (mode < 0.35) return first - 1
  if (mode < 0.5) return last
  return first - 1 + Math.floor(random() * (last - first + 2))
}

/** A possible file content after a cut: no unsynced write, all, the first ones and part of the next, or any pages. */
function torn(item: Item, random: () => number): Content | undefined {
  if (item.pending.length === 0) return item.content
  const mode = random()
  if (mode < 0.35) return item.content
  const content = item.own().copy()
  if (mode < 0.5) for (const change of item.pending) content.apply(change)
  else if (mode < 0.75) {
    const whole = Math.floor(random() * item.pending.length)
    for (const change of item.pending.slice(0, whole)) content.apply(change)
    const next = item.pending[whole]
    if (next?.kind === 'write') {
      const bytes = Math.floor((random() * next.data.length) / sectorBytes) * sectorBytes
      if (bytes > 0) content.apply({ ...next, data: next.data.subarray(0, bytes) })
    }
  } else {
    for (const change of item.pending) {
      if (change.kind !== 'write') {
        if (random() < 0.5) content.apply(change)
        continue
      }
      for (let at = 0; at < change.data.length; ) {
        const end = Math.min(change.data.length, at + pageBytes - ((change.offset + at) % pageBytes))
        if (random() < 0.5)
          content.apply({ ...change, offset: change.offset + at, data: change.data.subarray(at, end) })
        at = end
      }
    }
  }
  return content
}

function write(
  item: Item,
  view: 'durable' | 'visible',
  path: string,
  contentOf: (item: Item) => Content | undefined,
): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  for (const [name, entry] of item[view]) {
    const to = join(path, name)
    if (entry.kind === 'folder') write(entry, view, to, contentOf)
    else if (entry.kind === 'symlink') symlinkSync(entry.target, to)
    else {
      const content = contentOf(entry)
      if (content === undefined && entry.base !== undefined) linkSync(entry.base, to)
      else {
        const handle = openSync(to, 'w', 0o600)
        if (content && content.size > 0) writeSync(handle, content.bytes, 0, content.size, 0)
        closeSync(handle)
      }
    }
  }
}

/** Paths of files that differ between two folders. Sockets and paths for which `ignored` is true are left out. */
export function differences(text: string, two: string, ignored: (path: string) => boolean, path = ''): string[] {
  const list = (folder: string) => {
    const found = new Map<string, 'file' | 'folder' | 'symlink'>()
    for (const dirent of readdirSync(join(folder, path), { withFileTypes: true })) {
      const known = dirent.isDirectory() ? 'folder' : dirent.isFile() ? 'file' : undefined
      const kind = dirent.isSymbolicLink() ? 'symlink' : known
      if (kind && !ignored(join(path, dirent.name))) found.set(dirent.name, kind)
    }
    return found
  }
  const [left, right] = [list(text), list(two)]
  const different: string[] = []
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const at = join(path, name)
    if (left.get(name) !== right.get(name)) different.push(`${at}: ${left.get(name)} and ${right.get(name)}`)
    else if (left.get(name) === 'folder') different.push(...differences(text, two, ignored, at))
    else if (left.get(name) === 'symlink') {
      if (readlinkSync(join(text, at)) !== readlinkSync(join(two, at))) different.push(`${at}: other target`)
    } else if (!readFileSync(join(text, at)).equals(readFileSync(join(two, at)))) different.push(`${at}: other bytes`)
  }
  return different
}

/** Copies folders, files and links. Sockets cannot be copied. */
function copyFolder(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => {
      const found = lstatSync(path)
      return found.isFile() || found.isDirectory() || found.isSymbolicLink()
    },
  })
}
