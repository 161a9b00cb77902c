import { createHash } from 'node:crypto'

/** Each block of a blob has its own SHA-256, so that a part of a large blob can be checked alone. */
export const blockBytes = 1024 * 1024
export const hashBytes = 32

/** The metadata that holds the hashes, or names the object that does. Metadata may have 2 KB in all. */
export const hashHeader = 'x-amz-meta-mishap-sha256'

const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** Hashes a blob block by block while it passes. */
export function createBlockHasher(): { add(bytes: Uint8Array): void; end(): Buffer[] } {
  const hashes: Buffer[] = []
  let current = createHash('sha256')
  let filled = 0
  return {
    add: (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + blockBytes - filled)
        current.update(piece)
        filled += piece.length
        at += piece.length
        if (filled < blockBytes) return
        hashes.push(current.digest())
        current = createHash('sha256')
        filled = 0
      }
    },
    end: () => (filled > 0 ? [...hashes, current.digest()] : hashes),
  }
}

/** Returns the hashes of all blocks. */
export function hashesOf(bytes: Uint8Array): Buffer[] {
  const hasher = createBlockHasher()
  hasher.add(bytes)
  return hasher.end()
}

/** Formats hashes as a metadata value. An empty blob has none, but a header needs a value. */
export const hashValue = (hashes: readonly Buffer[]): string =>
  hashes.length === 0 ? '-' : hashes.map((hash) => hash.toString('base64url')).join(',')

/** Parses a metadata value; undefined if it contains no hashes. */
export function parseHashes(value: string): Buffer[] | undefined {
  if (value === '-') return []
  const hashes = value.split(',').map((text) => Buffer.from(text, 'base64url'))
  return hashes.every((hash) => hash.length === hashBytes) ? hashes : undefined
}

/** Returns whether a block is the one that was written. */
export const isIntact = (block: Uint8Array, hash: Buffer): boolean => hashOf(block).equals(hash)

/** A checksum header: the server compares it with the bytes that arrived. */
export const checksumHeader = (bytes: Uint8Array): Record<string, string> => ({
  'x-amz-checksum-sha256': hashOf(bytes).toString('base64'),
})
