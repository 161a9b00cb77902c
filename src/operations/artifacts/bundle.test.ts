import { describe, expect, test } from 'vitest'
import type { BlobReader } from '../../store/blobs/blobs.ts'
import { archiveOf, bundleOf, debugId, type Packed } from '../archive.cases.ts'
import { indexBundle } from './bundle.ts'

const readerOf = (bytes: Buffer): BlobReader => ({
  bytes: bytes.length,
  read: async (from, count) => bytes.subarray(from, from + count),
  close: async () => undefined,
})
const index = (bytes: Buffer) => indexBundle(readerOf(bytes))

const manifest = (files: object): Packed => ({ name: 'manifest.json', body: JSON.stringify({ files }) })
const named = manifest({ 'a.js': { type: 'minified_source', url: '~/a.js' } })
const script: Packed = { name: 'a.js', body: 'x'.repeat(5000) }

const json = (body: string): Packed => ({ name: 'manifest.json', body })
const millionFiles = () => json(`{"files":{${Array.from({ length: 1_000_000 }, (_, i) => `"${i}":{}`).join(',')}}}`)
const millionValues = () => json(`{"files":{},"x":[${'0,'.repeat(10_000_000)}0]}`)
const deepManifest = () => json(`{"files":${'{"x":'.repeat(1_000_000)}`)
const prototypes = json('{"files":{"__proto__":{"type":"source"},"constructor":{}}}')

describe('debug ids of scripts', () => {
  test.each([
    ['without a debug id in its manifest', '', 'var a=1\n//# debugId=B500F860-0003-523C-92AB-92705EDE040B\n', debugId],
    ['of which the last one counts', '', `//# debugId=${'1'.repeat(32)}\n//# debugId=${debugId}`, debugId],
    ['with none at all', '', 'var a=1', ''],
    ['with one in the middle of a line', '', `x("//# debugId=${debugId}")`, ''],
    ['whose manifest says it otherwise', debugId.replaceAll('-', '').toUpperCase(), 'var a', debugId],
  ])('has scripts %s', async (_name, header, body, expected) => {
    const files = { 'a.js': { type: 'minified_source', url: '~/a.js', headers: { 'Debug-ID': header } } }
    expect((await index(archiveOf([{ name: 'a.js', body }, manifest(files)]))).files[0]?.debugId).toBe(expected)
  })

  test.each([
    ['at the beginning', `{"version":3,"debug_id":"${debugId}","mappings":"${'A'.repeat(9000)}"}`, debugId],
    ['at the end', `{"version":3,"mappings":"${'A'.repeat(9000)}","debugId":"${debugId}"}`, debugId],
    ['nowhere', '{"version":3}', ''],
  ])('of maps: %s', async (_name, body, expected) => {
    const files = { 'a.js.map': { url: '~/a.js.map' } }
    const { files: found } = await index(archiveOf([{ name: 'a.js.map', body }, manifest(files)]))
    expect(found).toMatchObject([{ type: 'source_map', debugId: expected }])
  })
})

test.each([
  ['bytes before it', archiveOf([script, named], { prefix: 'SYSB\x02\0\0\0' })],
  ['four bytes before it, as JVM tools write', archiveOf([script, named], { prefix: 'SYSB' })],
  ['nothing before it', archiveOf([script, named])],
  [
    'a folder and a file that no manifest names',
    archiveOf([{ name: 'd/', body: '' }, { name: 'd/x', body: 'x' }, script, named]),
  ],
])('an archive with %s is read', async (_name, bytes) => {
  const { files } = await index(bytes)
  expect(files).toMatchObject([{ entry: 'a.js', url: '~/a.js', type: 'minified_source', bytes: 5000, method: 8 }])
})

