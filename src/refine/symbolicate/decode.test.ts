import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { describe, expect, test } from 'vitest'
import { decodeMap, MapBroken, MapLarge } from './decode.ts'
import { flatten, foldSegments, parseMap, segmentAt } from './flat.ts'
import { openView } from './view.ts'

const map = (mappings: string, more: object = {}) => ({
  version: 3,
  sources: ['a.js', 'b.js'],
  names: ['x', 'y'],
  mappings,
  ...more,
})
const rows = (json: unknown) => {
  const { lineFirst, column, source, sourceLine, sourceColumn, name } = decodeMap(json)
  const out: number[][] = []
  for (let line = 0; line + 1 < lineFirst.length; line++)
    for (let at = lineFirst[line] ?? 0; at < (lineFirst[line + 1] ?? 0); at++)
      out.push([line, column[at] ?? 0, source[at] ?? 0, sourceLine[at] ?? 0, sourceColumn[at] ?? 0, name[at] ?? 0])
  return out
}

describe('decodeMap', () => {
  test.each<[string, object, number[][]]>([
    ['empty', map(''), []],
    [
      'segments of 1, 4 and 5 fields',
      map('A,CAAA,CAAAA'),
      [
        [0, 0, -1, 0, 0, -1],
        [0, 1, 0, 0, 0, -1],
        [0, 2, 0, 0, 0, 0],
      ],
    ],
    [
      'lines, running sums, negative steps',
      map('AAAA;AACA,CDAD'.replace('CDAD', 'CCAC')),
      [
        [0, 0, 0, 0, 0, -1],
        [1, 0, 0, 1, 0, -1],
        [1, 1, 1, 1, 1, -1],
      ],
    ],
    [
      'a line out of order',
      map('EAAA,DACA'),
      [
        [0, 1, 0, 1, 0, -1],
        [0, 2, 0, 0, 0, -1],
      ],
    ],
    ['a name that is not there', map('AAAAE'), [[0, 0, 0, 0, 0, -1]]],
    [
      'sections, shifted on their first line only',
      {
        version: 3,
        sections: [
          { offset: { line: 0, column: 0 }, map: map('AAAA') },
          { offset: { line: 1, column: 5 }, map: map('AAAA,CAAA;AACA') },
        ],
      },
      [
        [0, 0, 0, 0, 0, -1],
        [1, 5, 2, 0, 0, -1],
        [1, 6, 2, 0, 0, -1],
        [2, 0, 2, 1, 0, -1],
      ],
    ],
    [
      'sections in sections',
      {
        sections: [
          { offset: { line: 1, column: 2 }, map: { sections: [{ offset: { line: 0, column: 3 }, map: map('AAAA') }] } },
        ],
      },
      [[1, 5, 0, 0, 0, -1]],
    ],
  ])('%s', (_name, json, want) => {
    expect(rows(json)).toEqual(want)
  })

  test('the sourceRoot stands before relative sources only', () => {
    const { sources } = decodeMap(
      map('', { sourceRoot: 'src/', sources: ['a.js', '/b.js', 'webpack:///c.js', null, 3] }),
    )
    expect(sources).toEqual(['src/a.js', '/b.js', 'webpack:///c.js', null, null])
  })

  test.each<[string, unknown]>([
    ['no object', 'text'],
    ['no mappings', { version: 3 }],
    ['a sign that is no digit', map('A!AA')],
    ['a digit too many', map('AAA')],
    ['a value that never ends', map('gggggggggg')],
    ['a source that is not there', map('AEAA')],
    ['a line before the first', map('AADA')],
    ['sections of URLs', { sections: [{ offset: { line: 0, column: 0 }, url: 'x' }] }],
    ['sections without a place', { sections: [{ map: map('') }] }],
    [
      'sections out of order',
      {
        sections: [
          { offset: { line: 3, column: 0 }, map: map('AAAA') },
          { offset: { line: 1, column: 0 }, map: map('AAAA') },
        ],
      },
    ],
    ['an offset beyond all lines', { sections: [{ offset: { line: 2 ** 40, column: 0 }, map: map('') }] }],
  ])('%s is refused as broken', (_name, json) => {
    expect(() => decodeMap(json)).toThrow(MapBroken)
  })

  test('tables that would be too large are refused before they are made', () => {
    const far = { sections: [{ offset: { line: 2 ** 31 - 1, column: 0 }, map: map('') }] }
    expect(() => decodeMap(far)).toThrow(MapLarge)
  })

  test.each([')]}\'\n{"version":3}', '\ufeff{"version":3}'])('a guard or a mark before the JSON is cut: %j', (text) => {
    expect(parseMap(Buffer.from(text))).toEqual({ version: 3 })
  })
})

