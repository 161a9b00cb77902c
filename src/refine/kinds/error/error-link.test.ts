import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refineBody, refineEvent } from '../../pipeline/fixture.cases.ts'
import { crumbsOfError } from './error-link.ts'

/** The message of React 19 in a build, and that of Next.js 13 and 14. */
const minified =
  'Minified React error #441; visit https://react.dev/errors/441 for the full message or use the non-minified dev environment for full errors and additional helpful warnings.'
const older =
  'An error occurred in the Server Components render. The specific message is omitted in production builds to avoid leaking sensitive details. A digest property is included on this error instance which may provide additional details about the nature of the error.'

const recorded = (name: string) => {
  const body = readFileSync(join(import.meta.dirname, '../../../../fixtures/envelopes', `${name}.envelope`))
  const event = refineBody(body).events[0]
  if (!event) throw new Error(`${name} holds no event`)
  return event
}
const failureOf = (event: object) => refineEvent(event).effect.failure
const browser = (more: object = {}, value = minified) => ({
  platform: 'javascript',
  timestamp: 1_795_253_967,
  exception: { type: 'Error', value },
  ...more,
})
const server = (more: object = {}, value = 'no stock 7') => ({
  platform: 'node',
  timestamp: 1_795_253_967,
  contexts: { runtime: { name: 'node', version: 'v24' } },
  exception: { type: 'Error', value },
  ...more,
})
const printed = (digest: string, message: string, timestamp = 1_795_253_967) => ({
  timestamp,
  category: 'console',
  data: { arguments: ['⨯', { name: 'Error', message, digest }] },
})

test('both sides of one failure as @sentry/nextjs 11.8 of Next.js 16 sends them', () => {
  const [inBrowser, onServer] = [recorded('nextjs-11.8.0-client-07-event'), recorded('nextjs-11.8.0-server-08-event')]
  const traceId = '628c54097f874d69b81d374e68c5c365'
  expect(inBrowser.effect.failure).toMatchObject({
    side: 'browser',
    digest: '3859755225',
    sure: false,
    hints: 1,
    traceId,
    route: '/srverr',
  })
  expect(onServer.effect.failure).toMatchObject({
    side: 'server',
    digest: '3859755225',
    sure: false,
    hints: 1,
    traceId,
    route: '/srverr',
  })
})

describe('a browser event', () => {
  test.each([
    ['React’s number', browser()],
    ['the older sentence', browser({}, older)],
    [
      'as a cause',
      browser({
        exception: [
          { type: 'Error', value: older },
          { type: 'Error', value: 'page failed' },
        ],
      }),
    ],
    ['as a message of the console', browser({ exception: undefined, message: `Error: ${minified}` })],
  ])('hides a server error: %s', (_name, event) => {
    expect(failureOf(event)).toMatchObject({ side: 'browser', digest: '', sure: false, hints: 0 })
  })

  test.each([
    ['another number of React', browser({}, minified.replaceAll('441', '4411'))],
    ['an error of its own', browser({}, 'x is not a function')],
    ['an error of its own, and a breadcrumb with a digest', browser({ breadcrumbs: [printed('123456', 'y')] }, 'x')],
    ['a policy report', { type: 'csp', csp: { 'violated-directive': older } }],
    ['the text far behind the beginning', browser({}, `${'x'.repeat(600)} ${minified}`)],
  ])('hides none: %s', (_name, event) => {
    expect(failureOf(event)).toBeUndefined()
  })

  test('with a digest of its own says so surely, whatever it says else', () => {
    const tagged = browser({ tags: { digest: '123456' }, breadcrumbs: [printed('777777', minified)] }, 'page failed')
    expect(failureOf(tagged)).toMatchObject({ digest: '123456', sure: true })
  })

  test('with breadcrumbs of several failures of its moment names none of them', () => {
    const breadcrumbs = [printed('111111', minified), printed('222222', minified)]
    expect(failureOf(browser({ breadcrumbs }))).toMatchObject({ digest: '', sure: false, hints: 2 })
  })

  test('leaves out a breadcrumb of an earlier moment', () => {
    const breadcrumbs = [printed('111111', minified, 1_795_253_900), printed('222222', minified)]
    expect(failureOf(browser({ breadcrumbs }))).toMatchObject({ digest: '222222', sure: false, hints: 1 })
  })
})

