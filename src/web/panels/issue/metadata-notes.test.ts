import { describe, expect, it } from 'vitest'
import { type MetadataNote, notesByPath, notesOf, notesOfMeta, stackNoteOf } from './metadata-notes.ts'

const line = (note: MetadataNote) => `${note.path} ${note.kind} ${note.rule} ${note.lengthWas ?? '-'}`

describe('notesOfMeta', () => {
  it.each<[string, unknown, string[]]>([
    ['nothing', {}, []],
    ['no object', 'x', []],
    ['null', null, []],
    [
      'trimmed',
      { message: { '': { len: 9000, rem: [['!limit', 'x', 8000, 8003]] } } },
      ['message trimmed !limit 9000'],
    ],
    ['trimmed, length only', { message: { '': { len: 9000 } } }, ['message trimmed !limit 9000']],
    [
      'scrubbed deep',
      { request: { headers: { '3': { '1': { '': { rem: [['@password:filter', 's', 0, 10]] } } } } } },
      ['request.headers.3.1 scrubbed @password:filter -'],
    ],
    ['an error', { level: { '': { err: ['invalid_data'], val: 'x' } } }, ['level invalid invalid_data -']],
    [
      'an error with data',
      { level: { '': { err: [['invalid_data', { reason: 'y' }]] } } },
      ['level invalid invalid_data -'],
    ],
    ['broken leaves', { a: { '': { rem: 'x', err: 3 } }, b: { '': null } }, []],
    ['a broken rule', { a: { '': { rem: [7] } } }, ['a scrubbed  -']],
  ])('%s', (_name, meta, expected) => {
    expect(notesOfMeta(meta).map(line)).toEqual(expected)
  })
  it('is bounded in number and depth', () => {
    const wide = Object.fromEntries(Array.from({ length: 2000 }, (_v, at) => [`k${at}`, { '': { len: at } }]))
    expect(notesOfMeta(wide)).toHaveLength(500)
    let deep: unknown = { '': { len: 1 } }
    for (let at = 0; at < 3000; at++) deep = { a: deep }
    expect(notesOfMeta(deep)).toEqual([])
  })
})

describe('notesOf', () => {
  it('adds errors of values that have no note yet', () => {
    const meta = { level: { '': { err: ['invalid_data'] } } }
    const errors = [
      { type: 'invalid_data', message: 'bad', data: { name: 'level', value: 'x' } },
      { type: 'invalid_data', message: 'bad', data: { name: 'dist', reason: 'too long' } },
      { type: 'clock_drift', message: 'clock_drift', data: {} },
    ]
    expect(notesOf(meta, errors).map(line)).toEqual([
      'level invalid invalid_data -',
      'dist invalid invalid_data: too long -',
      ' invalid clock_drift -',
    ])
  })
})

describe('stackNoteOf', () => {
  it('is no note on what was sent', () => {
    const of = (type: string) => ({ type, message: type, data: { name: 'minidump' } })
    expect(notesOf({}, [of('native_not_symbolicated'), of('minidump_unreadable')]).map((note) => note.rule)).toEqual([
      'minidump_unreadable',
    ])
  })

  it.each([
    [[], undefined],
    [['invalid_data'], undefined],
    [['invalid_data', 'native_not_symbolicated'], 'notSymbolicated'],
    [['minidump_unreadable'], 'dumpUnreadable'],
  ])('%j', (types, note) => expect(stackNoteOf(types.map((type) => ({ type })))).toBe(note))
})

describe('notesByPath', () => {
  it('keeps all notes of a path', () => {
    const index = notesByPath(
      notesOfMeta({
        a: {
          '': {
            len: 5,
            rem: [
              ['!limit', 'x'],
              ['@ip', 's'],
            ],
          },
        },
      }),
    )
    expect(index.get('a')?.map((item) => item.kind)).toEqual(['trimmed', 'scrubbed'])
    expect(index.get('b')).toBeUndefined()
  })
})