test.each([
  ['a.b.c', 'a.b.c'],
  ['a.a.a.b', '{a#3}.b'],
  ['x.y.y', 'x.{y#2}'],
  ['a', 'a'],
])('repeated segments fold: %s', (name, want) => expect(foldSegments(name)).toBe(want))

const corpora = `${import.meta.dirname}/../../../../shared/corpora`
const folders = [
  'symbolic-mit/py/tests/res/sourcemaps',
  'symbolic-mit/symbolic-testutils/fixtures/sourcemapcache',
  'symbolic-mit/symbolic-testutils/fixtures/sourcemapcache/simple',
  'symbolic-mit/symbolic-testutils/fixtures/sourcemapcache/webpack',
  'symbolic-mit/symbolic-testutils/fixtures/sourcemapcache/inlining',
  'rust-sourcemap-bsd3/tests/fixtures/adjust_mappings',
  'rust-sourcemap-bsd3/tests/fixtures/react-native-metro',
]
const mapFiles = folders.flatMap((folder) =>
  existsSync(`${corpora}/${folder}`)
    ? readdirSync(`${corpora}/${folder}`)
        .filter((name) => /\.map$/.test(name))
        .map((name) => `${folder}/${name}`)
    : [],
)

describe.skipIf(mapFiles.length === 0)('every place of the corpora’s maps agrees with Node’s own reader', () => {
  test.each(mapFiles)('%s', (file) => {
    const json = parseMap(readFileSync(`${corpora}/${file}`)) as SourceMapPayload
    if ('sections' in json) return expect(rows(json).length).toBeGreaterThan(0)
    const theirs = new SourceMap(json)
    const flat = flatten({ script: undefined, map: json })
    const view = openView(flat)
    const { lineFirst, column } = decodeMap(json)
    let compared = 0
    for (let line = 0; line + 1 < lineFirst.length; line++)
      for (let at = lineFirst[line] ?? 0; at < (lineFirst[line + 1] ?? 0); at++) {
        const place = column[at] ?? 0
        // The last of several segments at the same position counts.
        if (at + 1 < (lineFirst[line + 1] ?? 0) && column[at + 1] === place) continue
        const want = theirs.findEntry(line, place)
        const got = view.original(line, place)
        if (!('originalLine' in want) || !got) continue
        expect([got.line, got.column], `${line}:${place}`).toEqual([want.originalLine, want.originalColumn])
        compared++
      }
    expect(compared).toBeGreaterThan(0)
  })
})

describe('look-ups', () => {
  const flat = flatten({
    script: 'function a(){b()}\nvar wide="ö☃";',
    map: map('AAAA,SAASA,YACA;AACA', { sourcesContent: ['one\r\ntwo\r\nthree', 'ö☃\n'] }),
  })
  const view = openView(flat)

  test('the greatest place at or before a column, on the same line only', () => {
    const at = (line: number, column: number) => (flat.segments ? segmentAt(flat.segments, line, column) : -2)
    expect([at(0, 0), at(0, 8), at(0, 9), at(0, 99), at(1, 0), at(2, 0), at(-1, 0)]).toEqual([0, 0, 1, 2, 3, -1, -1])
  })

  test('lines without their ends, also of Windows', () => {
    expect(view.context(0, 1, 0)).toEqual({ pre: ['one'], line: 'two', post: ['three'] })
    expect(view.context(1, 0, 0)).toEqual({ pre: [], line: 'ö☃', post: [] })
    expect([view.context(0, 3, 0), view.context(1, 1, 0), view.context(9, 0, 0), view.context(-1, 0, 0)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('the function around a place, outside of all, and beyond the script', () => {
    expect([view.functionAt(0, 13), view.functionAt(1, 0), view.functionAt(7, 0)]).toEqual(['x', undefined, undefined])
  })

  const long = `${'a'.repeat(100)}☃${'b'.repeat(200)}`
  test.each<[string, number, string]>([
    ['at its beginning', 0, `${long.slice(0, 140)} {snip}`],
    ['in its middle', 150, `{snip} ${long.slice(80, 220)} {snip}`],
    ['at its end', 300, `{snip} ${long.slice(161)}`],
  ])('a long line is cut around the column: %s', (_name, column, want) => {
    const wide = openView(flatten({ script: `${long}\nx`, map: undefined }))
    expect(wide.scriptContext(0, column)?.line).toBe(want)
    const narrow = openView(flatten({ script: `${long.replace('☃', 'c')}\nx`, map: undefined }))
    expect(narrow.scriptContext(0, column)?.line).toBe(want.replace('☃', 'c'))
  })
})
