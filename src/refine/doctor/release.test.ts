import { describe, expect, test } from 'vitest'
import { findingOf } from '../../domain/doctor-findings.ts'
import { countFindings } from './bundle.ts'
import { type Asked, eventMs, eventOf, goodMap, idA, idB, pair, rigForEach, script, type Upload } from './rig.cases.ts'

const rig = rigForEach()

const noSources = goodMap.replace(/,"sourcesContent".*]/, '')
const oneOfTwo = JSON.stringify({
  version: 3,
  sources: ['a.ts', 'b.ts', '../node_modules/x/i.js'],
  names: [],
  mappings: 'AAAA',
  sourcesContent: ['a', null, null],
})

async function bundle(upload: Upload) {
  const [entry] = await rig().meta.artifacts.bundlesById([await rig().upload(upload)])
  if (!entry) throw new Error('no bundle')
  return rig().doctor.ofBundle(rig().here, entry)
}

describe('a bundle', () => {
  test.each<[string, Upload, string, string[]]>([
    ['with debug ids, maps and sources', { files: pair('a.js', idA) }, 'ok', []],
    ['by address in a release', { files: pair('a.js'), release: 'shop@1' }, 'ok', []],
    ['of maps alone', { files: pair('a.js', idA).slice(1) }, 'empty', []],
    ['that only events without a release find', { files: pair('a.js') }, 'wrong', ['unfindable wrong 1']],
    ['without the map', { files: pair('a.js', idA).slice(0, 1) }, 'wrong', ['map_missing wrong 1']],
    [
      'whose script names no map',
      { files: [{ url: '~/a.js', body: 'a()', debugId: idA }] },
      'wrong',
      ['map_unnamed wrong 1'],
    ],
    [
      'where only a library has no map',
      { files: [...pair('a.js', idA), { url: '~/lib.js', body: 'a()', debugId: idB }] },
      'ok',
      ['map_unnamed note 1'],
    ],
    ['with a broken map', { files: pair('a.js', idA, '{') }, 'wrong', ['map_broken wrong 1']],
    [
      'with a broken map in the script',
      { files: [{ url: '~/a.js', body: script('data:,x'), debugId: idA }] },
      'wrong',
      ['map_inline_broken wrong 1'],
    ],
    ['without any source text', { files: pair('a.js', idA, noSources) }, 'wrong', ['source_missing wrong 1']],
    [
      'with some source texts, those of libraries left out',
      { files: pair('a.js', idA, oneOfTwo) },
      'ok',
      ['source_missing note 1'],
    ],
    [
      'with the same wrong thing twice',
      { files: [...pair('a.js', idA, '{'), ...pair('b.js', idB, '{')] },
      'wrong',
      ['map_broken wrong 2'],
    ],
  ])('%s', async (_name, upload, verdict, findings) => {
    const found = await bundle(upload)
    expect(found.findings.map((finding) => `${finding.code} ${finding.weight} ${finding.count}`)).toEqual(findings)
    expect(found.verdict).toBe(verdict)
    expect(found.scripts).toBe(upload.files.filter((file) => file.url.endsWith('.js')).length)
  })

  test('says of each script its map and its sources, and where the bundle belongs', async () => {
    expect(await bundle({ files: pair('a.js', idA), release: 'shop@1', dist: '7' })).toMatchObject({
      scripts: 1,
      read: 1,
      used: false,
      associations: [{ release: 'shop@1', dist: '7' }],
      files: [{ url: '~/a.js', debugId: idA, map: '~/a.js.map', sources: 1, sourcesMissing: 0, finding: null }],
    })
  })

  test('at most 40 maps are read; the other scripts are looked at without', async () => {
    const ids = Array.from({ length: 45 }, (_, at) => idA.replace('aaaaaaaa', String(10_000_000 + at)))
    const found = await bundle({ files: ids.flatMap((id, at) => pair(`${at}.js`, id)) })
    expect([found.scripts, found.read, found.files.length, found.verdict]).toEqual([45, 40, 45, 'ok'])
    expect(found.files[44]).toMatchObject({ map: '~/44.js.map', sources: null })
    expect(rig().desk.cache().maps).toBe(0)
  })
})

