import { describe, expect, test } from 'vitest'
import { rasterImageOf } from './raster-image.ts'

const bytesOf = (...parts: (string | number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...part].map((c) => c.charCodeAt(0)) : part)))
const of = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) % 256)
const png = (width: number, height: number) =>
  bytesOf('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', of(width, 4), of(height, 4), [8, 6, 0, 0, 0])
const jpeg = (...blocks: (string | number[])[]) => bytesOf([0xff, 0xd8], ...blocks)
const frame = [0xff, 0xc2, 0, 17, 8, ...of(30, 2), ...of(40, 2), 3, 0, 0]
const webp = (form: string, rest: number[]) => bytesOf('RIFF', [0, 0, 0, 0], 'WEBP', form, [0, 0, 0, 0], rest)
const ispe = (width: number, height: number) => bytesOf('ispe', [0, 0, 0, 0], of(width, 4), of(height, 4))

describe('images', () => {
  test.each([
    ['png', png(40, 30), 'image/png'],
    ['gif', bytesOf('GIF89a', [40, 0, 30, 0]), 'image/gif'],
    ['jpeg', jpeg([0xff, 0xe0, 0, 4, 1, 1], frame), 'image/jpeg'],
    ['webp, extended', webp('VP8X', [0, 0, 0, 0, 39, 0, 0, 29, 0, 0]), 'image/webp'],
    ['webp, lossy', webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 40, 0, 30, 0]), 'image/webp'],
    ['webp, lossless', webp('VP8L', [0x2f, ...of(39 + 29 * 16_384, 4).reverse()]), 'image/webp'],
    ['avif', bytesOf([0, 0, 0, 20], 'ftypavif', [0, 0, 0, 0], [...ispe(8, 8)], [...ispe(40, 30)]), 'image/avif'],
  ])('%s', (_name, bytes, type) => {
    expect(rasterImageOf(bytes)).toEqual({ type, width: 40, height: 30 })
  })
})

test.each([
  ['nothing', bytesOf('')],
  ['a page', bytesOf('<!doctype html><script>alert(1)</script>')],
  ['an SVG', bytesOf('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
  ['an SVG after a byte order mark', bytesOf([0xef, 0xbb, 0xbf], '<svg/>')],
  ['a PDF', bytesOf('%PDF-1.7')],
  ['the beginning of a PNG', png(40, 30).slice(0, 20)],
  ['a PNG without pixels', png(0, 30)],
  ['a PNG of 100,000 x 100,000 pixels', png(100_000, 100_000)],
  ['a JPEG without a frame', jpeg([0xff, 0xe0, 0, 2], [0xff, 0xe1, 0, 2], 'abcdefgh')],
  ['a JPEG whose block has no length', jpeg([0xff, 0xe0, 0, 0], frame)],
  ['a WebP of an unknown form', webp('ABCD', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ['an AVIF without a size', bytesOf([0, 0, 0, 20], 'ftypavif', [0, 0, 0, 0], 'mif1miaf')],
  ['a video', bytesOf([0, 0, 0, 20], 'ftypisom', [0, 0, 0, 0], [...ispe(40, 30)])],
])('%s is no image', (_name, bytes) => {
  expect(rasterImageOf(bytes)).toBeUndefined()
})
