import { createHash } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'

/** A file of a test archive, with the wrong values for its headers. */
export type Packed = {
  name: string
  body: string | Buffer
  stored?: boolean
  /** Values in the directory instead of the true ones. */
  says?: { bytes?: number; crc?: number; method?: number; flags?: number; at?: number }
}

/** Creates a ZIP archive of files. `prefix`: text before it. `entries`: the count in its directory. */
export function archiveOf(
  files: readonly Packed[],
  { prefix = '', entries }: { prefix?: string; entries?: number } = {},
) {
  const deps: Buffer[] = []
  const directory: Buffer[] = []
  // Cache compressed bodies, so that a large archive of few different bodies is built quickly.
  const byHandle = new Map<string | Buffer, Buffer>()
  let at = 0
  for (const { name, body, stored, says = {} } of files) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const packed = stored ? bytes : (byHandle.get(body) ?? deflateRawSync(bytes))
    if (!stored) byHandle.set(body, packed)
    const title = Buffer.from(name)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(title.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(says.flags ?? 0, 8)
    entry.writeUInt16LE(says.method ?? (stored ? 0 : 8), 10)
    entry.writeUInt32LE(says.crc ?? crc32(bytes), 16)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(says.bytes ?? bytes.length, 24)
    entry.writeUInt16LE(title.length, 28)
    entry.writeUInt32LE(says.at ?? at, 42)
    deps.push(local, title, packed)
    directory.push(entry, title)
    at += 30 + title.length + packed.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(entries ?? files.length, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([Buffer.from(prefix, 'latin1'), ...deps, index, end])
}

export const debugId = 'b500f860-0003-523c-92ab-92705ede040b'

/** A bundle as sentry-cli creates it: a script and its source map under one debug id. */
export function bundleOf(more: { release?: string; dist?: string; id?: string; script?: string } = {}): Buffer {
  const file = (type: string, name: string, extra: object = {}) => ({
    type,
    url: `~/${name}`,
    headers: { 'debug-id': debugId, ...extra },
  })
  const manifest = {
    org: 'acme',
    release: more.release,
    dist: more.dist,
    debug_id: more.id ?? '21f75f18-0877-561e-8912-ee3f76ac0a69',
    files: {
      'files/_/_/app.js': file('minified_source', 'app.js', { Sourcemap: 'app.js.map' }),
      'files/_/_/app.js.map': file('source_map', 'app.js.map'),
    },
  }
  return archiveOf(
    [
      { name: 'files/_/_/app.js', body: more.script ?? 'console.log(1)\n' },
      { name: 'files/_/_/app.js.map', body: '{"version":3}', stored: true },
      { name: 'manifest.json', body: JSON.stringify(manifest) },
    ],
    { prefix: 'SYSB\x02\0\0\0' },
  )
}

export const sha1Of = (bytes: Buffer | string): string => createHash('sha1').update(bytes).digest('hex')

/** Splits bytes into chunks of at most `size` bytes. */
export function chunksOf(bytes: Buffer, size = 100): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  return chunks
}
