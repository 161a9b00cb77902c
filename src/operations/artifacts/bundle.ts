import { crc32 } from 'node:zlib'
import { inflatedAt } from '../../store/blobs/artifact.ts'
import type { BlobReader } from '../../store/blobs/blobs.ts'
import type { NewArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import {
  type BundleManifest,
  debugIdOfMap,
  debugIdOfScript,
  isBoundedManifest,
  type ManifestFile,
  readManifest,
} from '../../wire/bundle.ts'
import { bundleEntriesMax, bundleFileBytesMax, bundleInflatedBytesMax } from '../../wire/upload.ts'
import {
  dataStart,
  findZipDirectory,
  readZipDirectory,
  shown,
  type ZipEntry,
  ZipFault,
  zipEndBytesMax,
  zipLocalBytes,
} from '../../wire/zip.ts'

const manifestBytesMax = 32 * 1024 ** 2
const directoryBytesMax = 64 * 1024 ** 2
/** A debug id is in the last lines of a script, or near the start or end of a source map. */
const edgeBytes = 4096

/** Collects the first and the last `edgeBytes` of a stream. */
function createEdges(): { push(chunk: Buffer): void; head(): string; tail(): string } {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  return {
    push: (chunk) => {
      if (head.length < edgeBytes) head = Buffer.concat([head, chunk.subarray(0, edgeBytes - head.length)])
      tail = Buffer.from(Buffer.concat([tail, chunk.subarray(-edgeBytes)]).subarray(-edgeBytes))
    },
    head: () => head.toString('utf8'),
    tail: () => tail.toString('utf8'),
  }
}

/** Scans the bytes of a file for its debug id; '' when there is none. */
export function createDebugIdScan(): { push(chunk: Buffer): void; debugId(type: ManifestFile['type']): string } {
  const edges = createEdges()
  return {
    push: edges.push,
    debugId: (type) =>
      type === 'source_map' ? debugIdOfMap(edges.tail()) || debugIdOfMap(edges.head()) : debugIdOfScript(edges.tail()),
  }
}

/** Decompresses one file, checks it against its directory entry, and passes each piece to `take`. Throws ZipFault. */
async function readEntry(reader: BlobReader, entry: ZipEntry, take: (chunk: Buffer) => void): Promise<number> {
  const at = dataStart(await reader.read(entry.at, zipLocalBytes), entry)
  if (at + entry.packed > reader.bytes) throw new ZipFault(`${shown(entry.name)} is outside the archive.`)
  let bytes = 0
  let crc = 0
  try {
    for await (const chunk of inflatedAt(reader, { at, packed: entry.packed, method: entry.method })) {
      bytes += chunk.length
      if (bytes > entry.bytes) throw new ZipFault(`${shown(entry.name)} inflates to more than the directory says.`)
      crc = crc32(chunk, crc)
      take(chunk)
    }
  } catch (error) {
    if (error instanceof ZipFault || !String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error
    throw new ZipFault(`${shown(entry.name)} cannot be inflated.`)
  }
  if (bytes !== entry.bytes) throw new ZipFault(`${shown(entry.name)} ends early.`)
  if (crc !== entry.crc) throw new ZipFault(`${shown(entry.name)} is damaged: its CRC-32 does not match.`)
  return at
}

async function readDirectory(reader: BlobReader): Promise<Map<string, ZipEntry>> {
  const tail = await reader.read(Math.max(0, reader.bytes - zipEndBytesMax), zipEndBytesMax)
  const directory = await findZipDirectory(tail, reader.bytes, reader.read)
  if (directory.entries > bundleEntriesMax || directory.bytes > directoryBytesMax)
    throw new ZipFault(`The archive has ${directory.entries} files. At most ${bundleEntriesMax} are allowed.`)
  const entries = new Map<string, ZipEntry>()
  let bytes = 0
  for (const entry of readZipDirectory(await reader.read(directory.at, directory.bytes), directory)) {
    if (entries.has(entry.name)) throw new ZipFault(`The archive has ${shown(entry.name)} twice.`)
    entries.set(entry.name, entry)
    bytes += entry.bytes
    if (entry.bytes > bundleFileBytesMax)
      throw new ZipFault(`${shown(entry.name)} inflates to over ${bundleFileBytesMax / 1024 ** 2} MiB.`)
    if (bytes > bundleInflatedBytesMax)
      throw new ZipFault(`The archive inflates to over ${bundleInflatedBytesMax / 1024 ** 3} GiB.`)
  }
  return entries
}

async function manifestOf(reader: BlobReader, entries: ReadonlyMap<string, ZipEntry>): Promise<BundleManifest> {
  const entry = entries.get('manifest.json')
  if (!entry) throw new ZipFault('The archive has no manifest.json.')
  if (entry.bytes > manifestBytesMax) throw new ZipFault('manifest.json is over 32 MiB.')
  const chunks: Buffer[] = []
  await readEntry(reader, entry, (chunk) => chunks.push(chunk))
  const bytes = Buffer.concat(chunks)
  if (!isBoundedManifest(bytes)) throw new ZipFault('manifest.json is nested too deep, or has too many values.')
  const manifest = readManifest(bytes)
  if (!manifest) throw new ZipFault('manifest.json is not the manifest of a bundle.')
  return manifest
}

/**
 * Reads a whole bundle once, with the memory of one piece. Decompresses every file in the manifest and checks its size
 * and checksum. Returns the manifest and the offset of each file. Throws ZipFault with a sentence for the uploader.
 */
export async function indexBundle(reader: BlobReader): Promise<{ manifest: BundleManifest; files: NewArtifactFile[] }> {
  const entries = await readDirectory(reader)
  const manifest = await manifestOf(reader, entries)
  const files: NewArtifactFile[] = []
  for (const { entry: name, type, url, headers, debugId } of manifest.files) {
    const entry = entries.get(name)
    if (!entry) throw new ZipFault(`manifest.json names ${shown(name)}, which is not in the archive.`)
    const scan = createDebugIdScan()
    const at = await readEntry(reader, entry, scan.push)
    files.push({
      entry: name,
      type,
      url,
      headers,
      debugId: debugId || scan.debugId(type),
      bytes: entry.bytes,
      at,
      packed: entry.packed,
      method: entry.method,
      crc: entry.crc,
    })
  }
  return { manifest, files }
}
