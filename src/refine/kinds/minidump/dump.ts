import { type Cpu, crashNameOf, type DumpOs } from './names.ts'

/** A module loaded by the crashed program. */
export type DumpModule = {
  /** Path on the machine that crashed. */
  file: string
  base: bigint
  bytes: number
  type: 'pe' | 'elf' | 'macho'
  /** The id that identifies debug files; '' if the dump has none. */
  debugId: string
  codeId: string
  debugFile: string
}

/** The crash data of a minidump, without any symbols. */
export type Dump = {
  os: DumpOs
  osVersion: string
  osBuild: string
  cpu: Cpu
  /** When the dump was written, in seconds since 1970; 0 if unknown. */
  writtenS: number
  /** Undefined if the dump was written without a crash. */
  crash: { name: string /** The faulting address. */; address: bigint; threadId: number } | undefined
  /** The instruction pointer of the crashed thread; 0 if unknown. */
  instruction: bigint
  threads: number
  modules: DumpModule[]
}

/** Limits for streams and modules. Real dumps have about 20 and 500. */
const streamsMax = 256
const modulesMax = 2000
const nameBytesMax = 1024

const headerBytes = 32
const moduleBytes = 108

/** Reads numbers at offsets from an untrusted dump. Reads outside of the buffer give 0. */
class Place {
  readonly #bytes: Buffer
  readonly #little: boolean
  constructor(bytes: Buffer, little: boolean) {
    this.#bytes = bytes
    this.#little = little
  }
  #inside(at: number, length: number): boolean {
    return at >= 0 && at + length <= this.#bytes.length
  }
  u16(at: number): number {
    if (!this.#inside(at, 2)) return 0
    return this.#little ? this.#bytes.readUInt16LE(at) : this.#bytes.readUInt16BE(at)
  }
  u32(at: number): number {
    if (!this.#inside(at, 4)) return 0
    return this.#little ? this.#bytes.readUInt32LE(at) : this.#bytes.readUInt32BE(at)
  }
  u64(at: number): bigint {
    if (!this.#inside(at, 8)) return 0n
    return this.#little ? this.#bytes.readBigUInt64LE(at) : this.#bytes.readBigUInt64BE(at)
  }
  /** A UTF-16 text after its length in bytes, at most 512 characters. */
  text(at: number): string {
    const length = Math.min(this.u32(at), nameBytesMax)
    if (at === 0 || length === 0 || !this.#inside(at + 4, length)) return ''
    const units = Array.from({ length: length >> 1 }, (_, i) => this.u16(at + 4 + i * 2))
    return clean(String.fromCharCode(...units))
  }
  /** Bytes up to a NUL, as UTF-8. */
  line(at: number, length: number): string {
    const bytes = this.slice(at, Math.min(length, nameBytesMax))
    const end = bytes.indexOf(0)
    return clean(bytes.toString('utf8', 0, end === -1 ? bytes.length : end))
  }
  slice(at: number, length: number): Buffer {
    return this.#inside(at, length) ? this.#bytes.subarray(at, at + length) : Buffer.alloc(0)
  }
}

const clean = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\0-\x1f\x7f]/g, '')
    .trim()

type Location = { at: number; bytes: number }

/**
 * Reads header, system, exception and modules of a minidump in either byte order. `bytes` can be just its beginning:
 * the rest reads as absent. Undefined if it is no minidump. Never throws. The limits above bound its time.
 */
export function readDump(bytes: Buffer): Dump | undefined {
  const signature = bytes.toString('latin1', 0, 4)
  if ((signature !== 'MDMP' && signature !== 'PMDM') || bytes.length < headerBytes) return undefined
  const place = new Place(bytes, signature === 'MDMP')
  const streams = readStreams(place)
  const system = readSystem(place, streams.get(7))
  const modules = readModules(place, streams.get(4), system.os)
  const threadList = streams.get(3)
  const exception = streams.get(6)
  const found = exception === undefined ? undefined : readException(place, exception, system)
  return {
    ...system,
    writtenS: place.u32(20),
    crash: found?.crash,
    instruction: found?.instruction ?? 0n,
    threads: threadList === undefined ? 0 : place.u32(threadList.at),
    modules,
  }
}

/** The first stream of each kind. */
function readStreams(place: Place): Map<number, Location> {
  const count = Math.min(place.u32(8), streamsMax)
  const from = place.u32(12)
  const streams = new Map<number, Location>()
  for (let i = 0; i < count; i++) {
    const at = from + i * 12
    const kind = place.u32(at)
    if (kind !== 0 && !streams.has(kind)) streams.set(kind, { bytes: place.u32(at + 4), at: place.u32(at + 8) })
  }
  return streams
}

const cpus: ReadonlyMap<number, Cpu> = new Map([
  [0, 'x86'],
  [5, 'arm'],
  [9, 'x86_64'],
  [10, 'x86'],
  [12, 'arm64'],
  [0x8003, 'arm64'],
])

const systems: ReadonlyMap<number, DumpOs> = new Map([
  [1, 'Windows'],
  [2, 'Windows'],
  [0x8101, 'macOS'],
  [0x8102, 'iOS'],
  [0x8201, 'Linux'],
  [0x8203, 'Android'],
])

type System = Pick<Dump, 'os' | 'osVersion' | 'osBuild' | 'cpu'>

function readSystem(place: Place, stream: Location | undefined): System {
  if (stream === undefined) return { os: '', osVersion: '', osBuild: '', cpu: '' }
  const { at } = stream
  const numbers = [place.u32(at + 8), place.u32(at + 12)]
  const build = place.u32(at + 16)
  const os = systems.get(place.u32(at + 20)) ?? ''
  const more = place.text(place.u32(at + 24))
  const version = numbers.some((entry) => entry > 0) ? [...numbers, build].join('.') : ''
  // Linux writes 0.0.0 and puts everything into the text: "Linux 5.4.0 #1 SMP x86_64".
  const found = /\d+(?:\.\d+)+/.exec(more)?.[0] ?? ''
  return { os, osVersion: version || found, osBuild: more, cpu: cpus.get(place.u16(at)) ?? '' }
}

/** The offset and width of the instruction pointer in a thread's context. */
const pointers: Record<Cpu, { at: number; wide: boolean } | undefined> = {
  x86: { at: 184, wide: false },
  x86_64: { at: 248, wide: true },
  arm: { at: 64, wide: false },
  arm64: { at: 264, wide: true },
  '': undefined,
}

function readException(place: Place, { at }: Location, system: System) {
  const code = place.u32(at + 8)
  const flags = place.u32(at + 12)
  const parameters = Math.min(place.u32(at + 32), 15)
  const sent = Array.from({ length: parameters }, (_, i) => place.u64(at + 40 + i * 8))
  const recordAddress = place.u64(at + 24)
  const { name, address } = crashNameOf(system.os, { code, flags, address: recordAddress, parameters: sent })
  const pointer = pointers[system.cpu]
  const context = { bytes: place.u32(at + 160), at: place.u32(at + 164) }
  const read =
    pointer === undefined || pointer.at + 8 > context.bytes
      ? 0n
      : pointer.wide
        ? place.u64(context.at + pointer.at)
        : BigInt(place.u32(context.at + pointer.at))
  // Windows records the instruction's address. Other systems record the faulting address.
  const instruction = read === 0n && system.os === 'Windows' ? recordAddress : read
  // Addresses of a 32-bit process are written sign-extended.
  const narrow = system.cpu === 'x86' || system.cpu === 'arm'
  const crash =
    name === undefined
      ? undefined
      : { name, address: narrow ? address & 0xffffffffn : address, threadId: place.u32(at) }
  return { crash, instruction }
}

function readModules(place: Place, stream: Location | undefined, os: DumpOs): DumpModule[] {
  if (stream === undefined) return []
  const count = Math.min(place.u32(stream.at), modulesMax)
  // Some writers align the first module at 8 bytes.
  const padded = stream.bytes === place.u32(stream.at) * moduleBytes + 8
  const modules: DumpModule[] = []
  for (let i = 0; i < count; i++) {
    const at = stream.at + (padded ? 8 : 4) + i * moduleBytes
    const base = place.u64(at)
    const bytes = place.u32(at + 8)
    const file = place.text(place.u32(at + 20))
    if (bytes === 0) continue
    const type = os === 'Windows' ? 'pe' : os === 'macOS' || os === 'iOS' ? 'macho' : 'elf'
    const debug = readDebug(place, { bytes: place.u32(at + 76), at: place.u32(at + 80) })
    const codeId = type === 'pe' ? `${hex(place.u32(at + 16), 8)}${bytes.toString(16)}` : (debug.buildId ?? '')
    modules.push({ file, base, bytes, type, debugId: debug.id, debugFile: debug.file, codeId })
  }
  return modules
}

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')

/** The record with the debug file: RSDS with a GUID and an age, or BpEL with an ELF build id. */
function readDebug(place: Place, { at, bytes }: Location): { id: string; file: string; buildId?: string } {
  const kind = place.slice(at, 4).toString('latin1')
  if (kind === 'LEpB' || kind === 'BpEL') {
    const buildId = place.slice(at + 4, Math.min(bytes - 4, 64)).toString('hex')
    return { id: '', file: '', buildId }
  }
  if (kind !== 'RSDS' || bytes < 24) return { id: '', file: '' }
  const guid = [
    hex(place.u32(at + 4), 8),
    hex(place.u16(at + 8), 4),
    hex(place.u16(at + 10), 4),
    place.slice(at + 12, 2).toString('hex'),
    place.slice(at + 14, 6).toString('hex'),
  ].join('-')
  const age = place.u32(at + 20)
  return { id: `${guid}${age > 0 ? `-${age.toString(16)}` : ''}`, file: place.line(at + 24, bytes - 24) }
}

/** The module that contains an address; undefined if there is none. */
export function moduleAt({ modules }: Dump, address: bigint): DumpModule | undefined {
  return modules.find((module) => address >= module.base && address < module.base + BigInt(module.bytes))
}
