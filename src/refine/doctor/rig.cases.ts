import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { systemClock, testClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import { openFileBlobs } from '../../store/blobs/files.ts'
import type { EventRow } from '../../store/events/events.ts'
import type { ArtifactType } from '../../store/meta/artifacts/artifacts.ts'
import { nowMs, openTestMeta, withProject } from '../../store/meta/fixture.cases.ts'
import { createDoctor } from '../pipeline/doctor.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'
import { createMapCache } from '../symbolicate/map-cache.ts'
import { type SharedLoaders, sharedLoaders } from '../symbolicate/shared-loaders.cases.ts'

// For tests of this folder: real stores and real threads. The events store only answers the queries for a release.

type UploadedFile = {
  url: string
  body: string
  type?: ArtifactType
  debugId?: string
  headers?: Record<string, string>
  /** Its stored bytes cannot be decompressed. */
  damaged?: true
}
export type Upload = {
  files: UploadedFile[]
  release?: string
  dist?: string
  /** 1 is `web`, the project of the events. 2 is `api` of the same organization. */
  project?: 1 | 2
  /** Hours before the event; negative: after it. */
  hours?: number
  single?: true
}

const hourMs = 3_600_000
export const eventMs = nowMs - 24 * hourMs

export const idA = 'aaaaaaaa-0003-523c-92ab-92705ede040b'
export const idB = 'bbbbbbbb-0003-523c-92ab-92705ede040b'

export const goodMap = JSON.stringify({
  version: 3,
  sources: ['../src/in.ts'],
  names: ['first'],
  mappings: 'AAAA,SAASA',
  sourcesContent: ['export function first() {}'],
})
export const script = (name = 'a.js.map') => `function a(){throw b}\n//# sourceMappingURL=${name}`

/** A script with its map, with a debug id or only an address. */
export const pair = (name: string, debugId?: string, map = goodMap): UploadedFile[] =>
  [
    { url: `~/${name}`, body: script(`${name.split('/').at(-1)}.map`) },
    { url: `~/${name}.map`, body: map },
  ].map((entry) => (debugId ? { ...entry, debugId } : entry))

/** Opens stores in a folder of their own, and blobs in one that loaders read. `close` deletes the first. */
async function openRig(blobFolder: string, loaders: SharedLoaders) {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-doctor-'))
  const clock = testClock(nowMs)
  const meta = await withProject(await openTestMeta(join(folder, 'meta.sqlite'), { clock }))
  await meta.projects.createProject({ organizationId: 1, slug: 'api', name: 'Api', platform: null })
  const blobs = openFileBlobs(blobFolder)
  const parts = { observe: silent, meta, blobs, blobSource: { folder: blobFolder } }
  const mapCache = createMapCache({ clock: systemClock, ...parts, startThread: loaders.start })
  const rows: Pick<EventRow, 'payload' | 'receivedMs' | 'groupHash'>[] = []
  const doctor = createDoctor({
    clock,
    meta,
    blobs,
    url: 'https://mishap.test',
    retentionDays: 90,
    mapCache: () => mapCache,
    events: {
      groups: async () => rows.map((row) => ({ ...row, projectId: 1, events: 1, users: 0, lastMs: 0, firstMs: 0 })),
      ofIssue: async () => rows as never,
    },
  })

  async function upload({ files, release = '', dist = '', project = 1, hours = 1, single }: Upload): Promise<number> {
    const uuid = randomUUID()
    const blobKey = `artifacts/1/${uuid}`
    await blobs.put(blobKey, Buffer.from(files.map((file) => file.body).join('')))
    let at = 0
    const rows = files.map(({ url, body, debugId = '', headers = {}, type, damaged }, index) => {
      const bytes = Buffer.byteLength(body)
      at += bytes
      return {
        entry: single ? url : `files/_/_/${index}`,
        url,
        debugId,
        headers,
        bytes,
        packed: bytes,
        method: damaged ? 8 : 0,
        crc: 1,
        type: type ?? (url.endsWith('.map') ? ('source_map' as const) : ('minified_source' as const)),
        at: at - bytes,
      }
    })
    const kind = single ? ('file' as const) : ('bundle' as const)
    const createdMs = eventMs - hours * hourMs
    const bundle = { organizationId: 1, uuid, checksum: uuid, kind, blobKey, bytes: at, createdMs }
    return (await meta.artifacts.addBundle(bundle, rows, [{ projectId: project, release, dist }])).id
  }

  const [web, api] = await Array.fromAsync([1, 2], async (id) => meta.projects.projectById(id))
  if (!web || !api) throw new Error('no projects')
  const here = { organization: { slug: 'acme' }, project: web, others: [api] }
  return {
    folder,
    clock,
    meta,
    blobs,
    desk: mapCache,
    doctor,
    upload,
    here,
    rows,
    close: async () => {
      await mapCache.close()
      await meta.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
export type Rig = Awaited<ReturnType<typeof openRig>>

/** Opens a rig before each test of a file and closes it afterwards. Its cases share blobs and threads. Returns a getter. */
export function rigForEach(): () => Rig {
  const state: { rig?: Rig } = {}
  const blobFolder = mkdtempSync(join(tmpdir(), 'mishap-doctor-blobs-'))
  const loaders = sharedLoaders({ folder: blobFolder })
  beforeEach(async () => {
    state.rig = await openRig(blobFolder, loaders)
  })
  afterEach(() => state.rig?.close())
  afterAll(async () => {
    await loaders.close()
    rmSync(blobFolder, { recursive: true, force: true })
  })
  return () => {
    if (!state.rig) throw new Error('not open')
    return state.rig
  }
}

export type Asked = {
  url?: string
  line?: number | undefined
  column?: number | undefined
  debugId?: string
  release?: string
  dist?: string
  /** The SDK version, prefixed with the name for SDKs other than the browser's. */
  sdk?: string
  /** Sent frames before the requested one. */
  frames?: object[]
  platform?: string
}

/** An event as stored in a project without mapped frames. */
export function eventOf(requested: Asked) {
  const { url = 'https://shop.test/a.js', debugId, release, dist, sdk = '10.0.0', platform = 'javascript' } = requested
  const place = {
    lineno: 'line' in requested ? requested.line : 1,
    colno: 'column' in requested ? requested.column : 10,
  }
  const frame = { filename: url, abs_path: url, function: 'a', in_app: true, ...place }
  const images = debugId ? { debug_meta: { images: [{ type: 'sourcemap', code_file: url, debug_id: debugId }] } } : {}
  const sent = {
    event_id: randomUUID().replaceAll('-', ''),
    platform,
    release,
    dist,
    ...images,
    sdk: { name: sdk.includes(' ') ? sdk.split(' ')[0] : 'sentry.javascript.browser', version: sdk.split(' ').at(-1) },
    exception: {
      values: [{ type: 'Error', value: 'x', stacktrace: { frames: [...(requested.frames ?? []), frame] } }],
    },
  }
  return refineEvent(sent, { receivedMs: eventMs })
}
