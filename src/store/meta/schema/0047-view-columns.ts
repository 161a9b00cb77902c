/** The columns that a saved view of logs shows. Views that were saved before show none. */
export function statements(): string[] {
  return ["alter table saved_search add column columns text not null default '[]'"]
}
