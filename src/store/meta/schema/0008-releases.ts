import type { Dialect } from '../database/dialect.ts'

/**
 * What a release was made of (release_commit, release_ref) and where it went (deploy). They belong to the version in the
 * organization, as builds say them of the version; a deploy says which projects it is about. Files of commits stand with
 * their last part (name), by which frames find them.
 */
export function statements({ autoId, bigint }: Dialect): string[] {
  const organization = `organization_id ${bigint} not null references organization (id) on delete cascade`
  const commit = `commit_id ${bigint} not null references code_commit (id) on delete cascade`
  return [
    // listed: a person made it; the others are names that commits brought.
    `create table repository (id ${autoId}, ${organization}, name text not null, url text not null default '', listed integer not null default 0, created_ms ${bigint} not null, unique (organization_id, name))`,
    `create table code_commit (id ${autoId}, repository_id ${bigint} not null references repository (id) on delete cascade, sha text not null, message text, author_name text not null, author_email text not null, at_ms ${bigint} not null, files integer not null, files_omitted integer not null, unique (repository_id, sha))`,
    `create table commit_file (${commit}, path text not null, name text not null, type text not null, primary key (commit_id, path))`,
    `create table release_commit (${organization}, version text not null, place integer not null, ${commit}, primary key (organization_id, version, place))`,
    'create index release_commit_commit on release_commit (commit_id)',
    `create table release_ref (${organization}, version text not null, repository_id ${bigint} not null references repository (id) on delete cascade, sha text not null, previous_sha text not null, primary key (organization_id, version, repository_id))`,
    'create index release_ref_repository on release_ref (repository_id)',
    `create table deploy (id ${autoId}, ${organization}, version text not null, environment text not null, name text not null, url text not null, started_ms ${bigint}, finished_ms ${bigint} not null)`,
    'create index deploy_version on deploy (organization_id, version, finished_ms)',
    // finished_ms stands here too: marks of a range are read by project and time.
    `create table deploy_project (deploy_id ${bigint} not null references deploy (id) on delete cascade, project_id ${bigint} not null references project (id) on delete cascade, finished_ms ${bigint} not null, primary key (project_id, finished_ms, deploy_id))`,
    'create index deploy_project_deploy on deploy_project (deploy_id)',
    'create index issue_first_release on issue (project_id, first_release)',
    'create index release_first on release (project_id, first_event_ms)',
  ]
}
