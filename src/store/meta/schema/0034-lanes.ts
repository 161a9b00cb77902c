import type { Dialect } from '../database/dialect.ts'

/**
 * A cursor for each lane of the journal: row 1 is lane `events`, row 2 lane `bulk`. Both begin where the only cursor was.
 * Records of earlier versions name no lane: they are in lane `events`, and so are the batches that are open.
 */
export function statements(_dialect: Dialect): string[] {
  return [
    "alter table batch add column lane text not null default 'events'",
    'insert into cursor (id, jpos) select 2, jpos from cursor where id = 1',
  ]
}
