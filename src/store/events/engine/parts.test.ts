import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createPartCheck } from './parts.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-parts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const table = join(folder, 'store', 'abc', 'abc-def')
beforeEach(() => rmSync(table, { recursive: true, force: true }))

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)])

/** A list of checksums as chDB 26 writes it. Its block is not compressed; events.test.ts has the compressed ones. */
function listOf(sizes: Record<string, number>, method = 0x02): Buffer {
  const hash = Buffer.alloc(16, 7)
  const entries = Object.entries(sizes).map(([name, bytes], at) => {
    // Every second file is compressed: its size and hash before that follow.
    const more = at % 2 ? Buffer.concat([Buffer.from([1, ...varint(bytes * 3)]), hash]) : Buffer.from([0])
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from(varint(bytes)), hash, more])
  })
  const list = Buffer.concat([Buffer.from(varint(entries.length)), ...entries])
  const head = Buffer.alloc(9)
  head.writeUInt8(method, 0)
  head.writeUInt32LE(list.length + 9, 1)
  head.writeUInt32LE(list.length, 5)
  return Buffer.concat([Buffer.from('checksums format version: 4\n'), hash, head, list])
}

const list = 'checksums.txt'
const files = {
  'data.bin': 300,
  'count.txt': 2,
  'skp_idx_a.idx': 20,
  'skp_idx_a.dct.idx': 200,
  'skp_idx_ab.idx': 5,
}
const indexes = Object.keys(files).filter((name) => name.startsWith('skp_idx_'))

/** A part with a file that its list does not name. */
function addPart(name = '20261116_1_6_1'): string {
  const part = join(table, name)
  mkdirSync(part, { recursive: true })
  for (const [file, bytes] of Object.entries({ ...files, 'columns.txt': 9 }))
    writeFileSync(join(part, file), Buffer.alloc(bytes))
  writeFileSync(join(part, list), listOf(files))
  return part
}
const cutTo = (file: string, bytes: number) => (part: string) => truncateSync(join(part, file), bytes)
const cut = cutTo('skp_idx_ab.idx', 4)
const write = (content: string | Buffer) => (part: string) => writeFileSync(join(part, list), content)

/** The damage, and the files that the repair removes. 'whole' and 'left': the part is not touched. */
test.each<[string, (part: string) => void, string[] | 'whole' | 'left']>([
  ['a whole part', () => undefined, 'whole'],
  ['a cut index', cutTo('skp_idx_a.dct.idx', 199), ['skp_idx_a.idx', 'skp_idx_a.dct.idx', list]],
  ['a missing index', (part) => rmSync(join(part, 'skp_idx_ab.idx')), ['skp_idx_ab.idx', list]],
  ['an empty list', cutTo(list, 0), [...indexes, list]],
  ['half a list', cutTo(list, 90), [...indexes, list]],
  ['a list without its last byte', cutTo(list, listOf(files).length - 1), [...indexes, list]],
  ['no list, which the engine writes again', (part) => rmSync(join(part, list)), 'whole'],
  ['a list of another version', write('x'.repeat(99)), 'whole'],
  ['a list with another compression', write(listOf({ 'skp_idx_a.idx': 1 }, 0x90)), 'whole'],
  ['cut rows', cutTo('data.bin', 299), 'left'],
  ['an empty count', cutTo('count.txt', 0), 'left'],
  ['no names of columns', cutTo('columns.txt', 0), 'left'],
])('%s', async (_what, damage, expected) => {
  const part = addPart()
  damage(part)
  const isTouched = Array.isArray(expected)
  const remaining = readdirSync(part).filter((name) => !(isTouched && expected.includes(name)))
  const found = { repaired: isTouched ? [part] : [], left: expected === 'left' ? [part] : [] }
  expect(await createPartCheck(folder).repair()).toEqual(found)
  expect(readdirSync(part)).toEqual(remaining)
  expect(await createPartCheck(folder).repair()).toEqual({ ...found, repaired: [] })
})

