import { describe, expect, test } from 'vitest'
import type { NormalEvent } from '../../domain/event.ts'
import { groupingVersions } from '../../domain/grouping.ts'
import type { EventRow } from '../../store/events/events.ts'
import { createRuleCache, type GroupingContext } from '../fingerprint/fingerprint.ts'
import type { RangeMaps } from '../symbolicate/maps.ts'
import { mapsOf, type Uploaded } from '../symbolicate/rig.cases.ts'
import { refineEvent } from './fixture.cases.ts'
import { type Reprocessed, reprocessEvent } from './reprocess.ts'

const by = (version: number) => ({ grouping: { fingerprintRules: '', stackRules: '', version } })
const rulesOf = (version: number): GroupingContext => ({
  settings: by(version),
  tools: { grouping: createRuleCache() },
})
const rules = rulesOf(1)
const nowMs = 1_795_000_000_000
const debugId = '0f0e0d0c-0b0a-4908-8706-050403020100'
const script = 'function n(e){throw e}n(1)'
/** Columns 0, 9 (the name), 14 (throw) and 22 (the call) map to lines 3, 3, 4 and 12 of one source. */
const map = JSON.stringify({
  version: 3,
  names: ['pay'],
  mappings: 'AAEA,SAAAA,KACA,QAQAA',
  sources: ['webpack://shop/./src/cart.ts'],
  sourcesContent: [Array.from({ length: 14 }, (_, at) => `line ${at + 1}`).join('\n')],
})
const uploads = (more: Partial<Uploaded> = {}): Uploaded[] => [
  { url: '~/a.js', bytes: script, headers: { sourcemap: 'a.js.map' }, ...more },
  { url: '~/a.js.map', bytes: map, ...more },
]

const cFiles: Uploaded[] = [
  { url: '~/c.js', bytes: script, headers: { sourcemap: 'c.js.map' } },
  { url: '~/c.js.map', bytes: map },
]

type Sent = { [key: string]: unknown }
const frame = (file: string, colno: number, more: Sent = {}) => ({
  filename: `https://shop.test/${file}`,
  abs_path: `https://shop.test/${file}`,
  function: 'n',
  lineno: 1,
  colno,
  ...more,
})
const exception = (frames: Sent[], more: Sent = {}) => ({
  type: 'TypeError',
  value: 'no total',
  stacktrace: { frames },
  ...more,
})
const event = (more: Sent = {}, frames: Sent[] = [frame('a.js', 23), frame('a.js', 15)]): Sent => ({
  event_id: 'c'.repeat(32),
  timestamp: nowMs / 1000,
  platform: 'javascript',
  release: '1.0',
  exception: { values: [exception(frames)] },
  ...more,
})

async function loaded<T>(maps: RangeMaps | undefined, work: () => T): Promise<T> {
  let made = work()
  while (maps?.missing()) {
    await maps.load()
    made = work()
  }
  return made
}
const refined = (sent: Sent, maps?: RangeMaps, version = 1) =>
  loaded(maps, () => refineEvent(sent, {}, by(version), maps))
const again = (row: EventRow, maps: RangeMaps, version = 1): Promise<Reprocessed> =>
  loaded(maps, () => reprocessEvent(row, maps, nowMs, rulesOf(version)))
