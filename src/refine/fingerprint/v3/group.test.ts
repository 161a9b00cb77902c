import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultStackParser, eventFromException, eventFromMessage } from '@sentry/browser'
import { describe, expect, test } from 'vitest'
import { refineBody, refineEvent } from '../../pipeline/fixture.cases.ts'
import { hashesOf } from '../fingerprint.ts'

type Loose = Record<string, unknown>

const by = (event: Loose, version: number, fingerprintRules = '') =>
  refineEvent({ platform: 'javascript', ...event }, {}, { grouping: { fingerprintRules, stackRules: '', version } })
    .event
const hashesBy = (event: Loose, version = 3) => hashesOf(by(event, version))
const variantsOf = (event: Loose, rules = '') => by(event, 3, rules).findings.grouping.variants

/** Messages of one function, built by the browser SDK in node_modules. */
async function reported(message: string, kind: 'message' | 'exception' = 'message'): Promise<Loose> {
  const hint = { syntheticException: new Error('Sentry syntheticException') }
  const weightsMade =
    kind === 'message'
      ? await eventFromMessage(defaultStackParser, message, 'info', hint, true)
      : await eventFromException(defaultStackParser, message, hint, true)
  return JSON.parse(JSON.stringify(weightsMade)) as Loose
}

const frames = [
  { filename: 'https://shop.example/a1.js', function: 'main', lineno: 1, colno: 2, in_app: true },
  { filename: 'https://shop.example/a1.js', function: 'report', lineno: 3, colno: 4, in_app: true },
]
const elsewhere = [{ ...frames[0], function: 'other' }]
const mechanism = { type: 'generic', handled: true, synthetic: true }
const synthetic = (value: string, exception: Loose = {}, more: Loose = {}): Loose => ({
  message: value,
  exception: { values: [{ value, stacktrace: { frames }, mechanism, ...exception }] },
  ...more,
})

describe('the browser SDK sends a message as a synthetic exception', () => {
  test.each(['message', 'exception'] as const)('its form: %s', async (kind) => {
    const event = await reported('one', kind)
    expect(event).toMatchObject({
      message: 'one',
      exception: { values: [{ value: 'one', mechanism: { synthetic: true } }] },
    })
  })

  test.each(['message', 'exception'] as const)(
    'two different ones of one function are two issues: %s',
    async (kind) => {
      const [first = {}, second = {}] = await Promise.all([reported('cart is empty', kind), reported('no stock', kind)])
      expect(hashesBy(first, 2)).toEqual(hashesBy(second, 2))
      expect(hashesBy(first)).not.toEqual(hashesBy(second))
    },
  )

  test('what varies in it does not count', async () => {
    const [first = {}, second = {}] = await Promise.all([reported('took 12 ms'), reported('took 7 ms')])
    expect(hashesBy(first)).toEqual(hashesBy(second))
  })

  test('as Chromium was recorded to send it', () => {
    const path = join(import.meta.dirname, '../../../../fixtures/envelopes/browser-11.12.0-unhandled-03-event.envelope')
    const settings = { grouping: { fingerprintRules: '', stackRules: '', version: 3 } }
    const [first] = refineBody(readFileSync(path), {}, settings).events
    const { findings } = JSON.parse(first?.row.payload.split('\n')[0] ?? '{}')
    expect(findings.grouping.variants).toMatchObject([
      { name: 'default', contributes: true, values: ['a message'] },
      { name: 'app', contributes: false },
      { name: 'system', contributes: false },
    ])
    expect(findings.title).toBe('a message')
  })
})

describe('the message groups', () => {
  test('one from two functions, with or without a stack, is one issue', () => {
    const [hash] = hashesBy(synthetic('cart is empty'))
    const [other] = hashesBy(synthetic('cart is empty', { stacktrace: { frames: elsewhere } }))
    expect([other, hashesBy({ message: 'cart is empty' })[0]]).toEqual([hash, hash])
  })
  test.each<[string, Loose, string[]]>([
    ['two lines of it', synthetic('a\n\nb\nc'), ['a\nb...']],
    [
      'its template',
      synthetic('user 7 left', {}, { message: undefined, logentry: { message: 'user %s left' } }),
      ['user %s left'],
    ],
    [
      'a text that Node.js reports',
      synthetic('no stock', { type: 'Error' }, { message: undefined, platform: 'node' }),
      ['no stock'],
    ],
    ['a text that looks like an error', synthetic('Error: no stock'), ['Error: no stock']],
    [
      'a line of the console, which older SDKs mark as unhandled',
      synthetic('no stock', { mechanism: { ...mechanism, handled: false, type: 'auto.core.capture_console' } }),
      ['no stock'],
    ],
  ])('%s', (_name, event, values) => {
    expect(variantsOf(event)[0]).toMatchObject({ name: 'default', contributes: true, values })
  })
  test('a fingerprint that adds to the default adds to the message', () => {
    const [first] = variantsOf(synthetic('no stock', {}, { fingerprint: ['{{ default }}', 'eu'] }))
    expect(first).toMatchObject({ name: 'hybrid', values: ['no stock', 'eu'] })
  })
  test('variables of frames still name the caller', () => {
    const [first] = variantsOf(synthetic('no stock'), 'level:error -> {{ function }}')
    expect(first).toMatchObject({ name: 'custom_fingerprint', values: ['report'] })
  })
})

describe('all else is grouped as in version 2', () => {
  const thrown = { type: 'TypeError', value: 'x is undefined', stacktrace: { frames } }
  test.each<[string, Loose]>([
    ['an error', { exception: { values: [{ ...thrown, mechanism: { type: 'generic', handled: true } }] } }],
    ['an error that came with a message', { message: 'while paying', exception: { values: [thrown] } }],
    ['a text that was thrown', synthetic('no stock', { mechanism: { ...mechanism, handled: false } })],
    [
      'a message beside a chain',
      { exception: { values: [thrown, { value: 'm', stacktrace: { frames }, mechanism }] } },
    ],
    [
      'an object that was reported',
      synthetic('Object captured as exception with keys: code, text', { type: 'Error' }, { message: undefined }),
    ],
    ['an object that was rejected', synthetic('Event `CustomEvent` (type=x) captured as promise rejection')],
    ['without a stack', synthetic('a\nb\nc', { stacktrace: undefined })],
    ['without a value', synthetic('', { type: 'Error' })],
    ['a crash of another platform', synthetic('SIGSEGV', { type: 'SIGSEGV' }, { platform: 'native' })],
    ['a plain message', { message: 'hello' }],
    ['a checksum', synthetic('no stock', {}, { checksum: 'a'.repeat(32) })],
    ['a fingerprint', synthetic('no stock', {}, { fingerprint: ['mine'] })],
    ['a chunk that did not load', synthetic('ChunkLoadError: Loading chunk 4 failed.', {}, { release: 'shop@1' })],
  ])('%s', (_name, event) => {
    expect(hashesBy(event)).toEqual(hashesBy(event, 2))
  })
})
