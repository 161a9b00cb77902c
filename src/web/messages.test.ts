import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { locales } from './locale.ts'

type Tree = { [key: string]: string | Tree }

const read = (locale: string): Tree =>
  JSON.parse(readFileSync(new URL(`./messages/${locale}.json`, import.meta.url), 'utf8')) as Tree

function flat(tree: Tree, before = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[before + key, value] as [string, string]] : flat(value, `${before}${key}.`),
  )
}

/** Argument names of an ICU text: `{count, plural, …}` and `{name}`. */
const holes = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\s*[,}]/g)].map((found) => found[1] ?? ''))].sort()

const english = new Map(flat(read('en')))

describe('messages', () => {
  it('has texts', () => expect(english.size).toBeGreaterThan(100))

  for (const locale of locales) {
    const other = new Map(flat(read(locale)))
    it(`${locale} has the keys of English, no more and no fewer`, () =>
      expect([...other.keys()].sort()).toEqual([...english.keys()].sort()))
    it(`${locale} names the same arguments in every text`, () => {
      const wrong = [...other].filter(([key, text]) => holes(text).join() !== holes(english.get(key) ?? '').join())
      expect(wrong).toEqual([])
    })
    it(`${locale} has no empty text and balanced braces`, () => {
      for (const [key, text] of other) {
        expect(text.trim(), key).not.toBe('')
        expect(text.split('{').length, key).toBe(text.split('}').length)
      }
    })
  }
})
