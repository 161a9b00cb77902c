import type { Dialect } from '../../database/dialect.ts'

/**
 * The commits (release_commit, release_ref) and deploys (deploy) of a release. They belong to the version in the
 * organization, because builds send them for the version; a deploy lists its projects. Files of commits are stored with
 * the last part of their path (name), by which frames find them.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const organization = `organization_id ${bigint} not null references organization (id) on delete cascade`
  const commit = `commit_id ${bigint} not null references code_commit (id) on delete cascade`
  return [
    // listed: created by a person. The others are names from commits.
    `create table repository (id ${autoId}, ${organization}, name text not null, url text not null default '', listed integer not null default 0, created_ms ${bigint} not null, unique (organization_id, name))`,
    `create table code_commit (id ${autoId}, repository_id ${bigint} not null references repository (id) on delete cascade, sha text not null, message text, author_name text not null, author_email text not null, at_ms ${bigint} not null, files integer not null, files_omitted integer not null, unique (repository_id, sha))`,
    `create table commit_file (${commit}, path text not null, name text not null, type text not null, primary key (commit_id, path))`,
    `create table release_commit (${organization}, version text not null, place integer not null, ${commit}, primary key (organization_id, version, place))`,
    'create index release_commit_commit on release_commit (commit_id)',
    `create table release_ref (${organization}, version text not null, repository_id ${bigint} not null references repository (id) on delete cascade, sha text not null, previous_sha text not null, primary key (organization_id, version, repository_id))`,
    'create index release_ref_repository on release_ref (repository_id)',
    `create table deploy (id ${autoId}, ${organization}, version text not null, environment text not null, name text not null, url text not null, started_ms ${bigint}, finished_ms ${bigint} not null)`,
    'create index deploy_version on deploy (organization_id, version, finished_ms)',
    // finished_ms is repeated here, because the moments of a range are read by project and time.
    `create table deploy_project (deploy_id ${bigint} not null references deploy (id) on delete cascade, project_id ${bigint} not null references project (id) on delete cascade, finished_ms ${bigint} not null, primary key (project_id, finished_ms, deploy_id))`,
    'create index deploy_project_deploy on deploy_project (deploy_id)',
    'create index issue_first_release on issue (project_id, first_release)',
    'create index release_first on release (project_id, first_event_ms)',
  ]
}
