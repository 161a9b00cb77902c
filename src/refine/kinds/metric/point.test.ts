import { describe, expect, it } from 'vitest'
import { pointOf, timeOf, unitOf } from './point.ts'

const receivedMs = 1_795_000_000_000
const traceId = '771a43a4192642f0b136d5159a501700'
const plain = { name: 'cart.size', type: 'distribution', value: 3, timestamp: receivedMs / 1000, trace_id: traceId }
const context = (rest: object = {}) => ({
  projectId: 7,
  receivedMs,
  jpos: 9,
  moveMs: 0,
  release: 'shop@1',
  environment: 'production',
  budget: { bytes: 65_536 },
  ...rest,
})
const point = (sent: object, rest?: object) => pointOf({ ...plain, ...sent }, context(rest))
const attribute = (value: unknown, type = 'string') => ({ value, type })

describe('a point of an SDK', () => {
  it('becomes a row with the header of its envelope', () => {
    expect(point({ unit: 'none', span_id: '9a1b2c3d4e5f6071' })).toMatchObject({
      projectId: 7,
      timeMs: receivedMs,
      name: 'cart.size',
      type: 'distribution',
      unit: '',
      value: 3,
      count: 1,
      isBucket: false,
      traceId,
      spanId: '9a1b2c3d4e5f6071',
      release: 'shop@1',
      environment: 'production',
      repaired: 0,
      jpos: 9,
      entries: 1,
    })
  })

  it.each([
    ['no object', 'x'],
    ['null', null],
    ['a list', [1]],
    ['no name', { ...plain, name: '' }],
    ['a name that is no text', { ...plain, name: { a: 1 } }],
    ['no type', { ...plain, type: undefined }],
    ['an unknown type', { ...plain, type: 'set' }],
    ['no value', { ...plain, value: undefined }],
    ['not a number', { ...plain, value: Number.NaN }],
    ['infinity', { ...plain, value: Number.POSITIVE_INFINITY }],
    ['a word as value', { ...plain, value: 'many' }],
    ['a boolean as value', { ...plain, value: true }],
    ['a text beyond all numbers', { ...plain, value: '1e999' }],
    ['a hexadecimal text', { ...plain, value: '0x10' }],
    ['a very long text of digits', { ...plain, value: '1'.repeat(100) }],
  ])('is no point: %s', (_name, sent) => expect(pointOf(sent, context())).toBe('bad_item'))

  it.each([
    ['a number as text', { value: ' 3.5e2 ' }, { value: 350 }],
    ['a type in capitals', { type: ' Gauge ' }, { type: 'gauge' }],
    ['no trace', { trace_id: undefined }, { traceId: '' }],
    ['a wrong trace', { trace_id: 'zz' }, { traceId: '' }],
    ['no time', { timestamp: undefined }, { timeMs: receivedMs }],
    ['a time far ahead', { timestamp: receivedMs / 1000 + 61 }, { timeMs: receivedMs }],
    ['a time long ago', { timestamp: receivedMs / 1000 - 31 * 86_400 }, { timeMs: receivedMs }],
  ])('is repaired and counted: %s', (_name, sent, wanted) =>
    expect(point(sent)).toMatchObject({ ...wanted, repaired: 1 }),
  )

  it('moves with the clock of its sender', () => {
    expect(point({ timestamp: receivedMs / 1000 - 100 }, { moveMs: 40_000 })).toMatchObject({
      timeMs: receivedMs - 60_000,
      repaired: 0,
    })
  })

  it('prefers attributes to the header, and they are columns only', () => {
    const attributes = {
      'service.name': attribute('shop'),
      'sentry.release': attribute('shop@2'),
      'sentry.environment': attribute('staging'),
      'sentry.timestamp.sequence': attribute(4, 'integer'),
      plan: attribute('pro'),
    }
    const row = point({ attributes })
    expect(row).toMatchObject({ service: 'shop', release: 'shop@2', environment: 'staging' })
    expect(typeof row === 'object' && row.attributes).toEqual({ plan: 'pro' })
  })

  it('counts bytes of its JSON, not characters', () => {
    const sized = (text: string) => point({ attributes: { a: attribute(text) } })
    expect(sized('x'.repeat(1500))).toMatchObject({ name: 'cart.size' })
    expect(sized('x'.repeat(2100))).toBe('too_large')
    expect(sized('ü'.repeat(1050))).toBe('too_large')
    expect(sized('\u0001'.repeat(400))).toBe('too_large')
    expect(point({ attributes: { a: attribute({ deep: 'x'.repeat(2100) }) } })).toBe('too_large')
  })
})

describe('parts of a point', () => {
  it.each([
    [receivedMs + 60_000, receivedMs + 60_000, 0],
    [receivedMs + 60_001, receivedMs, 1],
    [receivedMs - 30 * 86_400_000, receivedMs - 30 * 86_400_000, 0],
    [receivedMs - 30 * 86_400_000 - 1, receivedMs, 1],
    [undefined, receivedMs, 1],
    [Number.NaN, receivedMs, 1],
  ])('the time %s is %s with %s repairs', (ms, wanted, count) => {
    const repairs = { count: 0 }
    expect([timeOf(ms, receivedMs, repairs), repairs.count]).toEqual([wanted, count])
  })

  it.each([
    ['none', ''],
    ['1', ''],
    ['millisecond', 'millisecond'],
    ['u'.repeat(100), `${'u'.repeat(61)}...`],
    [undefined, ''],
  ])('the unit %s is %j', (sent, wanted) => expect(unitOf(sent, { count: 0 })).toBe(wanted))
})
