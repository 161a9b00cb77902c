import { insertedId, type Store } from '../database/store.ts'
import { recordArrival } from '../ingest/missing-source-maps.ts'
import { type ArtifactStore, type BundleLink, type NewArtifactFile, toBundle } from './artifacts.ts'

/** Maximum ids per statement. */
const chunk = 500
const dayMs = 86_400_000

/** Key that is equal for identical files. */
const printOf = (item: { entry: string; type: string; url: string; debugId: string; bytes: number; crc: number }) =>
  JSON.stringify([item.entry, item.type, item.url, item.debugId, item.bytes, item.crc])

type WritePart = Pick<ArtifactStore, 'addBundle' | 'sameBundle' | 'linkBundle'>

/** Links a bundle to projects and records the arrival of new links. Returns their number. */
async function addLinks(
  { write, dialect: { builder } }: Store,
  id: number,
  links: readonly BundleLink[],
  nowMs: number,
): Promise<number> {
  let sum = 0
  for (const { projectId, release, dist } of links) {
    const row = { bundle_id: id, project_id: projectId, release, dist, created_ms: nowMs }
    const insert = builder.insertInto('artifact_link').values(row)
    const { changes } = await write.run(insert.onConflict((conflict) => conflict.doNothing()))
    if (changes > 0) await recordArrival(write, builder, projectId, id, nowMs)
    sum += changes
  }
  return sum
}

/** Records which bundle an upload with this checksum is. */
async function nameBundle(
  { write, dialect: { builder } }: Store,
  organizationId: number,
  checksum: string,
  id: number,
): Promise<void> {
  const row = { organization_id: organizationId, checksum, bundle_id: id }
  const insert = builder.insertInto('artifact_checksum').values(row)
  await write.run(
    insert.onConflict((conflict) => conflict.columns(['organization_id', 'checksum']).doUpdateSet({ bundle_id: id })),
  )
}

/** Implements additions of bundles. */
export function bundleWritePart(store: Store): WritePart {
  const { write } = store
  const { builder } = store.dialect
  return {
    sameBundle: (organizationId, uuid, checksum, files) =>
      write.transaction(async () => {
        const signature = files.map(printOf).sort().join()
        const named = builder.selectFrom('artifact_bundle').selectAll().where('uuid', '=', uuid)
        for (const row of await write.all(
          named.where('organization_id', '=', organizationId).where('kind', '=', 'bundle'),
        )) {
          const rows = await write.all(builder.selectFrom('artifact_file').selectAll().where('bundle_id', '=', row.id))
          const found = rows.map((item) => printOf({ ...item, debugId: item.debug_id })).sort()
          if (found.join() !== signature) continue
          await nameBundle(store, organizationId, checksum, row.id)
          return toBundle(row)
        }
        return undefined
      }),
    addBundle: (bundle, files, links) =>
      write.transaction(async () => {
        const { createdMs, organizationId, uuid, checksum, kind, blobKey, bytes } = bundle
        const id = await insertedId(
          write,
          builder.insertInto('artifact_bundle').values({
            organization_id: organizationId,
            uuid,
            checksum,
            kind,
            blob_key: blobKey,
            bytes,
            files: files.length,
            created_ms: createdMs,
            used_ms: createdMs,
          }),
        )
        const insert = write.prepared<NewArtifactFile & { text: string }, unknown>((slot) =>
          builder.insertInto('artifact_file').values({
            bundle_id: id,
            entry: slot('entry'),
            type: slot('type'),
            debug_id: slot('debugId'),
            url: slot('url'),
            headers: slot('text'),
            bytes: slot('bytes'),
            at: slot('at'),
            packed: slot('packed'),
            method: slot('method'),
            crc: slot('crc'),
          }),
        )
        for (const file of files) await insert.run({ ...file, text: JSON.stringify(file.headers) })
        await addLinks(store, id, links, createdMs)
        if (kind === 'bundle') await nameBundle(store, organizationId, checksum, id)
        return { ...bundle, id, files: files.length, usedMs: createdMs }
      }),
    linkBundle: (id, links, nowMs) => write.transaction(async () => addLinks(store, id, links, nowMs)),
  }
}

/** Implements removals of bundles, and the time of their last use. */
export function bundleCleanupPart({
  write,
  dialect: { builder },
}: Store): Pick<ArtifactStore, 'removeBundle' | 'touchBundles' | 'dropBundles'> {
  return {
    removeBundle: (id, projectId, release) =>
      write.transaction(async () => {
        const links = builder
          .deleteFrom('artifact_link')
          .where('bundle_id', '=', id)
          .where('project_id', '=', projectId)
        await write.run(release === undefined ? links : links.where('release', '=', release))
        if (await write.get(builder.selectFrom('artifact_link').select('bundle_id').where('bundle_id', '=', id)))
          return undefined
        const row = await write.get(builder.selectFrom('artifact_bundle').select('blob_key').where('id', '=', id))
        await write.run(builder.deleteFrom('artifact_bundle').where('id', '=', id))
        return row?.blob_key
      }),
    touchBundles: async (ids, nowMs) => {
      for (let start = 0; start < ids.length; start += chunk)
        await write.run(
          builder
            .updateTable('artifact_bundle')
            .set({ used_ms: nowMs })
            .where('id', 'in', ids.slice(start, start + chunk))
            .where('used_ms', '<', nowMs - dayMs),
        )
    },
    dropBundles: (beforeMs) =>
      write.transaction(async () => {
        const rows = await write.all(
          builder.selectFrom('artifact_bundle').select(['id', 'blob_key']).where('used_ms', '<', beforeMs),
        )
        for (const { id } of rows) await write.run(builder.deleteFrom('artifact_bundle').where('id', '=', id))
        return rows.map((row) => row.blob_key)
      }),
  }
}

/** Deletes bundles of this project only. Returns blob keys to delete. The caller opens the transaction. */
export async function dropBundlesOf({ write, dialect: { builder } }: Store, projectId: number): Promise<string[]> {
  const elsewhere = builder.selectFrom('artifact_link').select('bundle_id').where('project_id', '!=', projectId)
  const ownBundles = builder.selectFrom('artifact_link').select('bundle_id').where('project_id', '=', projectId)
  const rows = await write.all(
    builder
      .selectFrom('artifact_bundle')
      .select(['id', 'blob_key'])
      .where('id', 'in', ownBundles)
      .where('id', 'not in', elsewhere),
  )
  for (const { id } of rows) await write.run(builder.deleteFrom('artifact_bundle').where('id', '=', id))
  return rows.map((row) => row.blob_key)
}