test.each(['tmp_merge_20261116_1_6_1', 'delete_tmp_20261116_1_6_1', 'detached', 'moving'])(
  'the folder %s is no part',
  async (name) => {
    cut(addPart(name))
    expect(await createPartCheck(folder).repair()).toEqual({ repaired: [], left: [] })
  },
)

describe('a torn part beside another one', () => {
  test.each<[string, string, boolean]>([
    ['that it was merged from', '20261116_5_6_0', true],
    ['that starts where it starts', '20261116_1_3_1', true],
    ['that it was changed from', '20261116_1_6_1_4', true],
    ['of another week', '20261123_2_3_0', false],
    ['before it', '20261116_0_3_0', false],
    ['behind it', '20261116_6_7_0', false],
  ])('%s', async (_what, name, isSource) => {
    const part = addPart('20261116_1_6_1_7')
    addPart(name)
    cut(part)
    const check = createPartCheck(folder, async () => 0)
    expect(await check.torn()).toEqual(isSource ? [part] : [])
    if (isSource) expect(await check.repair()).toEqual({ repaired: [], left: [part] })
    else await expect(check.repair()).rejects.toThrow(part)
    expect(readdirSync(part)).toHaveLength(7)
  })
})

test.each([
  ['that was changed later', '20261116_1_6_1_9'],
  ['that was merged later', '20261116_0_6_2_7'],
])('a torn part beside one %s is of no use any more', async (_what, name) => {
  const part = addPart('20261116_1_6_1_7')
  addPart('20261116_1_3_0')
  cut(part)
  cut(addPart(name))
  const check = createPartCheck(folder)
  expect(await check.torn()).toEqual([join(table, name), part].toSorted())
  rmSync(join(table, name), { recursive: true })
  addPart(name)
  expect(await check.torn()).toEqual([])
  expect(await check.repair()).toEqual({ repaired: [], left: [] })
})

describe('while the engine runs', () => {
  test('a part that was left to the engine at its start does not end it again', async () => {
    addPart('20261116_1_1_0')
    const part = addPart('20261116_1_2_1')
    cut(part)
    const check = createPartCheck(folder)
    expect(await check.repair()).toEqual({ repaired: [], left: [part] })
    expect(await check.torn()).toEqual([])
    // The engine moves it away and merges its sources again, into a part of the same name.
    renameSync(part, join(folder, 'moved'))
    cut(addPart('20261116_1_2_1'))
    expect(await check.torn()).toEqual([part])
  })

  test('a torn part is named until it is repaired, and a whole one is looked at once', async () => {
    const [whole, torn] = [addPart('20261116_1_1_0'), addPart('20261116_2_2_0_7')]
    cut(torn)
    const check = createPartCheck(folder)
    expect([await check.torn(), await check.torn()]).toEqual([[torn], [torn]])
    cut(whole)
    expect(await check.torn()).toEqual([torn])
    expect(await check.repair()).toEqual({ repaired: [torn], left: [] })
    expect(await check.torn()).toEqual([])
    // A part of the same name that comes later is another one.
    rmSync(whole, { recursive: true })
    expect(await check.torn()).toEqual([])
    cut(addPart('20261116_1_1_0'))
    expect(await check.torn()).toEqual([whole])
  })

  test('a part that a restart would lose is not named', async () => {
    cutTo('count.txt', 0)(addPart())
    expect(await createPartCheck(folder).torn()).toEqual([])
  })

  test('a folder without tables has none', async () => {
    expect(await createPartCheck(join(folder, 'none')).torn()).toEqual([])
  })
})

test('while the disk is full nothing is repaired, as the engine would drop the part', async () => {
  const part = addPart()
  cut(part)
  const free = { bytes: 16 * 2 ** 20 - 1 }
  const check = createPartCheck(folder, async () => free.bytes)
  await expect(check.repair()).rejects.toThrow(part)
  expect(await check.torn()).toEqual([])
  expect(readdirSync(part)).toHaveLength(7)
  free.bytes++
  expect(await check.torn()).toEqual([part])
  expect(await check.repair()).toEqual({ repaired: [part], left: [] })
})
