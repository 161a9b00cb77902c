import { describe, expect, test } from 'vitest'
import { codeOf } from '../fixture.cases.ts'
import { checkFieldNames, checkOrigins } from '../projects/setting-lists.ts'
import { checkSlug, freeSlug, slugOf } from './names.ts'

describe('slugs made of names', () => {
  test.each([
    ['Acme Inc.', 'acme-inc'],
    ['  Täglich Brot! ', 'taglich-brot'],
    ['Ünïcödé', 'unicode'],
    ['a -- b', 'a-b'],
    ['12345', 'org-12345'],
    ['007', 'org-007'],
    ['2024-01', '2024-01'],
    ['3 Musketeers', '3-musketeers'],
    ['日本 web', 'web'],
    ['../x', 'x'],
    ['x'.repeat(80), 'x'.repeat(50)],
    ['9'.repeat(64), `org-${'9'.repeat(46)}`],
    [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
  ])('%j is %s', (name, slug) => {
    expect(slugOf(name, 'org')).toBe(slug)
    expect(checkSlug(slug)).toBe(slug)
  })

  test('names in other scripts get slugs that differ, and the same one each time', () => {
    const slugs = ['日本', '中国', 'Ελλάδα', 'Россия', '日本'].map((name) => slugOf(name, 'org'))
    expect(new Set(slugs).size).toBe(4)
    expect(slugs[4]).toBe(slugs[0])
    for (const slug of slugs) expect(slug).toMatch(/^org-[0-9a-f]{8}$/)
  })

  test.each(['', ' ', '...', '---', '🔥', '"; drop'.slice(0, 2)])('%j has no letter or digit', async (name) => {
    expect(await codeOf(() => slugOf(name, 'org'))).toBe('VALIDATION')
  })

  test('taken ones get a number, within 50 characters', async () => {
    const taken = new Set(['web', 'web-2', 'x'.repeat(50)])
    const free = (name: string) => freeSlug(name, 'project', async (slug) => taken.has(slug))
    expect([await free('Web'), await free('api'), await free('x'.repeat(60))]).toEqual([
      'web-3',
      'api',
      `${'x'.repeat(48)}-2`,
    ])
  })
})

describe('allowed origins', () => {
  test.each([
    ['*'],
    ['shop.example'],
    ['*.shop.example'],
    ['localhost'],
    ['localhost:3000'],
    ['shop.example:*'],
    ['https://shop.example'],
    ['https://*.shop.example:8443'],
    ['http://192.168.1.7'],
    ['http://[::1]:3000'],
    ['[::1]'],
    ['capacitor://localhost'],
    ['chrome-extension://abcdefghijklmnop'],
    ['my_host'],
    ['xn--bcher-kva.example'],
  ])('%s is taken as it is', (entry) => expect(checkOrigins([entry])).toEqual([entry]))

  test.each([
    ['https://shop.example/path', /has a path/],
    ['shop.example?x', /has a path/],
    ['https://', /has no host/],
    ['://x', /no scheme/],
    ['1x://x', /no scheme/],
    ['shop.example:0', /wrong port/],
    ['shop.example:70000', /wrong port/],
    ['shop.example:http', /wrong port/],
    ['a.example b.example', /more than one/],
    ['a.example,b.example', /more than one/],
    ['shop.*', /\* in the wrong place/],
    ['*shop.example', /\* in the wrong place/],
    ['*.*.example', /\* in the wrong place/],
    ['-shop.example', /not a host name/],
    ['shop..example', /not a host name/],
    ['bücher.example', /not a host name/],
    ['x'.repeat(201), /too long/],
  ])('%.40s is refused, and named', (entry, why) => {
    expect(() => checkOrigins(['good.example', entry])).toThrow(why)
    expect(() => checkOrigins([entry])).toThrow(expect.objectContaining({ code: 'VALIDATION' }))
    expect(() => checkOrigins([entry])).toThrow(entry.slice(0, 60).toLowerCase())
  })

  test('lower case, trimmed, without a slash at the end, each once, at most 200', () => {
    expect(checkOrigins([' HTTPS://Shop.Example/ ', 'https://shop.example', '', ' '])).toEqual(['https://shop.example'])
    const many = Array.from({ length: 201 }, (_one, at) => `a${at}.example`)
    expect(checkOrigins(many.slice(1))).toHaveLength(200)
    expect(() => checkOrigins(many)).toThrow('at most 200')
  })
})

test('names of fields: trimmed, each once, short, without control characters', () => {
  expect(checkFieldNames([' colour', 'colour', 'Größe', ''], 'safeFields')).toEqual(['colour', 'Größe'])
  for (const wrong of ['a\tb', 'x'.repeat(201)])
    expect(() => checkFieldNames([wrong], 'safeFields')).toThrow(
      expect.objectContaining({ fields: { safeFields: [expect.any(String)] } }),
    )
})
