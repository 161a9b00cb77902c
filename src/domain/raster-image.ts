/** A raster image that browsers show without running anything in it. */
type RasterImage = {
  type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif'
  width: number
  height: number
}

/** Bytes at the start of a file that contain its size: a JPEG may begin with 64 kB blocks of metadata. */
export const imageHeadBytes = 262_144
/** Larger files are offered for download only. */
export const imageBytesMax = 10_485_760
/** Pixels that a browser may have to unpack: 160 MB of memory. A tiny file can claim more. */
const pixelsMax = 40_000_000

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to))

/** Big-endian whole number of 1 to 4 bytes; NaN after the end. */
function big(bytes: Uint8Array, at: number, length: number): number {
  if (at < 0 || at + length > bytes.length) return Number.NaN
  return bytes.subarray(at, at + length).reduce((sum, byte) => sum * 256 + byte, 0)
}
const little = (bytes: Uint8Array, at: number, length: number): number =>
  at + length > bytes.length ? Number.NaN : big(bytes.slice(at, at + length).reverse(), 0, length)

type Size = { width: number; height: number }

function jpegSize(bytes: Uint8Array): Size | undefined {
  let at = 2
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    // Start of frame, except for the markers of tables in the same range.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: big(bytes, at + 5, 2), width: big(bytes, at + 7, 2) }
    const length = big(bytes, at + 2, 2)
    if (length < 2) return undefined
    at += 2 + length
  }
  return undefined
}

function webpSize(bytes: Uint8Array): Size | undefined {
  const form = ascii(bytes, 12, 16)
  if (form === 'VP8X') return { width: little(bytes, 24, 3) + 1, height: little(bytes, 27, 3) + 1 }
  if (form === 'VP8 ') return { width: little(bytes, 26, 2) & 0x3fff, height: little(bytes, 28, 2) & 0x3fff }
  if (form !== 'VP8L') return undefined
  const bits = little(bytes, 21, 4)
  return { width: (bits % 16_384) + 1, height: (Math.floor(bits / 16_384) % 16_384) + 1 }
}

/** The largest size that an AVIF file names: the whole image of a grid is larger than its tiles. */
function avifSize(bytes: Uint8Array): Size | undefined {
  let largest: Size | undefined
  for (let at = 4; at + 16 <= bytes.length; at += 1) {
    // The name of the box first: texts are slow.
    if (bytes[at] !== 0x69 || ascii(bytes, at, at + 4) !== 'ispe') continue
    const size = { width: big(bytes, at + 8, 4), height: big(bytes, at + 12, 4) }
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size
  }
  return largest
}

const forms: readonly {
  type: RasterImage['type']
  begins(bytes: Uint8Array): boolean
  size(bytes: Uint8Array): Size | undefined
}[] = [
  {
    type: 'image/png',
    begins: (bytes) => ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n' && ascii(bytes, 12, 16) === 'IHDR',
    size: (bytes) => ({ width: big(bytes, 16, 4), height: big(bytes, 20, 4) }),
  },
  {
    type: 'image/jpeg',
    begins: (bytes) => ascii(bytes, 0, 3) === '\xff\xd8\xff',
    size: jpegSize,
  },
  {
    type: 'image/gif',
    begins: (bytes) => /^GIF8[79]a$/.test(ascii(bytes, 0, 6)),
    size: (bytes) => ({ width: little(bytes, 6, 2), height: little(bytes, 8, 2) }),
  },
  {
    type: 'image/webp',
    begins: (bytes) => ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP',
    size: webpSize,
  },
  {
    type: 'image/avif',
    begins: (bytes) => ascii(bytes, 4, 8) === 'ftyp' && /^avi[fs]$/.test(ascii(bytes, 8, 12)),
    size: avifSize,
  },
]

/**
 * The image that a file is by its first bytes (`imageHeadBytes` of them), whatever its name and its type say. Undefined
 * for everything else, and for images of an unknown size or more than 40 million pixels.
 */
export function rasterImageOf(head: Uint8Array): RasterImage | undefined {
  const form = forms.find((candidate) => candidate.begins(head))
  const size = form?.size(head)
  if (!form || !size) return undefined
  const { width, height } = size
  return width >= 1 && height >= 1 && width * height <= pixelsMax ? { type: form.type, width, height } : undefined
}
