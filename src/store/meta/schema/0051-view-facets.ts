/** The facets that a reader added to a saved view of logs. Views that were saved before have none. */
export function statements(): string[] {
  return ["alter table saved_search add column facets text not null default '[]'"]
}
