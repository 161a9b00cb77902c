/** Environments that people took out of the lists to choose from. */
export function statements(): string[] {
  return ['alter table environment add column hidden integer not null default 0']
}
