/** Suspect commits look up changed files by name: a release can have 400 commits of thousands of files each. */
export function statements(): string[] {
  return ['create index commit_file_name on commit_file (commit_id, name)']
}