describe('a server event', () => {
  test('takes the digest that was printed beside its own message', () => {
    const breadcrumbs = [printed('111111', 'no stock 7'), printed('222222', 'no stock 8')]
    const { row, effect } = refineEvent(server({ breadcrumbs }))
    expect([row.digest, effect.failure]).toEqual(['111111', expect.objectContaining({ digest: '111111', hints: 2 })])
  })

  test.each([
    ['beside another message', [printed('222222', 'no stock 8')]],
    ['beside a message that holds its own', [printed('222222', 'while asking: no stock 7')]],
    ['beside a message that begins alike', [{ message: "⨯ Error: no stock 77 { digest: '222222' }" }]],
    ['beside a message that ends alike', [{ message: "⨯ Error: cart: no stock 7 { digest: '222222' }" }]],
    ['behind words that are no type', [{ message: "stock: no stock 7 { digest: '222222' }" }]],
    ['far behind the beginning', [{ message: `${'x'.repeat(500)}\nno stock 7 { digest: '222222' }` }]],
    ['behind ten other lines', [{ message: `${'x\n'.repeat(10)}no stock 7 { digest: '222222' }` }]],
  ])('has none of its own: %s', (_name, breadcrumbs) => {
    expect(failureOf(server({ breadcrumbs }))).toMatchObject({ side: 'server', digest: '', sure: false, hints: 1 })
  })

  test.each([
    ['with its stack', 'Error: no stock 7\n    at Stock'],
    ['as it begins', 'no stock 7'],
    ['behind a mark', '⨯ no stock 7'],
    ['behind a mark and a blank', ' ⨯ Error: no stock 7'],
    ['in brackets', '⨯ [Error: no stock 7]'],
    ['of a class of its own', 'Uncaught shop.StockError: no stock 7'],
    ['with a code', '⨯ TypeError [ERR_STOCK]: no stock 7'],
    ['in another line', '⨯ while asking:\nno stock 7'],
    ['behind one that begins alike', '⨯ Error: no stock 77\n⨯ Error: no stock 7'],
  ])('takes it from a text, too: %s', (_name, text) => {
    const breadcrumbs = [{ message: `${text} { digest: '333333' }` }]
    expect(failureOf(server({ breadcrumbs }))).toMatchObject({ digest: '333333', hints: 1 })
  })

  test('takes it from a text that begins with its type’s name, and compares the first 500 characters only', () => {
    const value = `${'no stock '.repeat(60)}of A`
    const breadcrumbs = [{ message: `Invariant Violation: ${value.replace('of A', 'of B')} { digest: '333333' }` }]
    const exception = { type: 'Invariant Violation', value }
    expect(failureOf(server({ exception, breadcrumbs }))).toMatchObject({ digest: '333333' })
  })

  test('that a framework reported without printing it is a side, too', () => {
    const mechanism = { type: 'auto.function.nextjs.on_request_error', handled: false }
    const exception = { type: 'Error', value: 'x', mechanism }
    expect(failureOf(server({ exception }))).toMatchObject({ side: 'server', digest: '', hints: 0 })
  })

  test.each([
    ['without any digest', server()],
    ['that only hides another server’s error', server({ tags: { digest: '123456' } }, older)],
    ['that is no error', { platform: 'node', message: 'digest: 123456', contexts: { runtime: { name: 'node' } } }],
  ])('is no side: %s', (_name, event) => {
    expect(failureOf(event)).toBeUndefined()
  })

  test.each([
    ['https://shop.test/cart/?a=1', undefined, '/cart'],
    ['https://shop.test/', undefined, '/'],
    [undefined, 'GET /cart', '/cart'],
    ['not an address', '/cart', '/cart'],
  ])('has the route of %s, %s', (url, transaction, route) => {
    const event = server({ tags: { digest: '123456' }, transaction, ...(url ? { request: { url } } : {}) })
    expect(failureOf(event)?.route).toBe(route)
  })
})

test('every digest is kept with where it was, each once and the sure ones first', () => {
  const { row, event } = refineEvent(
    server({
      tags: { digest: '111111' },
      contexts: { runtime: { name: 'node' }, nextjs: { digest: '222222', inner: { digest: '333333' } } },
      extra: { digest: '222222', error: { digest: '444444' } },
      breadcrumbs: [printed('555555', 'a'), printed('111111', 'b')],
    }),
  )
  expect(row.digest).toBe('111111')
  expect(event.findings.digests).toEqual([
    { value: '111111', found: 'tags.digest', sure: true },
    { value: '222222', found: 'contexts.nextjs.digest', sure: true },
    { value: '333333', found: 'contexts.nextjs.inner.digest', sure: false },
    { value: '444444', found: 'extra.error.digest', sure: false },
    { value: '555555', found: 'breadcrumbs.values.0.data.arguments.1.digest', sure: false },
  ])
})

test('of a breadcrumb’s hundred digests twenty are looked at, those of its text and arguments first', () => {
  const errors = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`e${i}`, { digest: `${200_000 + i}` }]))
  const breadcrumbs = [
    printed('111111', 'a'),
    { timestamp: 1_795_253_967, message: "y { digest: '333333' }", data: { errors } },
  ]
  const { event } = refineEvent(server({ breadcrumbs }))
  const found = event.findings.digests?.map((digest) => digest.value) ?? []
  expect([found.length, found[0], found.includes('111111')]).toEqual([20, '333333', false])
})

test('a text beside many digests is compared once, whatever sizes', () => {
  const { event } = refineEvent(server({}, `${'x'.repeat(2000)}y`))
  const [entry] = event.exception?.values ?? []
  const state = { compared: 0 }
  const counted = {
    type: 'Error',
    get value() {
      state.compared++
      return entry?.value ?? ''
    },
  }
  const values = Array.from({ length: 50 }, () => counted)
  const crumb = {
    timestamp: 1_795_253_967,
    type: 'default',
    level: 'info',
    message: `${'x'.repeat(499)} ${'x'.repeat(7500)}`,
  }
  const isOwn = crumbsOfError({ ...event, exception: { values }, breadcrumbs: { values: [crumb, crumb] } })
  for (let i = 0; i < 1000; i++) expect(isOwn(`breadcrumbs.values.${i % 2}.data.errors.${i}.digest`)).toBe(false)
  expect(state.compared).toBe(50)
})

test('an event with a thousand digests keeps twenty', () => {
  const breadcrumbs = Array.from({ length: 100 }, (_, i) => printed(`${100_000 + i}`, 'x'))
  expect(refineEvent(server({ breadcrumbs })).event.findings.digests).toHaveLength(20)
})
