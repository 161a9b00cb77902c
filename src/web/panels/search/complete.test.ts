import { describe, expect, it } from 'vitest'
import { offeredKeys } from '../../../query/search.ts'
import {
  adjacentTerm,
  caretContextOf,
  needsServerValues,
  readRecent,
  recentLines,
  suggestionsFor,
  withNegation,
  withRecent,
  withSuggestion,
} from './complete.ts'

/** Text with `|` at the caret. */
const caret = (marked: string) => ({ text: marked.replace('|', ''), at: marked.indexOf('|') })
const place = (marked: string) => {
  const { text, at } = caret(marked)
  return caretContextOf(text, at)
}
const known = {
  tagKeys: ['browser.name', 'level', 'digest', 'customer', 'shop:lane', 'user.email'],
  values: [
    { value: 'Chrome', count: 9 },
    { value: 'Mobile Safari', count: 5 },
    { value: 'say "hi"', count: 1 },
  ],
}
const lines = (marked: string) => suggestionsFor(place(marked), known, (field) => `about ${field.name}`)
const taken = (marked: string, label: string) => {
  const line = lines(marked).find((item) => item.label === label)
  if (!line) throw new Error(`${label} is not offered`)
  const { text, caret: at } = withSuggestion(caret(marked).text, line)
  return `${text.slice(0, at)}|${text.slice(at)}`
}

describe('where the caret is', () => {
  it.each<[string, string]>([
    ['|', 'key  0-0'],
    ['lev|', 'key lev 0-3'],
    ['lev|el:error', 'key lev 0-6'],
    ['!lev|', 'key lev 1-4'],
    ['is:new lev|', 'key lev 7-10'],
    ['is:new |', 'key  7-7'],
    ['level:|', 'value level  6-6'],
    ['level:er|ror', 'value level er 6-11'],
    ['!level:er|', 'value level er 7-9'],
    ['level:[error, fa|tal]', 'value level fa 14-19 in a list'],
    ['level:[|', 'value level  7-7 in a list'],
    ['level:["a, b", c|]', 'value level c 15-16 in a list'],
    ['browser.name:"Mobile S|', 'value browser.name Mobile S 13-22'],
    ['"a b":x|', 'value a b x 6-7'],
    ['tags[level]:h|', 'value tags[level] h 12-13'],
    ['"some wor|ds"', 'none'],
    ['(lev|)', 'key lev 1-4'],
  ])('%s', (marked, expected) => {
    const found = place(marked)
    const said =
      found.in === 'none'
        ? 'none'
        : `${found.in} ${found.in === 'value' ? `${found.key} ` : ''}${found.typed} ${found.from}-${found.to}`
    expect(said + ('list' in found && found.list ? ' in a list' : '')).toBe(expected)
  })
})

describe('what is offered', () => {
  it.each<[string, string[]]>([
    ['lev|', ['level']],
    ['dig|', ['digest', 'tags[digest]']],
    [
      'rele|',
      [
        'release',
        'release.build',
        'release.stage',
        'release.package',
        'release.version',
        'firstRelease',
        'lastRelease',
      ],
    ],
    ['cust|', ['customer']],
    ['lane|', ['tags[shop:lane]']],
    ['user.e|', ['user.email']],
    ['brow|', ['browser.name', 'browser.version']],
    ['is:un|', ['unresolved', 'unassigned', 'unlinked', 'archived_until_escalating', 'archived_until_condition_met']],
    ['error.handled:|', ['true', 'false']],
    ['release.stage:|', ['low', 'adopted', 'replaced']],
    ['release.stage:[low, a|]', ['adopted', 'replaced']],
    ['has:release.st|', ['release.stage']],
    ['age:-2|', ['-24h']],
    ['has:cust|', ['customer']],
    ['has:dige|', ['digest', 'tags[digest]']],
    ['browser.name:|', ['Chrome', 'Mobile Safari', 'say "hi"']],
    ['browser.name:saf|', ['Mobile Safari']],
    ['"wor|ds"', []],
  ])('%s', (marked, labels) => {
    expect(lines(marked).map((line) => line.label)).toEqual(labels)
  })

  it('says what a field is, and how many events have a value', () => {
    expect(lines('level|')[0]).toMatchObject({ label: 'level', note: 'about level', events: null })
    expect(lines('browser.name:|')[0]).toMatchObject({ label: 'Chrome', events: 9 })
  })

  it('is at most twelve lines', () => {
    expect(lines('|')).toHaveLength(12)
  })

  it.each<[string, string, string]>([
    ['lev|', 'level', 'level:|'],
    ['!lev|', 'level', '!level:|'],
    ['is:new dig| x', 'tags[digest]', 'is:new tags[digest]:| x'],
    ['lev|el:error', 'level', 'level:|error'],
    ['is:un|', 'unresolved', 'is:unresolved |'],
    ['is:un| a', 'unresolved', 'is:unresolved |a'],
    ['browser.name:m|', 'Mobile Safari', 'browser.name:"Mobile Safari" |'],
    ['browser.name:"mo|', 'Mobile Safari', 'browser.name:"Mobile Safari" |'],
    ['browser.name:|', 'say "hi"', 'browser.name:"say \\"hi\\"" |'],
    ['browser.name:[x, mo|]', 'Mobile Safari', 'browser.name:[x, "Mobile Safari"|]'],
    ['has:dige|', 'tags[digest]', 'has:"tags[digest]" |'],
  ])('%s and then %s', (marked, label, after) => {
    expect(taken(marked, label)).toBe(after)
  })
})

