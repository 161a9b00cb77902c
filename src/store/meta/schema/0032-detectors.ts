import type { Dialect } from '../database/dialect.ts'

/** Detectors of a project as JSON (domain/detectors.ts): those that are off, and thresholds that differ from the defaults. */
export function statements(_dialect: Dialect): string[] {
  return ["alter table project add column detectors text not null default '{}'"]
}
