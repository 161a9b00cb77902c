import { describe, expect, test } from 'vitest'
import type { NormalFrame, UnmappedReason } from '../../domain/event.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'
import { mapWith, type Uploaded } from './rig.cases.ts'

const url = 'https://shop.test/a.js'
const script = 'function n(e){return t(e)}function t(e){throw e}n(1);[1].map(e=>n(e))'
const names = ['outer', 'inner', 'error', 'callback']
const at = (text: string, after = 0) => script.indexOf(text, after)
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const vlq = (value: number): string => {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let out = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    out += digits[rest ? digit | 32 : digit]
  } while (rest)
  return out
}
/** A one-line map of segments `[column, source line, name or -1]`. */
function mapOf(segments: [column: number, line: number, name: number][], more: object = {}): string {
  const before = [0, 0, 0]
  const mappings = segments.map(([column, line, name]) => {
    const out = vlq(column - (before[0] ?? 0)) + vlq(0) + vlq(line - (before[1] ?? 0)) + vlq(0)
    before[0] = column
    before[1] = line
    if (name < 0) return out
    const named = out + vlq(name - (before[2] ?? 0))
    before[2] = name
    return named
  })
  const sourcesContent = [Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join('\n')]
  return JSON.stringify({
    version: 3,
    sources: ['webpack://shop/./src/a.ts'],
    names,
    mappings: mappings.join(','),
    sourcesContent,
    ...more,
  })
}
const segments: [number, number, number][] = [
  [0, 0, -1],
  [at('n('), 0, 0],
  [at('return'), 1, -1],
  [at('t(e)'), 1, 1],
  [at('t(e){'), 10, 1],
  [at('throw'), 11, -1],
  [at('n(1)'), 20, 0],
  [at('[1]'), 21, -1],
  [at('n(e))'), 22, 0],
]
const uploads = (map = mapOf(segments), more: Partial<Uploaded> = {}): Uploaded[] => [
  { url: '~/a.js', bytes: script, headers: { sourcemap: 'a.js.map' }, ...more },
  { url: '~/a.js.map', bytes: map, ...more },
]
const frame = (column: number, more: Partial<NormalFrame> = {}): Partial<NormalFrame> => ({
  abs_path: url,
  lineno: 1,
  colno: column + 1,
  ...more,
})

