/** Suspects ask for changed files by their names: a release may have 400 commits of thousands of files each. */
export function statements(): string[] {
  return ['create index commit_file_name on commit_file (commit_id, name)']
}
