// For tests of this folder: small minidumps made by hand.

export type DumpSpec = {
  big?: boolean
  cpu?: number
  platform?: number
  version?: [number, number, number]
  osText?: string
  writtenS?: number
  crash?: {
    code: number
    flags?: number
    address?: bigint
    parameters?: bigint[]
    thread?: number
    instruction?: bigint
  }
  modules?: { file: string; base: bigint; bytes: number; debug?: Buffer }[]
  threads?: number
}

/** The offset of the instruction pointer in an amd64 context. */
const pointerAt = 248

/** Writes consecutive parts in one byte order. */
class Writer {
  readonly parts: Buffer[] = []
  readonly #big: boolean
  size: number
  constructor(big: boolean, from: number) {
    this.#big = big
    this.size = from
  }
  put(bytes: Buffer): number {
    const at = this.size
    this.parts.push(bytes)
    this.size += bytes.length
    return at
  }
  u16(bytes: Buffer, value: number, at: number): void {
    if (this.#big) bytes.writeUInt16BE(value, at)
    else bytes.writeUInt16LE(value, at)
  }
  u32(bytes: Buffer, value: number, at: number): void {
    if (this.#big) bytes.writeUInt32BE(value, at)
    else bytes.writeUInt32LE(value, at)
  }
  u64(bytes: Buffer, value: bigint, at: number): void {
    if (this.#big) bytes.writeBigUInt64BE(value, at)
    else bytes.writeBigUInt64LE(value, at)
  }
  text(value: string): number {
    const bytes = Buffer.alloc(4 + value.length * 2)
    this.u32(bytes, value.length * 2, 0)
    for (let i = 0; i < value.length; i++) this.u16(bytes, value.charCodeAt(i), 4 + i * 2)
    return this.put(bytes)
  }
}

function systemOf(to: Writer, dump: DumpSpec): Buffer {
  const bytes = Buffer.alloc(56)
  to.u16(bytes, dump.cpu ?? 9, 0)
  for (const [i, entry] of (dump.version ?? [0, 0, 0]).entries()) to.u32(bytes, entry, 8 + i * 4)
  to.u32(bytes, dump.platform ?? 0x8201, 20)
  to.u32(bytes, to.text(dump.osText ?? 'Linux 6.1.0 #1 SMP x86_64'), 24)
  return bytes
}

function threadsOf(to: Writer, dump: DumpSpec): Buffer {
  const bytes = Buffer.alloc(4)
  to.u32(bytes, dump.threads ?? 1, 0)
  return bytes
}

function modulesOf(to: Writer, dump: DumpSpec): Buffer {
  const modules = dump.modules ?? [{ file: '/srv/app/shop', base: 0x400000n, bytes: 0x1000 }]
  const list = Buffer.alloc(4 + modules.length * 108)
  to.u32(list, modules.length, 0)
  for (const [i, entry] of modules.entries()) {
    const at = 4 + i * 108
    to.u64(list, entry.base, at)
    to.u32(list, entry.bytes, at + 8)
    to.u32(list, to.text(entry.file), at + 20)
    if (!entry.debug) continue
    to.u32(list, entry.debug.length, at + 76)
    to.u32(list, to.put(entry.debug), at + 80)
  }
  return list
}

function exceptionOf(to: Writer, crash: NonNullable<DumpSpec['crash']>): Buffer {
  const { code, flags = 0, address = 0n, parameters = [], thread = 7, instruction = 0x400abcn } = crash
  const context = Buffer.alloc(pointerAt + 8)
  to.u64(context, instruction, pointerAt)
  const bytes = Buffer.alloc(168)
  to.u32(bytes, thread, 0)
  to.u32(bytes, code, 8)
  to.u32(bytes, flags, 12)
  to.u64(bytes, address, 24)
  to.u32(bytes, parameters.length, 32)
  for (const [i, entry] of parameters.entries()) to.u64(bytes, entry, 40 + i * 8)
  to.u32(bytes, context.length, 160)
  to.u32(bytes, to.put(context), 164)
  return bytes
}

/** The bytes of a minidump with these values. Everything else is absent. */
export function makeDump(dump: DumpSpec = {}): Buffer {
  const head = Buffer.alloc(32 + 4 * 12)
  const to = new Writer(dump.big ?? false, head.length)
  const streams: [number, Buffer][] = [
    [7, systemOf(to, dump)],
    [3, threadsOf(to, dump)],
    [4, modulesOf(to, dump)],
    ...(dump.crash ? [[6, exceptionOf(to, dump.crash)] as [number, Buffer]] : []),
  ]
  head.write(dump.big ? 'PMDM' : 'MDMP', 0, 'latin1')
  to.u32(head, streams.length, 8)
  to.u32(head, 32, 12)
  to.u32(head, dump.writtenS ?? 1_795_253_000, 20)
  for (const [i, [kind, bytes]] of streams.entries()) {
    to.u32(head, kind, 32 + i * 12)
    to.u32(head, bytes.length, 36 + i * 12)
    to.u32(head, to.put(bytes), 40 + i * 12)
  }
  return Buffer.concat([head, ...to.parts])
}

/** A multipart body with boundary `b`. A part with a file name is a file. */
export function formOf(parts: { name: string; file?: string; type?: string; value: Buffer | string }[]): Buffer {
  const pieces = parts.flatMap(({ name, file, type, value }) => [
    `--b\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n`,
    type === undefined ? '' : `Content-Type: ${type}\r\n`,
    '\r\n',
    value,
    '\r\n',
  ])
  return Buffer.concat([...pieces, '--b--\r\n'].map((piece) => Buffer.from(piece)))
}

export const formType = 'multipart/form-data; boundary=b'
