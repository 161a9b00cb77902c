import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import de from '../../messages/de.json'
import exploreDe from '../../messages/explore.de.json'
import { TileNotes } from './tile-notes.tsx'
import { noteCount } from './tile-words.ts'

const partial = { reason: 'rows' as const, sentence: 'The range has more rows than one answer reads.' }
const since = 'Unvollständige Antwort. Diese Antwort beginnt um'
const sampled = 'Aus einer Stichprobe hochgerechnet.'

test.each<[object, string, number]>([
  [{}, '', 0],
  [{ sampled: true }, sampled, 1],
  [{ partial }, since, 1],
  [{ partial, sampled: true }, since, 2],
])('a tile of an answer with %j says so in the language of the reader', (given, text, lines) => {
  const about = { partial: null, sampled: false, scannedFromMs: Date.UTC(2026, 0, 5, 9, 30), ...given }
  const shown = renderToStaticMarkup(
    <NextIntlClientProvider locale="de" timeZone="UTC" messages={{ ...de, explore: exploreDe }}>
      <TileNotes about={about} />
    </NextIntlClientProvider>,
  )
  const words = shown.replace(/<[^>]+>/g, '')
  expect(words.startsWith(text)).toBe(true)
  expect(words.includes(sampled)).toBe(about.sampled)
  expect(words).not.toContain('The range')
  expect([shown.split('<p ').length - 1, noteCount(about)]).toEqual([lines, lines])
  expect(shown.includes('dateTime="2026-01-05T09:30:00.000Z"')).toBe(about.partial !== null)
})
