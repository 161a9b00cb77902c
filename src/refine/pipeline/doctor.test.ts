import { describe, expect, test } from 'vitest'
import { doctorFindings } from '../../domain/doctor-findings.ts'
import {
  type Asked,
  eventMs,
  eventOf,
  goodMap,
  idA,
  idB,
  pair,
  rigForEach,
  script,
  type Upload,
} from '../doctor/rig.cases.ts'
import { mapWith } from '../symbolicate/rig.cases.ts'

const rig = rigForEach()

async function ask(uploads: Upload[], asked: Asked, others = rig().here.others) {
  for (const entry of uploads) await rig().upload(entry)
  return rig().doctor.ofEvent({ ...rig().here, others }, eventOf(asked).event, eventMs)
}

const cli = 'npx @sentry/cli --url https://mishap.test sourcemaps'
const upload = (more = '') => `${cli} upload --org acme --project web${more} ./dist`
const inject = (more = '') => `${cli} inject ./dist\n${upload(more)}`
const at = (release: string, dist?: string) => ({ release, ...(dist ? { dist } : {}) })
const noSources = goodMap.replace(/,"sourcesContent".*]/, '')

/** Each kind of mistake: the uploads, the event, and the sentence that names the fault. */
const ways: [way: string, uploads: Upload[], asked: Asked, code: string, sentence: string, command: string | null][] = [
  ['1: no upload at all', [], { debugId: idA }, 'no_uploads', 'The project web has no uploaded files.', inject()],
  [
    '2: the upload went to another project',
    [{ files: pair('a.js', idA), project: 2 }],
    { debugId: idA },
    'other_project',
    'The project web has no file for this event, but the project api has one.',
    upload(),
  ],
  [
    '2: the same by release and address',
    [{ files: pair('a.js'), project: 2, ...at('shop@1') }],
    { release: 'shop@1' },
    'other_project',
    'The project web has no file for this event, but the project api has one.',
    upload(' --release shop@1'),
  ],
  [
    '3: build and deploy differ',
    [{ files: pair('a.js', idB) }],
    { debugId: idA },
    'debug_id_differs',
    `The deployed https://shop.test/a.js has the debug id ${idA}. The file uploaded for this URL at ${new Date(eventMs - 3_600_000).toISOString()} has ${idB}, so it belongs to another build.`,
    upload(),
  ],
  [
    '3: the same where the bundler plugin named the files after their debug id',
    [{ files: pair(`${idB}-0.js`, idB) }],
    { debugId: idA },
    'debug_id_unknown',
    `No upload has the debug id ${idA} of https://shop.test/a.js. The newest upload arrived at ${new Date(eventMs - 3_600_000).toISOString()}.`,
    upload(),
  ],
  [
    '4: the release is called otherwise',
    [{ files: pair('a.js'), ...at('shop@1.2.3') }],
    { release: 'shop@1.2.4' },
    'release_differs',
    'The event’s release shop@1.2.4 has no files. ~/a.js was uploaded for shop@1.2.3.',
    upload(' --release shop@1.2.4'),
  ],
  [
    '5: the event has no dist, the bundle has one',
    [{ files: pair('a.js'), ...at('shop@1', 'web') }],
    { release: 'shop@1' },
    'dist_differs',
    'The event has release shop@1, dist –. ~/a.js was uploaded for dist web of this release.',
    upload(' --release shop@1'),
  ],
  [
    '5: the other way round',
    [{ files: pair('a.js'), ...at('shop@1') }],
    { release: 'shop@1', dist: 'web' },
    'dist_differs',
    'The event has release shop@1, dist web. ~/a.js was uploaded for dist – of this release.',
    upload(' --release shop@1 --dist web'),
  ],
  [
    '6: uploaded under another address',
    [{ files: pair('static/js/app.js'), ...at('shop@1') }],
    { url: 'https://shop.test/assets/js/app.js?v=3', release: 'shop@1' },
    'url_differs',
    'The event needs https://shop.test/assets/js/app.js?v=3, which was not uploaded. The most similar uploaded file of this release is ~/static/js/app.js.',
    upload(" --release shop@1 --url-prefix '~/assets'"),
  ],
  [
    '7: the script was uploaded, its map was not',
    [{ files: pair('a.js').slice(0, 1), ...at('shop@1') }],
    { release: 'shop@1' },
    'map_missing',
    'The uploaded ~/a.js names the map https://shop.test/a.js.map, but no map was uploaded for that URL.',
    upload(' --release shop@1'),
  ],
  [
    '8: the script names no map',
    [{ files: [{ url: '~/a.js', body: 'a()', debugId: idA }] }],
    { debugId: idA },
    'map_unnamed',
    'The uploaded ~/a.js names no source map, and none was uploaded with its debug id.',
    inject(),
  ],
  [
    '9: the map is no JSON',
    [{ files: pair('a.js', idA, '<!doctype html>') }],
    { debugId: idA },
    'map_broken',
    'The map ~/a.js.map is not a valid source map.',
    upload(),
  ],
  [
    '9: hostile: the map stands in the script, and is none',
    [{ files: [{ url: '~/a.js', body: script('data:application/json;base64,e3t7'), debugId: idA }] }],
    { debugId: idA },
    'map_inline_broken',
    'The map inside ~/a.js (a data: URL) is not a valid source map.',
    upload(),
  ],
  [
    '10: the map has no text of the source, and it was not uploaded',
    [{ files: pair('a.js', idA, noSources) }],
    { debugId: idA },
    'source_missing',
    'The frame is mapped to ../src/in.ts, but neither the map (sourcesContent) nor the upload contains its text.',
    upload(),
  ],
  [
    '10: the text of the source is of another state',
    [{ files: pair('a.js', idA, goodMap.replace('AAAA,SAASA', 'AAgBA')) }],
    { debugId: idA },
    'source_differs',
    'The frame is mapped to line 17 of ../src/in.ts, but the uploaded text of this file ends before.',
    upload(),
  ],
  [
    '11: the deployed file is not the uploaded one: the column lies behind its end',
    [{ files: pair('a.js', idA) }],
    { debugId: idA, column: 90_210 },
    'position_beyond',
    'The event points at line 1, column 90210 of https://shop.test/a.js, but the uploaded file ends before. It is not the file that was loaded.',
    upload(),
  ],
  [
    '11: changed after its map was made: the map says nothing',
    [{ files: pair('a.js', idA) }],
    { debugId: idA, line: 2, column: 3 },
    'position_unmapped',
    'The map of ~/a.js has no entry for line 2, column 3. It belongs to another build, the file was changed later, or a tool generated this code.',
    inject(),
  ],
  [
    '12: neither debug id nor release',
    [{ files: [{ url: '~/other.js', body: 'b()' }], ...at('shop@1') }],
    {},
    'not_injected',
    'The event has no release and no debug id for https://shop.test/a.js. No file that was uploaded without a release has this URL.',
    inject(),
  ],
  [
    '12: an SDK that knows no debug ids',
    [{ files: pair('a.js', idA) }],
    { sdk: '7.46.0', release: 'shop@1' },
    'sdk_old',
    'The SDK 7.46.0 sends no debug ids, but the files uploaded at 2026-11-17T10:06:40.000Z have them. Version 7.47.0 is the first that sends them.',
    null,
  ],
  [
    '12: the files were not injected before they were deployed',
    [{ files: pair(`${idA}-0.js`, idA) }],
    { release: 'shop@1' },
    'debug_id_missing',
    `The event has no debug id for https://shop.test/a.js, but the files uploaded at ${new Date(eventMs - 3_600_000).toISOString()} have them. The deployed file was not injected, or it belongs to another build.`,
    inject(' --release shop@1'),
  ],
  [
    '12: files of a release, and an event without',
    [{ files: pair('a.js'), ...at('shop@1') }],
    {},
    'no_release',
    'The event has no release and no debug id, but ~/a.js was uploaded for release shop@1.',
    inject(),
  ],
  [
    '13: no column',
    [{ files: pair('a.js', idA) }],
    { debugId: idA, column: undefined },
    'no_column',
    'The frame in https://shop.test/a.js has a line but no column. A position in a minified file needs both.',
    null,
  ],
  [
    '14: nothing for this release',
    [{ files: [{ url: '~/other.js', body: 'b()' }], ...at('shop@1') }],
    { release: 'shop@2', dist: 'x' },
    'release_unknown',
    'Release shop@2, dist x, has no files.',
    upload(' --release shop@2 --dist x'),
  ],
  [
    '15: the name carries another build',
    [{ files: pair('assets/index-BxZ81kq2.js'), ...at('shop@1') }],
    { url: 'https://shop.test/assets/index-C0ffee99.js', release: 'shop@1' },
    'build_differs',
    'Nothing was uploaded for https://shop.test/assets/index-C0ffee99.js, but ~/assets/index-BxZ81kq2.js was. Only a part of the name differs, such as the hash of a build.',
    upload(' --release shop@1'),
  ],
  [
    '16: the release has files, and none like it',
    [{ files: pair('other.js'), ...at('shop@1') }],
    { release: 'shop@1' },
    'file_missing',
    'Files were uploaded for release shop@1, but none for https://shop.test/a.js.',
    upload(' --release shop@1'),
  ],
]

