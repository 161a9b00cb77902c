import { crc32, deflateSync } from 'node:zlib'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** Pixels that may differ: rounding of a few edges. One changed letter differs in more. */
export const differentMax = 12

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Rounds each channel of each colour to a multiple of `step`, in place. */
function reduce(image: PNG, step: number): void {
  for (let at = 0; at < image.data.length; at++)
    image.data[at] = Math.min(255, Math.round((image.data[at] ?? 0) / step) * step)
}

/** The number of colours of a picture. */
function coloursOf(image: PNG): number {
  const found = new Set<number>()
  for (let at = 0; at < image.data.length; at += 4) found.add(image.data.readUIntBE(at, 3))
  return found.size
}

/** A picture as a PNG with a palette: a third of the size of Chromium's. pngjs reads palettes but does not write them. */
export function small(bytes: Buffer): Buffer {
  const image = PNG.sync.read(bytes)
  for (const step of [2, 4, 8, 16]) if (coloursOf(image) > 256) reduce(image, step)
  const palette = new Map<number, number>()
  const rows = Buffer.alloc((image.width + 1) * image.height)
  for (let y = 0; y < image.height; y++)
    for (let x = 0; x < image.width; x++) {
      const colour = image.data.readUIntBE(4 * (y * image.width + x), 3)
      const index = palette.get(colour) ?? palette.size
      palette.set(colour, index)
      rows[y * (image.width + 1) + 1 + x] = index
    }
  if (palette.size > 256) return PNG.sync.write(image, { colorType: 2, deflateLevel: 9 })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(image.width, 0)
  head.writeUInt32BE(image.height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.alloc(3 * palette.size)
  for (const [colour, index] of palette) colours.writeUIntBE(colour, 3 * index, 3)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

type Difference = { pixels: number; picture: Buffer }

/** Compares a fresh picture with a stored one. Both have the rounded colours of `small`. `picture` marks what differs. Another size differs everywhere. */
export function differenceOf(stored: Buffer, fresh: Buffer): Difference {
  const [before, after] = [PNG.sync.read(stored), PNG.sync.read(small(fresh))]
  const { width, height } = after
  if (before.width !== width || before.height !== height) return { pixels: width * height, picture: fresh }
  const marked = new PNG({ width, height })
  const pixels = pixelmatch(before.data, after.data, marked.data, width, height, { threshold: 0.05 })
  return { pixels, picture: PNG.sync.write(marked) }
}
