import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { NormalFrame } from '../../domain/event.ts'
import { filesOfBundle, mapWith, type RigOptions, type Uploaded } from './rig.cases.ts'

const corpora = `${import.meta.dirname}/../../../../shared/corpora`
const root = `${corpora}/symbolicator-2025-mit`
const maps = `${root}/tests/fixtures/sourcemaps`
const snapshots = `${root}/crates/symbolicator-js/tests/integration/snapshots/integration__sourcemap__`
const there = existsSync(root)
const file = (name: string) => readFileSync(`${maps}/${name}`)

type Yaml = string | number | boolean | Yaml[] | { [key: string]: Yaml }

/** Parses the YAML subset of the snapshots: indented maps and lists, bare or double-quoted scalars. */
function readYaml(text: string): { [key: string]: Yaml } {
  const lines = text
    .slice(text.indexOf('\n---\n') + 5)
    .split('\n')
    .filter((line) => line.trim() !== '')
  let at = 0
  const scalar = (raw: string): Yaml => {
    if (raw.startsWith('"')) return JSON.parse(raw) as string
    if (/^-?\d+$/.test(raw)) return Number(raw)
    return raw === 'true' ? true : raw === 'false' ? false : raw
  }
  const indent = (line: string) => line.length - line.trimStart().length
  function block(depth: number): Yaml {
    const out: { [key: string]: Yaml } = {}
    const list: Yaml[] = []
    for (; at < lines.length; ) {
      const line = lines[at] ?? ''
      if (indent(line) !== depth) break
      if (line.trimStart().startsWith('- ')) {
        const rest = line.slice(depth + 2)
        if (/^[a-z_]+:(?: |$)/.test(rest)) {
          lines[at] = ' '.repeat(depth + 2) + rest
          list.push(block(depth + 2))
        } else {
          at++
          list.push(scalar(rest))
        }
        continue
      }
      const [, key = '', value = ''] = /^\s*(\w+):\s?(.*)$/.exec(line) ?? []
      at++
      const next = lines[at] ?? ''
      out[key] = value === '' ? block(Math.max(depth, indent(next))) : scalar(value)
    }
    return list.length ? list : out
  }
  return block(0) as { [key: string]: Yaml }
}

type Frame = Partial<NormalFrame>
const framesOf = (snapshot: { [key: string]: Yaml }, key: string): Frame[] =>
  (snapshot[key] as { frames: Frame[] }[] | undefined)?.[0]?.frames ?? []

/** The fields to compare: all except in_app and some of `data`. */
const compared = (frames: readonly Frame[]) =>
  frames.map((frame) => {
    const { in_app: _inApp, ...rest } = frame
    const { sourcemap, symbolicated, resolved_with: by } = frame.data ?? {}
    return {
      ...rest,
      data: {
        symbolicated: symbolicated === true,
        ...(sourcemap ? { sourcemap } : {}),
        ...(by ? { resolved_with: by } : {}),
      },
    }
  })
const sent = (frames: readonly Frame[]) =>
  frames.map(({ context_line: _c, pre_context: _p, post_context: _q, data: _d, ...frame }) => frame)

type Scenario = [name: string, uploads: () => Promise<Uploaded[]> | Uploaded[], options?: RigOptions]
const pair = (url: string, folder: string, script: string, more: Partial<Uploaded> = {}): Uploaded[] => [
  { url, bytes: file(`${folder}/${script}`), ...more },
  { url: `${url}.map`, bytes: file(`${folder}/${script}.map`), ...more },
]
const debugId = '2f259f80-58b7-44cb-d7cd-de1505e7e718'

