import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { createArtifacts } from '../operations/artifacts.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import type { ArtifactFile } from '../store/meta/artifacts/artifacts.ts'
import { nowMs, openTestMeta, withProject } from '../store/meta/fixture.cases.ts'
import { readUploadedRoutes } from './uploaded-routes.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-uploaded-routes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function* pieces(text: string) {
  yield Buffer.from(text)
}

test('names of files and manifests give a release its routes, once, also after a restart', async () => {
  const clock = testClock(nowMs)
  const meta = await withProject(await openTestMeta(join(folder, 'meta.sqlite'), { clock }))
  const blobs = openFileBlobs(join(folder, 'blobs'))
  const artifacts = createArtifacts({ clock, observe: silent, meta, blobs, freeBytes: async () => 1e12 })
  const upload = (release: string, url: string, text = 'x') =>
    artifacts.addFile({
      organizationId: 1,
      projectIds: [1],
      release,
      stream: pieces(text),
      about: async () => ({ url, dist: '', headers: {} }),
    })
  const read = () => {
    clock.advance(5000)
    return readUploadedRoutes({ clock, observe: silent, meta, blobs })
  }
  const routes = async () => (await meta.projects.routeSettings(1)).uploaded
  try {
    expect([await read(), await routes()]).toEqual([{ releases: 0 }, undefined])
    await upload('shop@1', '~/_next/static/chunks/app/orders/[id]/page-0123456789abcdef.js')
    await upload('shop@1', '~/_next/static/chunks/main-0123456789abcdef.js')
    expect(await read()).toEqual({ releases: 1 })
    expect(await read()).toEqual({ releases: 0 })
    clock.advance(5)
    await upload(
      'shop@1',
      '~/routes-manifest.json',
      '{"staticRoutes":[{"page":"/"}],"dynamicRoutes":[{"page":"/blog/[slug]"}]}',
    )
    await upload('shop@2', '~/routes-manifest.json', '{"staticRoutes":')
    await upload('shop@3', '~/routes-manifest.json', `{"staticRoutes":[{"page":"/${'x'.repeat(5_000_000)}"}]}`)
    expect(await read()).toEqual({ releases: 1 })
    expect(await routes()).toEqual([{ releases: ['shop@1'], routes: ['/', '/blog/[slug]', '/orders/[id]'] }])
    const range = { ms: 0, bundleId: 0, untilMs: clock.now() }
    const all = await meta.artifacts.linksAfter(range, 100)
    // Places of one bundle are not divided, and an idle product reads nothing again.
    expect((await meta.artifacts.linksAfter(range, 2)).map(({ bundleId }) => bundleId)).toEqual(
      all.slice(0, 2).map(({ bundleId }) => bundleId),
    )
    const last = all.at(-1)
    expect(await meta.values.getValue('uploaded-routes')).toBe(`${last?.createdMs} ${last?.bundleId}`)
    const after = { ...range, ms: last?.createdMs ?? 0, bundleId: last?.bundleId ?? 0 }
    expect(await meta.artifacts.linksAfter(after, 100)).toEqual([])
    // What was learned and what people wrote stays.
    await meta.projects.setLearnedRoutes(1, ['/users'])
    expect(await meta.projects.routeSettings(1)).toMatchObject({
      learned: ['/users'],
      uploaded: [{ releases: ['shop@1'] }],
    })
    expect((await meta.projects.projectSettings(1))?.routes?.uploaded).toEqual(await routes())
  } finally {
    await meta.close()
  }
})

test('a bundle of hostile lists is read in part, once, and not again after a fault', async () => {
  const clock = testClock(nowMs)
  const meta = await withProject(await openTestMeta(join(folder, 'hostile.sqlite'), { clock }))
  const opened: string[] = []
  const fileOf = (n: number): ArtifactFile => ({
    ...({} as ArtifactFile),
    id: n + 1,
    url: `~/${n}/routes-manifest.json`,
    bytes: 0,
  })
  const link = { bundleId: 7, projectId: 1, release: 'shop@9', dist: '', createdMs: nowMs }
  const hostile = (isBroken: boolean) => ({
    ...meta,
    artifacts: {
      ...meta.artifacts,
      linksAfter: async ({ ms, bundleId }: { ms: number; bundleId: number }) =>
        ms === nowMs && bundleId === 7 ? [] : [link],
      filesOf: async ({ afterId }: { afterId: number }) => {
        if (isBroken) throw new Error('killed')
        return afterId > 0 ? [] : Array.from({ length: 60 }, (_, n) => fileOf(n))
      },
    },
  })
  const blobs = {
    reader: async () => {
      opened.push('file')
      throw new Error('unused')
    },
  }
  try {
    const deps = (isBroken: boolean) => ({ clock, observe: silent, meta: hostile(isBroken), blobs: blobs as never })
    expect(await readUploadedRoutes(deps(false))).toEqual({ releases: 0 })
    expect(opened).toHaveLength(5)
    await meta.values.setValue('uploaded-routes', '0')
    await expect(readUploadedRoutes(deps(true))).rejects.toThrow('killed')
    expect(await readUploadedRoutes(deps(true))).toEqual({ releases: 0 })
  } finally {
    await meta.close()
  }
})
