import { IntlProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ApiError } from '../client/api.ts'
import en from '../messages/en.json'
import { errorHint } from './error-screen.tsx'
import { PartLoading } from './list-states.tsx'
import { QueryFailed } from './states.tsx'

const textOf = (error: Error | null) =>
  renderToStaticMarkup(
    <IntlProvider locale="en" messages={en} timeZone="UTC">
      <QueryFailed error={error} />
    </IntlProvider>,
  )
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

test.each<[string | undefined, boolean, RegExp]>([
  ['123', true, /finds the error in Mishap itself/],
  ['123', false, /log of the server/],
  [undefined, true, /has been reported/],
  [undefined, false, /^Try again, or reload the page\.$/],
])('an error screen says what became of the error: digest %s, self-reporting %s', (digest, isReported, words) =>
  expect(errorHint(digest === undefined ? {} : { digest }, isReported)).toMatch(words),
)

const unanswered = 'Mishap does not answer. Check the connection and try again.'
test.each<[string, Error | null, string]>([
  ['no error', null, ''],
  [
    'what the API said',
    new ApiError(503, 'STORE_UNAVAILABLE', 'The store is away.', ['Wait.', 'Look at the log.']),
    'The store is away. Wait. Look at the log. STORE_UNAVAILABLE',
  ],
  ['a refusal without a cause', new ApiError(403, 'AUTH_FORBIDDEN', 'Not yours.'), 'Not yours. AUTH_FORBIDDEN'],
  ['no answer', new ApiError(0, 'NETWORK', 'No answer.'), unanswered],
  ['anything else', new TypeError('x is undefined'), unanswered],
])('a query that failed says what to do: %s', (_name, error, text) => expect(textOf(error)).toBe(text))

test.each(['chart', 'text'] as const)('a part that loads says what it is, and only to screen readers: %s', (shape) => {
  const html = renderToStaticMarkup(<PartLoading label="Testing <b>" shape={shape} />)
  expect(html).toMatch(/^<div class="part-loading" data-shape="(chart|text)" role="status">/)
  expect(html).toContain('<span class="visually-hidden">Testing &lt;b&gt;</span>')
  expect(html.match(/<span aria-hidden="true">/g)).toHaveLength(3)
})
