import { describe, expect, it } from 'vitest'
import de from './issues.de.json'
import en from './issues.en.json'

type Messages = { [key: string]: string | Messages }

function flat(messages: Messages, path = ''): [string, string][] {
  return Object.entries(messages).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : flat(value, `${path}${key}.`),
  )
}
const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map((found) => found[1]))].sort().join(' ')

describe('texts of the issue pages', () => {
  const english = new Map(flat(en))
  const german = new Map(flat(de))
  it('have the same keys in both languages', () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort())
  })
  it.each([...english])('%s takes the same values in both', (key, text) => {
    expect(text.trim()).not.toBe('')
    // Angle brackets would be markup to next-intl.
    expect(text).not.toMatch(/[<>]/)
    expect(placeholders(german.get(key) ?? '')).toBe(placeholders(text))
  })
})