const scenarios: Scenario[] = [
  ['source_expansion', () => [{ url: 'http://example.com/foo.js', bytes: file('04_source_expansion/foo.js') }]],
  ['inlined_sources', () => [{ url: '~/test.min.js', bytes: file('05_inlined_sources/test.min.js') }]],
  ['invalid_location', () => pair('~/invalidlocation.js', '08_sourcemap_invalid_location', 'invalidlocation.js')],
  [
    'sourcemap_nofiles_source_expansion',
    () => pair('~/nofiles.js', '06_sourcemap_nofiles_source_expansion', 'nofiles.js'),
  ],
  [
    'webpack',
    () => [
      ...pair('http://example.com/test1.min.js', '09_webpack', 'test1.min.js', { single: true }),
      ...pair('http://example.com/test2.min.js', '09_webpack', 'test2.min.js', { single: true }),
    ],
  ],
  ['e2e_source_no_header', () => filesOfBundle(`${maps}/e2e_source_no_header/bundle.zip`)],
  [
    'e2e_scraped_debugid',
    async () => [
      ...(await filesOfBundle(`${maps}/e2e_scraped_debugid/bundle.zip`)),
      { url: 'http://localhost:<port>/files/app.js', bytes: file('e2e_scraped_debugid/app.js'), debugId },
    ],
    { debugIds: { 'http://localhost:<port>/files/app.js': debugId } },
  ],
]

describe.skipIf(!there)('expected results of the symbolicator corpus', () => {
  test.each(scenarios)(
    '%s: frames are those of the snapshot, raw frames too, but for the minified lines around their own, which would make a stored event three times as large',
    async (name, uploads, options) => {
      const snapshot = readYaml(readFileSync(`${snapshots}${name}.snap`, 'utf8'))
      const [want, raw] = [framesOf(snapshot, 'stacktraces'), framesOf(snapshot, 'raw_stacktraces')]
      expect(want.length).toBeGreaterThan(0)
      const got = await mapWith(await uploads(), sent(raw), options)
      const unnamed = want.map((frame) => {
        const { function: called, ...rest } = frame
        return called === '<unknown>' ? rest : frame
      })
      expect(compared(got.frames)).toEqual(compared(unnamed))
      const ownLine = raw.map(({ pre_context: _pre, post_context: _post, ...frame }) => frame)
      if (got.raw) expect(compared(got.raw)).toEqual(compared(ownLine))
    },
  )

  test('difference: a frame outside of every function has no name here, where the corpus says <unknown>, as a made-up name would group', async () => {
    const uploads = [{ url: '~/test.min.js', bytes: file('05_inlined_sources/test.min.js') }]
    const frame = { abs_path: 'http://example.com/test.min.js', lineno: 1, colno: 1 }
    const { frames } = await mapWith(uploads, [frame])
    expect(frames[0]).not.toHaveProperty('function')
    expect(frames[0]).toMatchObject({ abs_path: 'http://example.com/test.js', filename: '/test.js' })
  })

  test('difference: positions of Hermes bytecode are not mapped yet, the frame says why', async () => {
    const uploads = pair('~/index.android.bundle', 'e2e_react_native', 'index.android.bundle')
    const frame = { abs_path: 'app:///index.android.bundle', lineno: 1, colno: 11940 }
    const { frames } = await mapWith(uploads, [frame])
    expect(frames[0]?.data).toEqual({ symbolicated: false, reason: 'map_unnamed' })
  })

  test('of two bundles of a release the newer one answers', async () => {
    const uploads = [
      ...(await filesOfBundle(`${maps}/sorted_bundles/01_wrong.zip`, 1)),
      ...(await filesOfBundle(`${maps}/sorted_bundles/02_correct.zip`, 2)),
    ]
    const frame = { abs_path: 'http://example.com/test.min.js', function: 'i', lineno: 1, colno: 183 }
    const { frames } = await mapWith(uploads, [frame])
    expect(frames[0]).toMatchObject({ function: 'test', lineno: 20, context_line: '    invoke(data);' })
  })

  test('a bundle of Node with debug ids: the source’s path keeps its letters', async () => {
    const uploads = await filesOfBundle(`${maps}/e2e_node_debugid/bundle.zip`)
    const script = uploads.find(({ type }) => type === 'minified_source')?.bytes.toString() ?? ''
    const lines = script.split('\n')
    const lineno = lines.findIndex((line) => line.includes('new Error("Err')) + 1
    const colno = (lines[lineno - 1] ?? '').indexOf('captureException') + 1
    const path = '/srv/dist/entrypoint1.js'
    const { frames } = await mapWith(uploads, [{ abs_path: path, lineno, colno }], { debugIds: { [path]: debugId } })
    expect(frames[0]?.abs_path).toContain('this is a söurce path/')
    expect(frames[0]?.context_line).toBe('Sentry.captureException(new Error("Errör"));')
    expect(frames[0]?.data).toEqual({ symbolicated: true, sourcemap: path, resolved_with: 'debug-id' })
  })
})

