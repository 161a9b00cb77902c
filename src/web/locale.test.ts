import { describe, expect, it } from 'vitest'
import { localeOf } from './locale.ts'

describe('localeOf', () => {
  const cases: [string, string | undefined, string | null, string][] = [
    ['nothing said', undefined, null, 'en'],
    ['the cookie wins', 'de', 'en-GB,en', 'de'],
    ['an unknown cookie counts as none', 'xx', 'de-CH', 'de'],
    ['the first known language', undefined, 'fr-FR,de;q=0.8,en;q=0.7', 'de'],
    ['region is ignored', undefined, 'EN-us', 'en'],
    ['an endless header is cut', undefined, `${'fr,'.repeat(100)}de`, 'en'],
    ['rubbish', '', ';;,,;q=1', 'en'],
  ]
  it.each(cases)('%s', (_name, chosen, accepted, locale) => expect(localeOf(chosen, accepted)).toBe(locale))
})
