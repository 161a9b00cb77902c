import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import messages from '../../messages/en.json'
import logs from '../../messages/logs.en.json'
import { UnknownColumns } from './columns.tsx'

const shown = (names: readonly string[]): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ ...messages, logs }}>
      <UnknownColumns names={names} />
    </NextIntlClientProvider>,
  )
const textOf = (html: string) => html.replace(/<[^>]+>/g, '')

test.each<[string[], string]>([
  [[], ''],
  [['count()'], 'A field of this view is left out, because lines do not have it: count()'],
  [['count()', 'a b'], '2 fields of this view are left out, because lines do not have them: count(), a b'],
])('columns %j of a view that lines do not have are named', (names, text) => {
  expect(textOf(shown(names))).toBe(text)
})

test('names are text', () => {
  const html = shown(['<img src=x onerror=alert(1)>\u202e'])
  expect(html).toContain('&lt;img src=x')
  expect([html.includes('<img'), html.includes('\u202e')]).toEqual([false, false])
})