describe('each way to get it wrong is named in one sentence, with the command that mends it', () => {
  test.each(ways)('%s', async (_way, uploads, asked, code, sentence, command) => {
    const { verdict, finding, files, frames } = await ask(uploads, asked)
    expect(finding).toMatchObject({ code, message: sentence, command, weight: 'wrong' })
    expect([verdict, frames]).toEqual(['failed', { mapped: 0, unmapped: 1, ignored: 0 }])
    const steps = files[0]?.steps ?? []
    const failing = steps.findIndex((step) => step.state === 'failed')
    expect(steps[failing]?.step).toBe(finding?.step)
    expect(steps.slice(failing + 1).every((step) => step.state === 'open' && step.found === '')).toBe(true)
    expect(steps.slice(0, failing).every((step) => step.state === 'ok' || step.state === 'unused')).toBe(true)
    expect(steps[0]).toMatchObject({ step: 'address', found: asked.url ?? 'https://shop.test/a.js' })
  })

  test.each<[string, Upload[], Asked, string]>([
    ['another debug id', [{ files: pair('a.js', idB) }], { debugId: idA }, `bundle failed ${idB}`],
    ['another release', [{ files: pair('a.js'), ...at('r@1') }], { release: 'r@2' }, 'bundle failed r@1'],
    ['another project', [{ files: pair('a.js', idA), project: 2 }], { debugId: idA }, 'bundle failed api'],
    ['another address', [{ files: pair('b/a.js'), ...at('r@1') }], { release: 'r@1' }, 'file failed ~/b/a.js'],
    ['nothing', [], { debugId: idA }, 'bundle failed '],
  ])('what was found instead stands at the failing step: %s', async (_name, uploads, asked, want) => {
    const { files } = await ask(uploads, asked)
    const steps = files[0]?.steps.map((step) => `${step.step} ${step.state} ${step.found}`)
    expect(steps).toContain(want)
    if (asked.release === 'r@1') expect(steps).toContain('bundle ok r@1')
  })

  test.each(ways)('every sentence has all its values: %s', async (_name, uploads, asked) => {
    const { finding } = await ask(uploads, asked)
    expect([finding?.message, finding?.mend].join()).not.toMatch(/[{}]|undefined/)
  })

  test('all findings have two short texts of plain words', () => {
    for (const [code, { message, mend }] of Object.entries(doctorFindings)) {
      expect(code).toMatch(/^[a-z_]+$/)
      for (const text of [message, mend]) expect(text, code).toMatch(/^[A-Z{][^\n]{20,190}[.]$/)
    }
  })
})

describe('what is no error', () => {
  test('all is there: every step is done, and the file came after the event', async () => {
    const answer = await ask([{ files: pair('a.js', idA), hours: -2 }], { debugId: idA })
    expect(answer).toMatchObject({ verdict: 'now', finding: { code: 'came_later', weight: 'note' } })
    expect(answer.files[0]?.steps.map((step) => [step.step, step.state, step.found])).toEqual([
      ['address', 'ok', 'https://shop.test/a.js'],
      ['debug_id', 'ok', idA],
      ['bundle', 'ok', expect.stringMatching(/^[\da-f-]{36}$/)],
      ['file', 'ok', '~/a.js'],
      ['map', 'ok', '~/a.js.map'],
      ['column', 'ok', '1:10'],
      ['source', 'ok', '../src/in.ts:1'],
    ])
  })

  test('it was linked to the release after the event came', async () => {
    const id = await rig().upload({ files: pair('a.js'), ...at('shop@0') })
    await rig().meta.artifacts.linkBundle(id, [{ projectId: 1, ...at('shop@1'), dist: '' }], eventMs + 5)
    expect((await ask([], { release: 'shop@1' })).finding?.code).toBe('came_later')
  })

  test('uploaded before ids were injected: found by address, with a word on it', async () => {
    const answer = await ask([{ files: pair('a.js'), ...at('shop@1') }], { debugId: idA, release: 'shop@1' })
    expect(answer).toMatchObject({ verdict: 'now', finding: { code: 'by_address', weight: 'note' } })
  })

  test('it could not be read when the event came', async () => {
    const answer = await ask([{ files: pair('a.js', idA) }], { debugId: idA })
    expect(answer).toMatchObject({ verdict: 'now', finding: { code: 'read_later' } })
  })

  test('the source lies among the uploaded files', async () => {
    const source = { url: '~/src/in.ts', body: 'export function first() {}', type: 'source' as const }
    const files = [...pair('lib/a.js', undefined, noSources), source]
    const asked = { url: 'https://shop.test/lib/a.js', release: 'shop@1' }
    expect((await ask([{ files, ...at('shop@1') }], asked)).finding?.code).toBe('read_later')
  })

  test.each<[string, object, string?]>([
    ['native code', { function: 'forEach', filename: '[native code]' }],
    ['no file', { function: 'a', filename: '<anonymous>', lineno: 1, colno: 1 }],
    ['a part of Node', { filename: 'node:internal/process', lineno: 1, colno: 1 }, 'node'],
    ['an extension', { filename: 'chrome-extension://abc/x.js', lineno: 1, colno: 1 }],
    ['another language', { filename: 'app.py', lineno: 1 }, 'python'],
  ])('%s', async (_name, frame, platform = 'javascript') => {
    const { event } = eventOf({ platform })
    const values = [{ type: 'Error', value: 'x', stacktrace: { frames: [{ in_app: true, ...frame }] } }]
    const answer = await rig().doctor.ofEvent(rig().here, { ...event, exception: { values } }, eventMs)
    expect(answer).toMatchObject({ verdict: 'none', finding: null, frames: { mapped: 0, unmapped: 0, ignored: 1 } })
  })

  test('no line; a page; a script of somebody else: each is a note', async () => {
    expect((await ask([], { line: undefined })).files[0]?.finding).toMatchObject({ code: 'no_line', weight: 'note' })
    const url = 'https://shop.test/checkout'
    const page = await ask([{ files: pair('a.js'), ...at('shop@1') }], { url, release: 'shop@1' })
    expect(page).toMatchObject({ verdict: 'ok', finding: { code: 'in_page', weight: 'note' } })
    const other = { filename: 'https://ads.test/ad.js', lineno: 1, colno: 4, in_app: true }
    const both = await ask([], { release: 'shop@1', frames: [other] })
    expect(both.files.map((file) => [file.url, file.state, file.finding?.code])).toEqual([
      ['https://shop.test/a.js', 'now', 'read_later'],
      ['https://ads.test/ad.js', 'failed', 'third_party'],
    ])
    expect(both.verdict).toBe('now')
    const moved = await ask([], { url: 'https://shop.test/x/a.js', release: 'shop@1', frames: [other] })
    expect(moved.files.map((file) => file.finding?.code)).toEqual(['url_differs', 'third_party'])
  })

  test('what was mapped stays so when its bundle is gone', async () => {
    const { event } = eventOf({ debugId: idA })
    const frames = event.exception?.values[0]?.stacktrace?.frames ?? []
    const mapped = await mapWith(
      [
        { url: '~/a.js', bytes: script(), debugId: idA },
        { url: '~/a.js.map', bytes: goodMap, debugId: idA },
      ],
      frames,
      { debugIds: { 'https://shop.test/a.js': idA } },
    )
    const values = [{ stacktrace: { frames: mapped.frames }, raw_stacktrace: { frames: mapped.raw ?? [] } }]
    const answer = await rig().doctor.ofEvent(rig().here, { ...event, exception: { values } }, eventMs)
    expect(answer).toMatchObject({ verdict: 'ok', finding: null, frames: { mapped: 1, unmapped: 0 } })
    expect(answer.files[0]?.steps[0]?.found).toBe('https://shop.test/a.js')
  })
})

describe('what depends on more than the files', () => {
  test('a release that is older than uploads are kept', async () => {
    const { meta } = rig()
    await meta.releases.makeRelease(
      { organizationId: 1, projectIds: [1], version: 'shop@1', change: {} },
      eventMs - 100 * 86_400_000,
    )
    const answer = await ask([{ files: [{ url: '~/b.js', body: 'b()' }], ...at('shop@9') }], { release: 'shop@1' })
    expect(answer.finding).toMatchObject({ code: 'aged_out', data: { days: '90' } })
  })

  test('a project that whoever asks may not see is not named', async () => {
    const answer = await ask([{ files: pair('a.js', idA), project: 2 }], { debugId: idA }, [])
    expect(answer.finding?.code).toBe('no_uploads')
    expect(JSON.stringify(answer)).not.toContain('api')
  })

  test('a blob that is gone', async () => {
    const id = await rig().upload({ files: pair('a.js', idA) })
    await rig().blobs.delete((await rig().meta.artifacts.bundlesById([id]))[0]?.blobKey ?? '')
    expect((await ask([], { debugId: idA })).finding?.code).toBe('file_gone')
  })

  test('asking notes no use of a bundle', async () => {
    const id = await rig().upload({ files: pair('a.js', idA), hours: 1000 })
    const before = await rig().meta.artifacts.bundlesById([id])
    await ask([], { debugId: idA })
    expect(await rig().meta.artifacts.bundlesById([id])).toEqual(before)
  })

  test('hostile names stay text: no controls, bounded, quoted for the shell', async () => {
    const release = "x'; rm -rf ~ #\u202e$(id)"
    const url = `https://shop.test/${'a'.repeat(200)}\u001b[2J.js`
    const answer = await ask([{ files: pair('z.js'), ...at('shop@1') }], { url, release })
    expect(answer.finding?.code).toBe('release_unknown')
    expect(answer.finding?.command).toBe(upload(" --release 'x'\\''; rm -rf ~ #$(id)'"))
    // The release itself is returned as it is in the event.
    const said = JSON.stringify({ ...answer, release: '' })
    expect(said.length).toBeLessThan(4000)
    expect(said).not.toMatch(/\\u001b|\u202e/)
  })

  test('the file that matters most comes first: of the application, of the newest call; at most 30', async () => {
    const frames = Array.from({ length: 40 }, (_, at) => ({
      filename: `https://shop.test/lib${at}.js`,
      abs_path: `https://shop.test/lib${at}.js`,
      lineno: 1,
      colno: 1,
      in_app: at === 3,
    }))
    const answer = await ask([], { frames })
    expect(answer.files.slice(0, 3).map((file) => file.url.slice(18))).toEqual(['a.js', 'lib3.js', 'lib39.js'])
    expect([answer.files.length, answer.filesOmitted, answer.frames.unmapped]).toEqual([30, 11, 41])
  })
})