const at = (abs_path: string, lineno: number, colno: number, name?: string): Frame => ({
  abs_path,
  lineno,
  colno,
  ...(name ? { function: name } : {}),
})

describe.skipIf(!there)('maps of the corpus without a snapshot', () => {
  const base = 'http://example.com'
  test('a whole stack: names of scopes, callers before callees', async () => {
    const url = `${base}/test.min.js`
    const stack = [at(url, 1, 183, 'i'), at(url, 1, 136, 'r'), at(url, 1, 64, 'e')]
    const { frames } = await mapWith(pair('~/test.min.js', '01_sourcemap_expansion', 'test.min.js'), stack)
    expect(frames.map((frame) => [frame.function, frame.lineno, frame.context_line])).toEqual([
      ['test', 20, '    invoke(data);'],
      ['invoke', 15, '    cb(data);'],
      ['onFailure', 5, "    throw new Error('failed!');"],
    ])
  })

  test('sources that the map has not got come from the release', async () => {
    const folder = '02_sourcemap_source_expansion'
    const uploads: Uploaded[] = [
      ...pair('~/file.min.js', folder, 'file.min.js'),
      { url: '~/file1.js', type: 'source', bytes: file(`${folder}/file1.js`) },
      { url: '~/file2.js', type: 'source', bytes: file(`${folder}/file2.js`) },
    ]
    const { frames } = await mapWith(uploads, [at(`${base}/file.min.js`, 1, 39), at(`${base}/file.min.js`, 1, 79)])
    expect(
      frames.map(({ function: name, filename, lineno, context_line: line }) => [name, filename, lineno, line]),
    ).toEqual([
      ['add', 'file1.js', 3, '\treturn a + b; // fôo'],
      ['multiply', 'file2.js', 3, '\treturn a * b;'],
    ])
  })

  test.each([
    ['03_sourcemap_embedded_source_expansion', '\treturn a + b; // fôo', undefined],
    ['11_no_source_contents', undefined, 'source_missing'],
  ])('%s', async (folder, line, reason) => {
    const { frames } = await mapWith(pair('~/embedded.js', folder, 'embedded.js'), [at(`${base}/embedded.js`, 1, 39)])
    expect(frames[0]).toMatchObject({ filename: 'file1.js', lineno: 3, function: 'add' })
    expect([frames[0]?.context_line, frames[0]?.data?.reason]).toEqual([line, reason])
  })

  test('an index map: both sections, sources from the release', async () => {
    const folder = '07_indexed_sourcemap_source_expansion'
    const uploads: Uploaded[] = [
      ...pair('~/indexed.min.js', folder, 'indexed.min.js'),
      { url: '~/file1.js', type: 'source', bytes: file(`${folder}/file1.js`) },
      { url: '~/file2.js', type: 'source', bytes: file(`${folder}/file2.js`) },
    ]
    const url = `${base}/indexed.min.js`
    const { frames } = await mapWith(uploads, [at(url, 1, 39), at(url, 2, 44)])
    expect(
      frames.map(({ function: name, filename, lineno, context_line: line }) => [name, filename, lineno, line]),
    ).toEqual([
      ['add', 'file1.js', 3, '\treturn a + b; // fôo'],
      ['multiply', 'file2.js', 3, '\treturn a * b;'],
    ])
  })
})