/** The row as the store returns it: the received form follows the normalized form. */
const normalOf = (made: Reprocessed) => JSON.parse(made.forms.normal) as NormalEvent
const withoutMark = ({ findings: { mapped_again_ms: _mark, ...findings }, ...rest }: NormalEvent) => ({
  ...rest,
  findings,
})
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe.each(groupingVersions)(
  'an event that is mapped after it was stored is what it were with its maps: version %i',
  (version) => {
    test.each<[string, Sent, before: Uploaded[] | undefined]>([
      ['of a project that had nothing', event(), undefined],
      ['that missed its file', event(), [{ url: '~/other.js', bytes: '' }]],
      ['whose map was missing', event(), uploads().slice(0, 1)],
      ['whose map was broken', event(), [...uploads().slice(0, 1), { url: '~/a.js.map', bytes: '{' }]],
      [
        'by its debug id',
        event({
          debug_meta: { images: [{ type: 'sourcemap', code_file: 'https://shop.test/a.js', debug_id: debugId }] },
        }),
        undefined,
      ],
      [
        'whose SDK says what is its own',
        event({}, [frame('a.js', 23, { in_app: false }), frame('a.js', 15, { in_app: true })]),
        undefined,
      ],
      [
        'with frames that are never mapped',
        event({}, [frame('a.js', 23), frame('b.js', 5), { function: 'x', filename: '<anonymous>' }]),
        undefined,
      ],
      ['that was mapped in part', event({}, [frame('c.js', 23), frame('a.js', 15)]), cFiles],
      ['with a fingerprint of its own', event({ fingerprint: ['{{ default }}', 'cart'] }), undefined],
      ['with a culprit that was sent', event({ culprit: 'checkout' }), undefined],
      [
        'with threads and a stack of its own',
        {
          ...event(),
          threads: { values: [{ id: 1, crashed: true, stacktrace: { frames: [frame('a.js', 15)] } }] },
          stacktrace: { frames: [frame('a.js', 15)] },
        },
        undefined,
      ],
      [
        'whose frames name a component',
        event({
          exception: {
            values: [
              exception([frame('a.js', 15, { function: 'Nav' })], { type: 'React ErrorBoundary Error' }),
              exception([frame('b.js', 9)], { type: 'Error', value: 'Minified React error #418' }),
            ],
          },
        }),
        undefined,
      ],
      [
        'whose frames name the component of a hydration with a cause',
        event({
          contexts: { hydration: { server: '<p>02.01.2026</p>', client: '<p>1/2/2026</p>' } },
          request: { url: 'https://shop.test/orders/5' },
          exception: {
            values: [
              exception([frame('a.js', 15, { function: 'Nav' })], { type: 'React ErrorBoundary Error' }),
              exception([frame('b.js', 9)], { type: 'Error', value: 'Minified React error #418' }),
            ],
          },
        }),
        undefined,
      ],
      [
        'that is an error that was only logged',
        {
          event_id: 'c'.repeat(32),
          timestamp: nowMs / 1000,
          platform: 'javascript',
          release: '1.0',
          logger: 'console',
          message: 'TypeError: no total\n    at n (https://shop.test/a.js:1:15)',
          stacktrace: { frames: [frame('a.js', 15)] },
        },
        undefined,
      ],
      [
        'with two exceptions',
        event({
          exception: {
            values: [
              exception([frame('a.js', 15)]),
              exception([frame('b.js', 9), frame('a.js', 23)], { type: 'RangeError' }),
            ],
          },
        }),
        undefined,
      ],
      [
        'with a digest, tags and a user',
        event({ tags: { digest: '4242424242' }, user: { id: '7' }, environment: 'staging' }),
        undefined,
      ],
    ])('%s', async (_name, sent, before) => {
      const first = await refined(sent, before && mapsOf(before), version)
      const after = [...uploads({ debugId }), ...cFiles]
      const wanted = await refined(sent, mapsOf(after), version)
      const made = await again(first.row, mapsOf(after), version)
      expect(made.changed).toBe(true)
      expect(withoutMark(normalOf(made))).toEqual(wanted.event)
      expect(normalOf(made).findings.mapped_again_ms).toBe(nowMs)
      expect(made.forms.received).toBe(first.row.payload.split('\n')[1])
      const { payload: _payload, ...row } = made.row
      const { payload: _wanted, ...wantedRow } = wanted.row
      expect(row).toEqual({ ...wantedRow, gen: 1 })
      expect(made.row.groupHash).not.toBe(first.row.groupHash)
      expect(plain({ ...made.effect, keyId: 3 })).toEqual(plain(wanted.effect))
      // A second run changes nothing.
      const stored = { ...made.row, payload: `${made.forms.normal}\n${made.forms.received}` }
      expect((await again(stored, mapsOf(after))).changed).toBe(false)
    })
  },
)

