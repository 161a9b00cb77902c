import { describe, expect, test } from 'vitest'
import { type TrackerKind, trackerKinds } from '../domain/alerts/trackers.ts'
import type { Issue, Organization, Project } from '../store/meta/meta.ts'
import { commentMark, commentText, cut, issueText, line } from './text.ts'

const described = (change: Partial<Issue> = {}) => ({
  url: 'https://mishap.test',
  organization: { slug: 'acme' } as Organization,
  project: { slug: 'web' } as Project,
  issue: {
    id: 5,
    shortId: 'WEB-5',
    title: 'TypeError: x is not a function',
    culprit: 'app/page',
    level: 'error',
    firstRelease: '1.0',
    lastRelease: '1.1',
    firstSeenMs: 0,
    lastSeenMs: 1_000,
    count: 12,
    ...change,
  } as Issue,
})

test('the prefilled text has title, link and facts', () => {
  expect(issueText(described(), 'github')).toEqual({
    title: 'WEB-5: TypeError: x is not a function',
    body: [
      '[WEB-5 in Mishap](https://mishap.test/o/acme/issues/5)',
      '',
      '` TypeError: x is not a function `',
      '',
      '- Culprit: ` app/page `',
      '- Level: ` error `',
      '- Project: ` web `',
      '- First release: ` 1.0 `',
      '- Last release: ` 1.1 `',
      '- First seen: ` 1970-01-01T00:00:00.000Z `',
      '- Last seen: ` 1970-01-01T00:00:01.000Z `',
      '- Events: ` 12 `',
    ].join('\n'),
  })
})

test('facts that are not known are left out, and Jira has its own markup', () => {
  const { body } = issueText(described({ culprit: '', firstRelease: '', lastRelease: '' }), 'jira')
  expect(body).not.toMatch(/Culprit|release/)
  expect(body).toContain('[WEB-5 in Mishap|https://mishap.test/o/acme/issues/5]')
  expect(body).toContain('* Level: {noformat}error{noformat}')
})

/** Texts that would act in a tracker, with what must not be left of them. */
const hostile: [name: string, text: string, acts: RegExp][] = [
  ['a mention', 'hello @octocat and @acme/team', /@\w/],
  ['everybody', '@channel @everyone @here', /@\w/],
  ['a reference that closes', 'Fixes #12, closes acme/web#3', /#\d/],
  ['an old reference', 'resolves GH-7', /GH-\d/],
  ['a merge request of GitLab', 'see !42', /!\d/],
  ['an account of Jira', 'ping [~accountid:1234]', /\[~/],
  ['the end of a Jira block', '{noformat} [~admin] {noformat}', /\{noformat\}[^\u200b]*\[~/],
  ['an issue of Jira in a macro', '{jira:WEB-1}', /\{jira/],
  ['a wiki link', '[click|https://evil.test]', /\[click\|/],
  ['a Markdown link', '[click](https://evil.test)', /\[click\]\(/],
  ['an image', '![x](https://evil.test/p.png)', /!\[/],
  ['an entity', '&#64;octocat', /&#64/],
]

describe.each(trackerKinds)('hostile texts in %s', (kind) => {
  test.each(hostile)('%s', (_name, text, acts) => {
    const { title, body } = issueText(described({ title: text, culprit: text }), kind)
    expect(title).not.toMatch(acts)
    // Without our own markup.
    const texts = body.replace(/^\[WEB-5[^\n]*/, '').replaceAll(/\{noformat\}(?!\u200b)/g, '')
    expect(texts).not.toMatch(acts)
    expect(commentText('Ann', text)).not.toMatch(acts)
  })

  test('a text stays in its code span and on its line', () => {
    const text = 'a `` b ``` c\n/close\n/assign @me\r\n\u202eevil\u0000'
    const { title, body } = issueText(described({ title: text, culprit: text }), kind)
    expect(title).not.toMatch(/[\n\r\u202e\u0000]/)
    expect(body).not.toMatch(/^\/(?:close|assign)/m)
    expect(body).not.toMatch(/[\r\u202e\u0000]/)
    if (kind !== 'jira') expect(body).toContain('```` a `` b ``` c /close')
  })
})

test('commands at the beginning of a comment’s line stay text', () => {
  const text = commentText('Ann\n/close', 'first\n/close\n/assign @me')
  expect(text).not.toMatch(/^\/(?:close|assign)/m)
  expect(text.startsWith(commentMark)).toBe(true)
  expect(text.split('\n').slice(2)).toEqual(['> first', '> /close', '> /assign @\u200bme'])
})

test.each<[text: string, max: number, shown: string]>([
  ['a\nb\tc', 10, 'a b c'],
  ['abcdef', 4, 'abc…'],
  ['\u2066x\u2069', 10, 'x'],
  ['😀😀😀', 2, '😀…'],
])('line %j of %d', (text, max, shown) => {
  expect(line(text, max)).toBe(shown)
})

test('texts of people are cut to the limits of the services', () => {
  const { title, body } = cut({ title: 'x'.repeat(500), body: `y\u0000${'z'.repeat(50_000)}` })
  expect([...title].length).toBe(260)
  expect(body.length).toBe(30_000)
  expect(body.startsWith('y z')).toBe(true)
})

test('every kind has a text', () => {
  const kinds: readonly TrackerKind[] = trackerKinds
  expect(kinds.map((kind) => issueText(described(), kind).title)).toEqual(
    Array(4).fill('WEB-5: TypeError: x is not a function'),
  )
})
