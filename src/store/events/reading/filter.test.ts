import { describe, expect, test } from 'vitest'
import type { EventFilter } from '../events.ts'
import { compileFilter, compileScope, createValues, hashList, hashNumber, likePattern, wordsOf } from './filter.ts'

const compiled = (filter: EventFilter) => {
  const values = createValues()
  return { text: compileFilter(values, filter), bound: Object.values(values.bound) }
}
const field = (
  name: Extract<EventFilter, { op: 'field' }>['field'],
  match: 'is' | 'like' | 'has',
  value = '',
): EventFilter => ({
  op: 'field',
  field: name,
  match,
  value,
})
const id = 'ab'.repeat(16)

describe('a filter becomes a condition whose values are bound', () => {
  test.each<[EventFilter, string, unknown[]]>([
    [{ op: 'and', of: [] }, '(1)', []],
    [{ op: 'or', of: [] }, '(0)', []],
    [field('release', 'is', 'web@1'), '(release = {p0:String})', ['web@1']],
    [field('release', 'has'), `(release != '')`, []],
    [field('release', 'like', 'web@*'), '(release ILIKE {p0:String})', ['web@%']],
    [field('trace_id', 'has'), `(trace_id != toFixedString('', 16))`, []],
    [field('trace_id', 'is', id), '(trace_id = toFixedString(unhex({p0:String}), 16))', [id]],
    [
      field('event_id', 'is', `${id.slice(0, 8)}-${id.slice(8)}`.toUpperCase()),
      '(event_id = toFixedString(unhex({p0:String}), 16))',
      [id],
    ],
    [field('event_id', 'is', 'no id'), '(0)', []],
    [field('event_id', 'is', `${id}0`), '(0)', []],
    [field('event_id', 'like', 'AB*'), '(lower(hex(event_id)) ILIKE {p0:String})', ['AB%']],
    [{ op: 'tag', key: 'a', match: 'has', value: '' }, '(mapContains(tags, {p0:String}))', ['a']],
    [{ op: 'tag', key: 'a', match: 'like', value: '5%*' }, '(tags[{p0:String}] ILIKE {p1:String})', ['a', '5\\%%']],
    [
      { op: 'tag', key: 'a=b', match: 'is', value: 'c' },
      '(has(tagkv, {p1:String}) AND tags[{p0:String}] = {p2:String})',
      ['a=b', 'a=b=c', 'c'],
    ],
    [{ op: 'tag', key: 'a', match: 'is', value: 'c' }, '(has(tagkv, {p1:String}))', ['a', 'a=c']],
    [
      { op: 'tagNumber', key: 'a', compare: '>=', value: 5 },
      '(ifNull(toFloat64OrNull(tags[{p0:String}]) >= {p1:Float64}, 0))',
      ['a', 5],
    ],
    [{ op: 'frame', key: 'module', match: 'is', value: 'a=b' }, '(has(frames, {p0:String}))', ['module=a=b']],
    [
      { op: 'frame', key: 'function', match: 'is', value: 'x'.repeat(301) },
      '(has(frames, {p0:String}))',
      [`function=${'x'.repeat(300)}`],
    ],
    [
      { op: 'frame', key: 'abs_path', match: 'like', value: '5%*' },
      '(arrayExists(one -> one ILIKE {p0:String}, frames))',
      ['abs\\_path=5\\%%'],
    ],
    [
      { op: 'frame', key: 'in_app', match: 'has', value: '' },
      '(arrayExists(frame -> startsWith(frame, {p0:String}), frames))',
      ['in_app='],
    ],
    [
      { op: 'tag', key: 'a', match: 'like', value: 'b*', pairs: ['a=b', 'a=bc'] },
      '(hasAny(tagkv, {p1:Array(String)}))',
      ['a', ['a=b', 'a=bc']],
    ],
    [
      { op: 'tag', key: 'a', match: 'like', value: 'b*', pairs: ['a=b=c'] },
      '(hasAny(tagkv, {p1:Array(String)}) AND tags[{p0:String}] ILIKE {p2:String})',
      ['a', ['a=b=c'], 'b%'],
    ],
    [{ op: 'tag', key: 'a', match: 'like', value: 'b*', pairs: [] }, '(0)', ['a']],
    [{ op: 'releases', values: ['x'] }, '(release IN {p0:Array(String)})', [['x']]],
    [{ op: 'projects', ids: [1] }, '(project_id IN {p0:Array(UInt64)})', [[1]]],
    [{ op: 'text', value: 'Word' }, '(hasToken(message_lower, {p0:String}))', ['word']],
    [
      { op: 'text', value: 'two words' },
      '(hasToken(message_lower, {p0:String}) AND hasToken(message_lower, {p1:String}) AND position(message_lower, lowerUTF8({p2:String})) > 0)',
      ['two', 'words', 'two words'],
    ],
    [{ op: 'text', value: '!?' }, '(position(message_lower, lowerUTF8({p0:String})) > 0)', ['!?']],
    [{ op: 'not', of: field('level', 'has') }, `(NOT (level != ''))`, []],
    [
      {
        op: 'or',
        of: [field('level', 'is', 'a'), { op: 'and', of: [field('digest', 'is', 'b'), field('type', 'is', 'c')] }],
      },
      '((level = {p0:String}) OR ((digest = {p1:String}) AND (type = {p2:String})))',
      ['a', 'b', 'c'],
    ],
  ])('%j', (filter, text, bound) => {
    expect(compiled(filter)).toEqual({ text, bound })
  })

  const hostile = `'); DROP TABLE events; -- {p0:String} \\`
  test.each<[string, EventFilter]>([
    ['a tag’s key', { op: 'tag', key: hostile, match: 'has', value: '' }],
    ['a tag’s value', { op: 'tag', key: 'a', match: 'is', value: hostile }],
    ['a frame', { op: 'frame', key: 'function', match: 'is', value: hostile }],
    ['a pattern of frames', { op: 'frame', key: 'function', match: 'like', value: hostile }],
    ['a pattern', { op: 'tag', key: 'a', match: 'like', value: hostile }],
    ['a field', field('environment', 'is', hostile)],
    ['an id', field('event_id', 'is', hostile)],
    ['words', { op: 'text', value: hostile }],
  ])('no text of a sender stands in the statement: %s', (_name, filter) => {
    expect(compiled(filter).text).not.toMatch(/DROP|--|;/)
  })
})