const requested = (more: { dist?: string; mayReadEvents?: boolean } = {}) => ({
  release: 'shop@1',
  dist: undefined,
  mayReadEvents: true,
  ...more,
})
const release = (more: Parameters<typeof requested>[0] = {}) => rig().doctor.ofRelease(rig().here, requested(more))

function came(...events: Asked[]): void {
  for (const event of events) {
    const { row } = eventOf({ release: 'shop@1', ...event })
    rig().rows.push({ payload: row.payload, receivedMs: eventMs, groupHash: row.groupHash })
  }
}

describe('a release', () => {
  test('nothing was ever uploaded; nothing was for this release', async () => {
    expect((await release()).findings.map((finding) => finding.code)).toEqual(['no_uploads'])
    await rig().upload({ files: pair('a.js'), release: 'shop@0' })
    const found = await release({ dist: '7' })
    expect(found).toMatchObject({ verdict: 'wrong', bundles: [], events: { looked: 0, frames: 0, mapped: 0 } })
    expect(found.findings[0]).toMatchObject({ code: 'release_unknown', count: 1 })
    expect(found.findings[0]?.command).toContain('--release shop@1 --dist 7')
  })

  test('good uploads and no event are good; every dist is looked at unless one is named', async () => {
    await rig().upload({ files: pair('a.js'), release: 'shop@1', dist: '7' })
    await rig().upload({ files: pair('b.js', undefined, '{'), release: 'shop@1' })
    expect((await release({ dist: '7' })).verdict).toBe('ok')
    expect((await release()).bundles.map((entry) => entry.verdict)).toEqual(['wrong', 'ok'])
  })

  test('a script that was uploaded again counts as it is now; files uploaded one by one are looked at together', async () => {
    await rig().upload({ files: pair('a.js', undefined, '{'), release: 'shop@1' })
    await rig().upload({ files: pair('a.js'), release: 'shop@1' })
    for (const file of pair('b.js')) await rig().upload({ files: [file], release: 'shop@1', single: true })
    const { verdict, bundles } = await release()
    expect(verdict).toBe('ok')
    expect(bundles.map((entry) => [entry.bundleId === '', entry.scripts, entry.read])).toEqual([
      [false, 1, 1],
      [false, 0, 0],
      [true, 1, 1],
    ])
  })

  test('events say more than uploads: their share, and the commonest reasons with the events they concern', async () => {
    await rig().upload({ files: pair('a.js', idA), release: 'shop@1' })
    came({ debugId: idB }, { debugId: idB })
    const found = await release()
    expect(found).toMatchObject({ verdict: 'wrong', events: { looked: 2, frames: 2, mapped: 0 } })
    expect(found.findings.map((finding) => [finding.code, finding.count])).toEqual([['debug_id_differs', 2]])
    expect(found.bundles[0]?.verdict).toBe('ok')
  })

  test('events that came before the files are no fault', async () => {
    await rig().upload({ files: pair('a.js', idA), hours: -1 })
    came({ debugId: idA })
    expect(await release()).toMatchObject({ verdict: 'ok', findings: [{ code: 'came_later', weight: 'note' }] })
  })

  test('who may not read events is told of the uploads alone; a payload that is no JSON is left out', async () => {
    await rig().upload({ files: pair('a.js', idA), release: 'shop@1' })
    came({ debugId: idB })
    expect(await release({ mayReadEvents: false })).toMatchObject({ verdict: 'ok', events: null })
    rig().rows.splice(0, 1, { payload: '{', receivedMs: 1, groupHash: '0' })
    expect((await release()).events).toEqual({ looked: 0, frames: 0, mapped: 0 })
  })
})

test('findings are counted: what is wrong first, then the most frequent', () => {
  const place = { url: 'u', org: 'o', project: 'p', release: '', dist: '' }
  const all = ['map_broken', 'file_gone', 'file_gone', 'no_line'] as const
  const counted = countFindings(all.map((code) => findingOf(code, { map: 'm', found: 'f' }, place)))
  expect(counted.map((entry) => [entry.code, entry.count])).toEqual([
    ['file_gone', 2],
    ['map_broken', 1],
    ['no_line', 1],
  ])
})
