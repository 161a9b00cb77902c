import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { dumpFormOf } from '../../../wire/minidump.ts'
import { makeDump } from './fixture.cases.ts'
import { freeBytes, ratioMax, unpack, unpackedBytesMax, unpackedMax } from './unpack.ts'

const dump = makeDump({ crash: { code: 11, flags: 1 } })
// The same dump, compressed by xz and bzip2, which Node cannot write. Recreate both when `makeDump` changes.
const xz = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AL3AI5dACaRBd2iJiW4Qr3morOBbr3X0sey/Q8W+1uBlUzyNdU55g2NZY0cBnkhnv6op5z0r+sady373ABaD2wdvdsH0jdP7prW4OLivgELOVp7nBnmnvWyW71/NIcEDMrmyQ81gejsuu0qRwKhI/YH93SzQofNUUEDMS2uNsJQvrGrhszEmS0dqnduKhKtApaW3vsAAAA9OSnM7VmmyQABqgH4BQAARjOrA7HEZ/sCAAAAAARZWg==',
  'base64',
)
const bzip2 = Buffer.from(
  'QlpoOTFBWSZTWY4XnIsAAGV/+/34wBhIAfVARAZIAKhp20ARAEAABEAABAAEQAACACAAgDFE0ahkBoADQNBpp6jIMNDTQA0ABoAAZDRt1NWK47nhmfXc7LE8GZAX8kuqHyONb52yxAyopBIidGCAagCN6G6HCfQyiEr6KEx0lOOK8qUKVGpOnvtVVXJhqkeK/cJnkCuiy2xws+7mgjPz8crWO6okix21ptYwm1CJEFeGAfkf4u5IpwoSEcLzkWA=',
  'base64',
)
/** 20 MiB of zeros in 52 bytes. */
const bomb = Buffer.from('QlpoOTFBWSZTWegs7hwAoKDIAMAAAAIACCAAMMwFKaaBIE2EEgTxdyRThQkOgs7hwA==', 'base64')

const all = async (pieces: AsyncIterable<Uint8Array>) => {
  const found: Uint8Array[] = []
  for await (const piece of pieces) found.push(piece)
  return Buffer.concat(found)
}

const packings = [
  ['plain', dump],
  ['gzip', gzipSync(dump)],
  ['zstd', zstdCompressSync(dump)],
  ['xz', xz],
  ['bzip2', bzip2],
] as const

describe.each(packings)('%s', (form, packed) => {
  test('is known by its first bytes', () => expect(dumpFormOf(packed)).toBe(form))

  test('gives the dump, as often as it is asked', async () => {
    const found = await unpack(form, packed)
    if (found.end !== 'ok') throw new Error(found.end)
    expect([found.bytes, found.head.equals(dump)]).toEqual([dump.length, true])
    for (let i = 0; i < 2; i++) expect((await all(found.chunks())).equals(dump)).toBe(true)
  })

  test.skipIf(form === 'plain').each([1, 9, 100])('cut off by %i bytes is broken', async (missing) => {
    expect(await unpack(form, packed.subarray(0, packed.length - missing))).toEqual({ end: 'broken' })
  })

  test.skipIf(form === 'plain')('noise behind the magic is broken', async () => {
    const noise = Buffer.concat([packed.subarray(0, 6), Buffer.alloc(5000, 0xa5)])
    expect(await unpack(form, noise)).toEqual({ end: 'broken' })
  })
})

describe('bombs', () => {
  test.each([
    ['gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['zstd', zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))],
    ['bzip2', bomb],
  ] as const)('%s ends at its limit', async (form, packed) => {
    expect(await unpack(form, packed)).toEqual({ end: 'too_large' })
  })

  test('what is small may be anything, what is large only a multiple of what was sent', () => {
    expect([0, 1000, 1_000_000, 1_000_000_000].map(unpackedMax)).toEqual([
      freeBytes,
      freeBytes,
      1_000_000 * ratioMax,
      unpackedBytesMax,
    ])
  })

  test('16 MiB of zeros are a dump like any other', async () => {
    expect(await unpack('gzip', gzipSync(Buffer.alloc(freeBytes)))).toMatchObject({ end: 'ok', bytes: freeBytes })
  })
})