test('names of prototypes are names', async () => {
  const text =
    '{"files":{"__proto__":{"url":"~/a.js","headers":{"__proto__":"x","Debug-ID":"b500f860-0003-523c-92ab-92705ede040b"}},"constructor":{"type":"toString"}}}'
  const bytes = archiveOf([{ name: '__proto__', body: 'x' }, { name: 'constructor', body: 'y' }, json(text)])
  expect((await index(bytes)).files).toMatchObject([
    { entry: '__proto__', url: '~/a.js', type: 'source', debugId, headers: { 'debug-id': debugId } },
    { entry: 'constructor', url: 'constructor', type: 'source' },
  ])
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('texts of a manifest are passed over as JSON has them', async () => {
  const url = '~/a"\\\\"{[,.js\\'
  const bytes = archiveOf([script, manifest({ 'a.js': { url, headers: { a: '{'.repeat(40), b: '\\' } } })])
  expect((await index(bytes)).files).toMatchObject([{ url }])
})

test.each([
  ['a.js', {}, 'minified_source', 'a.js'],
  ['files/_/_/b/c.mjs', {}, 'minified_source', '~/b/c.mjs'],
  ['a.js', { type: 'source', path: '~/x.js' }, 'source', '~/x.js'],
  ['Main.java', {}, 'source', 'Main.java'],
  ['a.map', { type: 'nonsense', url: 'https://x.test/a.map', headers: 5 }, 'source_map', 'https://x.test/a.map'],
])('%s with %j is a %s at %s', async (name, said, type, url) => {
  const { files } = await index(archiveOf([{ name, body: 'x' }, manifest({ [name]: said })]))
  expect(files).toMatchObject([{ type, url, headers: {} }])
})

describe('refused', () => {
  test.each<[string, Buffer, RegExp]>([
    ['no archive', Buffer.from('hello, this is no archive at all'), /not a ZIP archive/],
    ['an archive that is cut off', bundleOf().subarray(0, 300), /not a ZIP archive/],
    [
      'a name that climbs',
      archiveOf([{ name: '../../etc/passwd', body: 'x' }, named]),
      /path outside of it: "\.\.\/\.\./,
    ],
    ['a name that climbs by Windows', archiveOf([{ name: '..\\x', body: 'x' }, named]), /path outside/],
    ['a name from the root', archiveOf([{ name: '/etc/passwd', body: 'x' }, named]), /path outside/],
    ['a name with a drive', archiveOf([{ name: 'C:x', body: 'x' }, named]), /path outside/],
    ['a file twice', archiveOf([script, script, named]), /"a.js" twice/],
    ['no manifest', archiveOf([script]), /no manifest\.json/],
    [
      'a manifest that is none',
      archiveOf([script, { name: 'manifest.json', body: '[1' }]),
      /not the manifest of a bundle/,
    ],
    ['a manifest of one million files', archiveOf([script, millionFiles()]), /too deep, or has too many values/],
    ['a manifest of ten million values', archiveOf([script, millionValues()]), /too deep, or has too many values/],
    ['a manifest as deep as it is long', archiveOf([script, deepManifest()]), /too deep, or has too many values/],
    ['a manifest whose files are a list', archiveOf([script, manifest([])]), /not the manifest of a bundle/],
    ['a manifest of 33 MiB', archiveOf([script, manifest({ x: 'x'.repeat(33 * 1024 ** 2) })]), /over 32 MiB/],
    ['a manifest that names prototypes', archiveOf([prototypes]), /names "__proto__", which is not in the archive/],
    ['a file that is not there', archiveOf([named]), /names "a.js", which is not in the archive/],
    ['more than was said', archiveOf([{ ...script, says: { bytes: 10 } }, named]), /inflates to more than/],
    ['less than was said', archiveOf([{ ...script, says: { bytes: 6000 } }, named]), /ends early/],
    ['a damaged file', archiveOf([{ ...script, says: { crc: 1 } }, named]), /CRC-32/],
    [
      'a file that is no deflate',
      archiveOf([{ ...script, stored: true, says: { method: 8 } }, named]),
      /cannot be infl/,
    ],
    ['an unknown method', archiveOf([{ ...script, says: { method: 93 } }, named]), /method 93/],
    ['an encrypted file', archiveOf([{ ...script, says: { flags: 1 } }, named]), /encrypted/],
    ['a file elsewhere', archiveOf([{ ...script, says: { at: 3 } }, named]), /not where the directory says/],
    ['one of 3 GiB', archiveOf([{ ...script, says: { bytes: 3 * 1024 ** 3 } }, named]), /over 512 MiB/],
    [
      'ten of 500 MiB',
      archiveOf([...Array(10).keys()].map((i) => ({ name: `${i}`, body: 'x', says: { bytes: 500 * 1024 ** 2 } }))),
      /over 4 GiB/,
    ],
    ['60,000 files', archiveOf([script, named], { entries: 60_000 }), /60000 files\. At most 50000/],
    ['more files than there are', archiveOf([script, named], { entries: 9 }), /directory is broken/],
  ])('%s', async (_name, bytes, sentence) => {
    await expect(index(bytes)).rejects.toThrow(sentence)
  })

  test.each([0, 7])('no byte that is flipped makes it fail in another way (step %i)', async (offset) => {
    const bytes = bundleOf()
    for (let at = offset; at < bytes.length; at += 13) {
      const broken = Buffer.from(bytes)
      broken[at] = (broken[at] ?? 0) ^ 0xff
      const failure = await index(broken).catch((error: unknown) => error)
      if (failure instanceof Error) expect([at, failure.constructor.name]).toEqual([at, 'ZipFault'])
    }
  })
})
