import type { ClickHouseClient } from '@clickhouse/client'
import { expect, test } from 'vitest'
import { encodeEventRow } from './encode.ts'
import type { EventStore } from './event-store.ts'
import { row } from './events.cases.ts'
import { olderTables } from './schema/settings.ts'

/** Cases of writes that are on disk when they are answered. `client` asks the engine of the store. */
export function syncCases(store: () => EventStore, client: ClickHouseClient): void {
  const ask = async <T>(query: string) => (await client.query({ query, format: 'JSONEachRow' })).json<T>()
  const syncs = async () =>
    Number((await ask<{ n: string }>("SELECT sum(value) AS n FROM system.events WHERE event = 'FileSync'"))[0]?.n ?? 0)
  const partsOf = async (table: string) =>
    Number(
      (await ask<{ n: string }>(`SELECT uniqExact(_part) AS n FROM mishap.${table} WHERE project_id = 977`))[0]?.n ?? 0,
    )

  test('a deletion has synced the parts that it wrote anew, when it is answered', async () => {
    await store().insert('events', Buffer.from(encodeEventRow(row(1_000_000, { projectId: 977 }))), 'synced:1')
    for (const table of ['events', 'issue_time', 'hour_issue']) {
      const [parts, before] = [await partsOf(table), await syncs()]
      await client.command({ query: `DELETE FROM mishap.${table} WHERE project_id = 977` })
      expect([table, parts > 0, (await syncs()) - before >= 5 * parts]).toEqual([table, true, true])
    }
  })

  test('a data folder made before gets the settings at its next start', async () => {
    const settings =
      'min_rows_to_fsync_after_merge = 0, min_compressed_bytes_to_fsync_after_merge = 0, fsync_after_insert = 1, fsync_part_directory = 1'
    await client.command({ query: `ALTER TABLE mishap.hour_issue MODIFY SETTING ${settings}` })
    await client.command({ query: 'ALTER TABLE mishap.issue_time MODIFY SETTING max_compress_block_size = 1048576' })
    await client.command({
      query: 'ALTER TABLE mishap.events MODIFY COLUMN user_hash RESET SETTING min_compress_block_size',
    })
    const made = async (table = 'hour_issue') =>
      (
        await ask<{ made: string }>(
          `SELECT create_table_query AS made FROM system.tables WHERE database = 'mishap' AND name = '${table}'`,
        )
      )[0]?.made ?? ''
    expect(await made()).toContain('min_rows_to_fsync_after_merge = 0')
    const smallBlocks = 'SETTINGS (min_compress_block_size = 4096, max_compress_block_size = 8192)'
    const columnsOf = async () => (await made('events')).split(smallBlocks).length - 1
    expect(await columnsOf()).toBe(2)
    await store().migrate()
    expect(await columnsOf()).toBe(3)
    expect(await made('issue_time')).toContain('max_compress_block_size = 8192')
    expect(await made()).not.toContain('max_compress_block_size')
    expect(await made()).toContain('min_rows_to_fsync_after_merge = 1')
    expect(await made()).toContain('min_compressed_bytes_to_fsync_after_merge = 1')
    expect(await made()).toContain('max_parts_to_merge_at_once = 10')
  })

  test('an older table gets its texts in one stream, once, and no statistics of its columns', async () => {
    const older = async () =>
      (await ask<{ name: string }>(olderTables(['logs', 'spans']).replace('{database:String}', "'mishap'"))).map(
        ({ name }) => name,
      )
    expect(await older()).toEqual([])
    const before = "string_serialization_version = 'with_size_stream', materialize_statistics_on_merge = 1"
    await client.command({ query: `ALTER TABLE mishap.spans MODIFY SETTING ${before}` })
    expect(await older()).toEqual(['spans'])
    await store().migrate()
    expect(await older()).toEqual([])
  })
}
