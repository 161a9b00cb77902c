import type { Dialect } from '../../database/dialect.ts'

/**
 * Uploads of builds: waiting chunks (chunk), bundles (artifact_bundle), their files (artifact_file) and places
 * (artifact_link), and releases that were created before an event named them (made_release).
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const project = `project_id ${bigint} not null references project (id) on delete cascade`
  const bundle = `bundle_id ${bigint} not null references artifact_bundle (id) on delete cascade`
  return [
    // No reference: a chunk is deleted at its expiry, together with its bytes.
    `create table chunk (organization_id ${bigint} not null, checksum text not null, bytes ${bigint} not null, blob_key text not null, expires_ms ${bigint} not null, primary key (organization_id, checksum))`,
    'create index chunk_expires on chunk (expires_ms)',
    `create table artifact_bundle (id ${autoId}, organization_id ${bigint} not null references organization (id) on delete cascade, uuid text not null, checksum text not null, kind text not null, blob_key text not null unique, bytes ${bigint} not null, files integer not null, created_ms ${bigint} not null, used_ms ${bigint} not null)`,
    // Clients send the same files as other bytes for another release, so a bundle can have several checksums.
    `create table artifact_checksum (organization_id ${bigint} not null, checksum text not null, ${bundle}, primary key (organization_id, checksum))`,
    'create index artifact_checksum_bundle on artifact_checksum (bundle_id)',
    'create index artifact_bundle_uuid on artifact_bundle (uuid)',
    'create index artifact_bundle_used on artifact_bundle (used_ms)',
    `create table artifact_link (${bundle}, ${project}, release text not null, dist text not null, created_ms ${bigint} not null, primary key (bundle_id, project_id, release, dist))`,
    'create index artifact_link_project on artifact_link (project_id, release, dist, bundle_id)',
    `create table artifact_file (id ${autoId}, ${bundle}, entry text not null, type text not null, debug_id text not null, url text not null, headers text not null, bytes ${bigint} not null, at ${bigint} not null, packed ${bigint} not null, method integer not null, crc ${bigint} not null)`,
    "create index artifact_file_debug on artifact_file (debug_id, bundle_id) where debug_id != ''",
    'create index artifact_file_url on artifact_file (bundle_id, url)',
    `create table made_release (organization_id ${bigint} not null, ${project}, version text not null, created_ms ${bigint} not null, released_ms ${bigint}, url text not null default '', ref text not null default '', primary key (organization_id, version, project_id))`,
    'create index made_release_project on made_release (project_id, created_ms)',
  ]
}
