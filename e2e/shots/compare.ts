import { crc32, deflateSync } from 'node:zlib'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** Colours are stored with 4 bits a channel. A screen then has fewer than 256 of them. */
const reduced = (value: number): number => Math.round(value / 17) * 17

/** Pixels that may differ: rounding of a few edges. One changed letter differs in more. */
export const differentMax = 12

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Replaces each colour by its reduced one, in place. */
function reduce(image: PNG): PNG {
  for (let at = 0; at < image.data.length; at++) image.data[at] = reduced(image.data[at] ?? 0)
  return image
}

/** A picture as a PNG with a palette: a third of the size of Chromium's. pngjs reads palettes but does not write them. */
export function small(bytes: Buffer): Buffer {
  const image = reduce(PNG.sync.read(bytes))
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

export type Difference = { pixels: number; picture: Buffer }

/** Compares a fresh picture with a stored one. `picture` marks what differs. Another size differs everywhere. */
export function differenceOf(stored: Buffer, fresh: Buffer): Difference {
  const [before, after] = [PNG.sync.read(stored), reduce(PNG.sync.read(fresh))]
  const { width, height } = after
  if (before.width !== width || before.height !== height) return { pixels: width * height, picture: fresh }
  const marked = new PNG({ width, height })
  const pixels = pixelmatch(before.data, after.data, marked.data, width, height, { threshold: 0.1 })
  return { pixels, picture: PNG.sync.write(marked) }
}