it.each([
  ['browser.name:x|', true],
  ['release:|', true],
  ['title:|', false],
  ['timesSeen:|', false],
  ['is:|', false],
  ['p95(x):|', false],
  ['lev|', false],
])('the server is asked for values at %s: %s', (marked, asks) => {
  expect(needsServerValues(place(marked))).toBe(asks)
})

describe.each(offeredKeys.map((key) => [key.name, key] as const))('the box and %s', (name, key) => {
  it('offers it', () => {
    const offered = lines(`${name}|`).find((line) => line.label === name)
    expect(offered).toMatchObject({ kind: 'key', note: `about ${name}`, insert: `${name}:` })
  })

  it('offers its values as the table says', () => {
    expect(needsServerValues(place(`${name}:|`))).toBe(key.values !== undefined)
    const labels = lines(`${name}:|`).map((line) => line.label)
    if (key.values) expect(labels).toEqual(known.values.map((item) => item.value))
    else if (key.words) expect(labels).toEqual(key.words.slice(0, 12))
    else expect(labels.length > 0).toBe(['date', 'number', 'has'].includes(key.type))
  })
})

it('keys that find nothing are not offered', () => {
  expect(lines('detect|').map((line) => line.label)).toEqual([])
})

describe('from term to term by keys', () => {
  const text = 'is:new !level:[a, b] words'
  it.each<[number, number, -1 | 1, string | undefined]>([
    [26, 26, -1, 'words'],
    [21, 26, -1, '!level:[a, b]'],
    [7, 20, -1, 'is:new'],
    [0, 6, -1, undefined],
    [0, 6, 1, '!level:[a, b]'],
    [21, 26, 1, undefined],
  ])('from %i-%i by %i', (from, to, step, found) => {
    const term = adjacentTerm(text, { from, to }, step)
    expect(term && text.slice(term.from, term.to)).toBe(found)
  })

  it.each<[number, number, string | undefined]>([
    [0, 6, '!is:new !level:[a, b] words'],
    [7, 20, 'is:new level:[a, b] words'],
    [21, 26, undefined],
    [0, 5, undefined],
  ])('! turns the term at %i-%i round', (from, to, after) => {
    const turned = withNegation(text, { from, to })
    expect(turned?.text).toBe(after)
    if (turned) expect(withNegation(turned.text, turned)?.text).toBe(text)
  })
})

describe('recent searches', () => {
  it('stand once, the newest first, ten at most', () => {
    let recent: string[] = []
    for (let n = 0; n < 12; n++) recent = withRecent(recent, ` q${n} `)
    recent = withRecent(withRecent(recent, 'q5'), '  ')
    expect(recent).toEqual(['q5', 'q11', 'q10', 'q9', 'q8', 'q7', 'q6', 'q4', 'q3', 'q2'])
  })
  it.each([
    [null, []],
    ['["a", 5, null, "b"]', ['a', 'b']],
    ['{', []],
    ['{"a":1}', []],
    [JSON.stringify(['x'.repeat(5000)]), []],
  ])('kept as %j', (text, recent) => {
    expect(readRecent(text)).toEqual(recent)
  })
  it('take the place of the whole text', () => {
    const [line] = recentLines(['is:new', 'a b'], 'a b ')
    if (!line) throw new Error('nothing')
    expect([line.label, withSuggestion('a b ', line)]).toEqual(['is:new', { text: 'is:new', caret: 6 }])
  })
})