describe('words', () => {
  test.each([
    ['Hello, World!', ['hello', 'world']],
    ['a_b-c.d', ['a', 'b', 'c', 'd']],
    ['x x X', ['x']],
    ['Ärger über 5%', ['ärger', 'über', '5']],
    ['日本 語', ['日本', '語']],
    [' \t\n', []],
    ['', []],
  ])('%j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  test.each([
    ['a*', 'a%'],
    ['100%*', '100\\%%'],
    ['a_b', 'a\\_b'],
    ['\\', '\\\\'],
    ['***', '%%%'],
    ['a\\*b*', 'a*b%'],
    ['a\\\\*', 'a\\\\%'],
    ['C:\\x', 'C:\\\\x'],
    ['', ''],
  ])('the pattern %j', (value, pattern) => {
    expect(likePattern(value)).toBe(pattern)
  })
})

describe('hashes', () => {
  test.each([
    ['0'.repeat(16), 0n],
    ['f'.repeat(16), 2n ** 64n - 1n],
    ['00000000000000FF', 255n],
    ['1', 1n],
    ['', undefined],
    ['f'.repeat(17), undefined],
    ['0x1', undefined],
    ['g', undefined],
  ])('%j', (hex, number) => {
    expect(hashNumber(hex)).toBe(number)
  })

  test('a list binds each once and leaves out what is none', () => {
    const values = createValues()
    expect(hashList(values, ['1', 'x', '1', '2'])).toBe('{p0:Array(UInt64)}')
    expect(values.bound).toEqual({ p0: [1n, 2n] })
  })
})

describe('scopes', () => {
  const scope = { projectIds: [1, 2], environments: [], fromMs: 100_000, toMs: 200_000.7 }
  test('the beginning is within, the end is not; what was received a minute before counts', () => {
    const values = createValues()
    const text = compileScope(values, scope)
    expect(text).toContain('timestamp >= fromUnixTimestamp64Milli({p1:Int64}')
    expect(text).toContain('timestamp < fromUnixTimestamp64Milli({p2:Int64}')
    // As a condition on rows it would be one more column to read.
    expect(text).toMatch(/ AND indexHint\(received >= fromUnixTimestamp64Milli\({p3:Int64}, 'UTC'\)\)$/)
    expect(text).not.toContain('environment')
    expect(Object.values(values.bound)).toEqual([[1, 2], 100_000, 200_000, 40_000])
  })

  test.each([
    [[7], 'project_id = {p0:UInt64} AND', 7],
    [[7, 7], 'project_id = {p0:UInt64} AND', 7],
    [[7, 8, 7], 'project_id IN {p0:Array(UInt64)} AND', [7, 8]],
    [[], 'project_id IN {p0:Array(UInt64)} AND', []],
  ])('projects %j', (projectIds, text, bound) => {
    const values = createValues()
    expect(compileScope(values, { ...scope, projectIds }).startsWith(text)).toBe(true)
    expect(values.bound.p0).toEqual(bound)
  })

  test('environments are bound as a list', () => {
    const values = createValues()
    expect(compileScope(values, { ...scope, environments: ['a', "'"] })).toContain('environment IN {p4:Array(String)}')
    expect(values.bound.p4).toEqual(['a', "'"])
  })
})