describe('mapFrames', () => {
  test('names, lines and in_app of a stack; variables stay, the frames as they came stand beside them', async () => {
    const sent = [
      frame(at('n(1)')),
      frame(at('t(e)'), { function: 'n', vars: { e: 1 } }),
      frame(at('throw'), { function: 't', in_app: false }),
    ]
    const { frames, raw } = await mapWith(uploads(), sent)
    expect(frames.map((entry) => [entry.function, entry.filename, entry.lineno, entry.in_app])).toEqual([
      [undefined, './src/a.ts', 21, true],
      ['outer', './src/a.ts', 2, true],
      ['inner', './src/a.ts', 12, true],
    ])
    expect(frames[1]?.vars).toEqual({ e: 1 })
    expect(frames[2]).toMatchObject({
      pre_context: [7, 8, 9, 10, 11].map((n) => `line ${n}`),
      context_line: 'line 12',
      post_context: [13, 14, 15, 16, 17].map((n) => `line ${n}`),
    })
    expect(raw?.map((entry) => [entry.abs_path, entry.lineno, entry.context_line])).toEqual(
      sent.map(() => [url, 1, script]),
    )
  })

  test('a function without a name is called what its caller calls', async () => {
    const { frames } = await mapWith(uploads(), [frame(at('n(1)')), frame(at('n(e))'), { function: 'e' })])
    expect(frames[1]?.function).toBe('outer')
    const alone = await mapWith(uploads(), [frame(at('n(e))'), { function: 'e' })])
    expect(alone.frames[0]?.function).toBe('<anonymous>')
  })

  test.each(['apply', 'call'])('a caller that hands a function on with %s names it not', async (name) => {
    const sent = [frame(at('n(1)')), frame(at('n(e))'), { function: 'e' })]
    const { frames } = await mapWith(uploads(mapOf(segments, { names: [name, 'inner'] })), sent)
    expect(frames[1]?.function).toBe('<anonymous>')
  })

  describe('a plugin’s copy that the uploader put a line before', () => {
    const id = '11111111-2222-3333-4444-555555555555'
    const snippet = `!function(){e._sentryDebugIdIdentifier="sentry-dbid-${id}"}();`
    const own = `;"sentry-dbid-${id}"`
    const map = mapOf(segments, { mappings: `;${(JSON.parse(mapOf(segments)) as { mappings: string }).mappings}` })
    const files = (name: string, bytes: string, of = map): Uploaded[] => [
      { url: `~/${name}.js`, bytes, debugId: id, headers: { sourcemap: `${name}.js.map` } },
      { url: `~/${name}.js.map`, bytes: of, debugId: id },
    ]
    const double = `${snippet}\n${script}${own}`
    test.each<[string, Uploaded[], number, string | undefined]>([
      ['is read without it', files(`${id}-0`, double), 1, 'inner'],
      ['under another name is read with it', files('a', double), 2, 'inner'],
      ['with one snippet is read with it', files(`${id}-0`, `${snippet}\n${script}`), 2, 'inner'],
      [
        'whose line the map knows is read with it',
        files(`${id}-0`, `${script}\n${double}`, mapOf(segments)),
        1,
        'inner',
      ],
    ])('%s', async (_name, list, lineno, name) => {
      const sent = [frame(at('throw'), { lineno })]
      const { frames } = await mapWith(list, sent, { debugIds: { [url]: id } })
      expect(frames.map((entry) => [entry.function, entry.lineno, entry.data?.symbolicated])).toEqual([
        [name, 12, true],
      ])
    })
  })

  test('without the script the SDK’s names stay; Dart’s async frames take the token’s', async () => {
    const id = '11111111-2222-3333-4444-555555555555'
    const only: Uploaded[] = [{ url: '~/a.js.map', bytes: mapOf(segments), debugId: id }]
    const options = { debugIds: { [url]: id } }
    const { frames } = await mapWith(
      only,
      [frame(at('t(e)'), { function: 'n' }), frame(at('t(e){'), { function: 'f$async$t' })],
      options,
    )
    expect(frames.map((entry) => [entry.function, entry.lineno])).toEqual([
      ['n', 2],
      ['inner', 11],
    ])
  })

  test.each<[string, Uploaded[], Partial<NormalFrame>, UnmappedReason]>([
    ['no file', [], frame(0), 'file_missing'],
    ['a file without a map', [{ url: '~/a.js', bytes: script }], frame(0), 'map_unnamed'],
    ['a map that was not uploaded', uploads().slice(0, 1), frame(0), 'map_missing'],
    ['a broken map', uploads('{"version":3,"mappings":"!"}'), frame(0), 'map_broken'],
    ['line 0', uploads(), frame(0, { lineno: 0 }), 'location_invalid'],
    ['no column', uploads(), { abs_path: url, lineno: 1 }, 'location_invalid'],
    ['a line that the map has not', uploads(), frame(0, { lineno: 9 }), 'position_unmapped'],
    ['a place before the first segment', uploads(mapOf([[50, 0, -1]])), frame(3), 'position_unmapped'],
  ])('%s: the frame stays and says why', async (_name, files, sent, reason) => {
    const { frames, raw } = await mapWith(files, [{ function: 'n', ...sent }])
    expect(frames[0]).toMatchObject({ abs_path: url, function: 'n', data: { symbolicated: false, reason } })
    expect(raw).toBeUndefined()
  })

  test('a mapped frame without its source says so', async () => {
    const { frames } = await mapWith(uploads(mapOf(segments, { sourcesContent: [] })), [frame(at('throw'))])
    expect(frames[0]).toMatchObject({
      function: 'inner',
      lineno: 12,
      data: { symbolicated: true, reason: 'source_missing' },
    })
    expect(frames[0]).not.toHaveProperty('context_line')
  })

  test.each(['node:fs', '<anonymous>', '[native code]', 'internal/timers.js', 'chrome-extension://abc/x.js'])(
    '%s is nobody’s upload and gets no remark',
    async (path) => {
      const { frames } = await mapWith(uploads(), [{ abs_path: path, lineno: 1, colno: 1 }])
      expect(frames[0]).not.toHaveProperty('data')
    },
  )

  test('frames of another platform stay', async () => {
    const { frames } = await mapWith(uploads(), [frame(at('throw'), { platform: 'python' })])
    expect(frames[0]).not.toHaveProperty('data')
  })
})

test('an event of a project without artifacts costs nothing and gets no remark', () => {
  const { event } = refineEvent({
    platform: 'javascript',
    exception: { values: [{ type: 'E', stacktrace: { frames: [frame(0)] } }] },
  })
  expect(event.exception?.values[0]?.stacktrace?.frames[0]).not.toHaveProperty('data')
  expect(event.exception?.values[0]).not.toHaveProperty('raw_stacktrace')
})