test.each<[string, Sent, Uploaded[]]>([
  ['whose files are not among those that came', event(), [{ url: '~/other.js', bytes: '' }]],
  ['that would only know better why not', event(), uploads().slice(0, 1)],
  [
    'whose SDK sent raw stacks of its own',
    event({
      exception: { values: [exception([frame('a.js', 15)], { raw_stacktrace: { frames: [frame('z.js', 1)] } })] },
    }),
    uploads(),
  ],
  ['without frames', { ...event(), exception: undefined, message: 'hello' }, uploads()],
  ['of another language', event({ platform: 'python' }, [frame('a.js', 15)]), uploads()],
])('an event stays as it is %s', async (_name, sent, files) => {
  const first = await refined(sent)
  const made = await again(first.row, mapsOf(files))
  expect(made.changed).toBe(false)
  expect(made.row).toBe(first.row)
  expect(`${made.forms.normal}\n${made.forms.received}`).toBe(first.row.payload)
  expect(made.effect.misses).toEqual(first.effect.misses)
})

test('whether all own frames are mapped is found, and anew once they are', async () => {
  const said = (row: EventRow) => row.frames.filter((entry) => entry.startsWith('symbolicated_in_app='))
  const sent = event({}, [frame('a.js', 23, { in_app: true }), frame('a.js', 15, { in_app: false })])
  const { row } = await refined(sent, mapsOf([]))
  expect(said(row)).toEqual(['symbolicated_in_app=false'])
  // A project without uploads looks for no maps.
  expect(said((await refined(sent)).row)).toEqual(['symbolicated_in_app=false'])
  expect(said((await again(row, mapsOf(uploads()))).row)).toEqual(['symbolicated_in_app=true'])
  expect(said((await refined({ ...sent, platform: 'python' })).row)).toEqual([])
})

test('a payload without the received form is mapped; one that is no JSON is refused', async () => {
  const { row } = await refined(event())
  const bare = { ...row, payload: row.payload.split('\n')[0] ?? '' }
  expect((await again(bare, mapsOf(uploads()))).changed).toBe(true)
  expect(() => reprocessEvent({ ...row, payload: '{' }, mapsOf([]), nowMs, rules)).toThrow(SyntaxError)
})

describe('what an event misses', () => {
  const image = {
    debug_meta: { images: [{ type: 'sourcemap', code_file: 'https://shop.test/a.js', debug_id: debugId }] },
  }
  const release = 'r:1.0\n'
  test.each<[string, Sent, Uploaded[] | undefined, string[] | undefined]>([
    ['its release', event(), undefined, [release]],
    ['its release and dist', event({ dist: 'ios' }), undefined, ['r:1.0\nios']],
    ['no release', event({ release: undefined }), undefined, ['r:\n']],
    ['its debug id, too', event(image), undefined, [`d:${debugId}`, release]],
    ['nothing where all is mapped', event(image), uploads({ debugId }), undefined],
    ['a map', event(), uploads().slice(0, 1), [release]],
    ['nothing without frames', event({ exception: undefined, message: 'x' }), undefined, undefined],
    ['nothing in another language', event({ platform: 'python' }), undefined, undefined],
    [
      'nothing of a server’s libraries',
      event({ platform: 'node' }, [frame('x/node_modules/y.js', 3, { in_app: false })]),
      undefined,
      undefined,
    ],
    [
      'the rest where a part is mapped',
      event({}, [frame('a.js', 15), frame('b.js', 3, { in_app: true })]),
      uploads(),
      [release],
    ],
    ['no column', event({}, [frame('a.js', 15, { lineno: undefined })]), uploads(), undefined],
  ])('%s', async (_name, sent, files, misses) => {
    const { effect } = await refined(sent, files && mapsOf(files))
    expect(effect.misses).toEqual(misses)
  })

  test('one event makes a dozen notes at most', async () => {
    const files = Array.from({ length: 40 }, (_, at) => `${at}.js`)
    const images = files.map((file, at) => ({
      type: 'sourcemap',
      code_file: `https://shop.test/${file}`,
      debug_id: debugId.replace('0f0e', at.toString(16).padStart(4, '0')),
    }))
    const { effect } = await refined(
      event(
        { debug_meta: { images } },
        files.map((file) => frame(file, 3)),
      ),
    )
    expect(effect.misses).toHaveLength(12)
  })
})
