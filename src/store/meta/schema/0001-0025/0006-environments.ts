/** Environments that people hid in the selection lists. */
export function statements(): string[] {
  return ['alter table environment add column hidden integer not null default 0']
}
