import { describe, expect, test } from 'vitest'
import type { BlobStore } from './blobs.ts'

async function* pieces(...parts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part
    yield Buffer.from(part)
  }
}

/** Cases that every blob store must pass. `open` returns an empty store. */
export function blobsCases(open: () => BlobStore): void {
  test('what was put is read back, whole and as a stream; putting again replaces it', async () => {
    const blobs = open()
    for (const text of ['one', '', 'three and more']) {
      await blobs.put('a/b.txt', Buffer.from(text))
      expect((await blobs.get('a/b.txt'))?.toString()).toBe(text)
      const found = await blobs.getStream('a/b.txt')
      const parts: Uint8Array[] = []
      for await (const part of found?.stream ?? []) parts.push(part)
      expect([found?.bytes, Buffer.concat(parts).toString()]).toEqual([text.length, text])
    }
    expect(await blobs.size()).toBe(14)
  })

  test('pieces are read from anywhere, and end where the blob does', async () => {
    const blobs = open()
    await blobs.put('a', Buffer.from('0123456789'))
    const reader = await blobs.reader('a')
    const read = async (from: number, bytes: number) => (await reader?.read(from, bytes))?.toString()
    expect([await read(0, 3), await read(7, 9), await read(10, 1), await read(99, 1), reader?.bytes]).toEqual([
      '012',
      '789',
      '',
      '',
      10,
    ])
    await reader?.close()
    expect([await blobs.reader('b'), await blobs.reader('a/b')]).toEqual([undefined, undefined])
  })

  test('what is not there is undefined, and can be deleted', async () => {
    const blobs = open()
    await blobs.put('a/b', Buffer.from('x'))
    expect([
      await blobs.get('a'),
      await blobs.get('a/c'),
      await blobs.get('a/b/c'),
      await blobs.getStream('z'),
      await blobs.getStream('a'),
    ]).toEqual(Array(5).fill(undefined))
    await blobs.delete('nothing/here')
    await blobs.delete('a/b')
    await blobs.delete('a/b')
    expect(await blobs.list('')).toEqual([])
  })

  test('lists keys under a folder, sorted', async () => {
    const blobs = open()
    for (const key of ['s/2', 's/1', 's/deep/3', 'sibling/4', 'top']) await blobs.put(key, Buffer.from('x'))
    expect(await blobs.list('s')).toEqual(['s/1', 's/2', 's/deep/3'])
    expect(await blobs.list('s/')).toEqual(['s/1', 's/2', 's/deep/3'])
    expect(await blobs.list('')).toEqual(['s/1', 's/2', 's/deep/3', 'sibling/4', 'top'])
    expect(await blobs.list('none')).toEqual([])
  })

  describe('streams', () => {
    test('up to the limit are kept', async () => {
      const blobs = open()
      expect(await blobs.putStream('s', pieces('abc', '', 'def'), 6)).toEqual({ bytes: 6 })
      expect((await blobs.get('s'))?.toString()).toBe('abcdef')
    })

    test.each([
      ['too long', pieces('abc', 'defg'), { code: 'ACCEPT_TOO_LARGE' }],
      ['that fail', pieces('abc', new Error('cut')), { message: 'cut' }],
    ])('%s leave nothing behind, and what was there stays', async (_name, stream, failure) => {
      const blobs = open()
      await blobs.put('s', Buffer.from('old'))
      await expect(blobs.putStream('s', stream, 6)).rejects.toMatchObject(failure)
      expect((await blobs.get('s'))?.toString()).toBe('old')
      expect([await blobs.list(''), await blobs.size()]).toEqual([['s'], 3])
    })
  })

  test.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    '../a',
    'a/../b',
    'a/./b',
    'a\\b',
    'a\0',
    'a b',
    'ä',
    'a~',
    'x'.repeat(201),
    'a/a/a/a/a/a/a/a/a',
  ])('the key %j is refused', async (key) => {
    const blobs = open()
    const refused = { code: 'VALIDATION' }
    await expect(blobs.put(key, Buffer.from('x'))).rejects.toMatchObject(refused)
    await expect(blobs.putStream(key, pieces('x'), 9)).rejects.toMatchObject(refused)
    await expect(blobs.get(key)).rejects.toMatchObject(refused)
    await expect(blobs.getStream(key)).rejects.toMatchObject(refused)
    await expect(blobs.delete(key)).rejects.toMatchObject(refused)
    expect(await blobs.list('')).toEqual([])
  })
}
