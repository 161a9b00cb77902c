// Programs with statements that take long.
const { expecting, range } = require('./queries.cjs')

const report = 'SELECT * FROM slow_report WHERE day = $1'

const slow = {
  'slow-report': { run: ({ fast }) => fast.query(report, ['2026-01-01']) },
  'very-slow-report': {
    run: ({ fast }) => fast.query('SELECT day, total FROM slower_report ORDER BY total DESC LIMIT $1', [10]),
  },
  'slow-join': {
    run: async ({ fast }) => {
      await fast.query('SELECT name FROM customers WHERE id = $1', [1])
      await fast.query(
        'SELECT o.id, r.total FROM orders o JOIN slow_report r ON r.day = o.day WHERE o.customer_id = $1',
        [1],
      )
    },
  },
  'slow-update': { run: ({ fast }) => fast.query('UPDATE slow_rows SET total = total + $1 WHERE id = $2', [1, 1]) },
  'slow-insert': { run: ({ fast }) => fast.query('INSERT INTO slow_rows (total) VALUES ($1)', [5]) },
  'slow-in-a-view': {
    run: ({ fast, span }) => span('render', 'view', () => fast.query(`${report} LIMIT 5`, ['2026-01-01'])),
  },
  'slow-search': {
    run: ({ fast }) => fast.query("SELECT id FROM slow_search WHERE title ILIKE '%' || $1 || '%'", ['chair']),
  },
  'cancelled-by-timeout': {
    run: async ({ fast }) => {
      await fast.query("SET statement_timeout = '900ms'")
      await fast.query('SELECT * FROM slowest_report WHERE day = $1', ['2026-01-01']).catch(() => undefined)
      await fast.query("SET statement_timeout = '0'")
    },
  },
  'slow-twice': {
    run: async ({ fast }) => {
      await fast.query(report, ['2026-01-01'])
      await fast.query(report, ['2026-01-01'])
    },
  },
  'slow-within-a-transaction': {
    run: async ({ fast }) => {
      await fast.query('BEGIN')
      await fast.query('SELECT sum(total) FROM slow_report WHERE day < $1', ['2026-02-01'])
      await fast.query('COMMIT')
    },
  },
  'slow-delete': { run: ({ fast }) => fast.query('DELETE FROM slow_deletes WHERE id = $1', [1]) },
  'slow-with': {
    run: ({ fast }) =>
      fast.query('WITH r AS (SELECT * FROM slow_report) SELECT sum(total) FROM r WHERE total > $1', [1]),
  },
  'slow-count': { run: ({ fast }) => fast.query('SELECT count(*) FROM slow_search') },
  'slow-in-a-pool': { run: ({ farPool }) => farPool.query('SELECT avg(total) FROM slow_report') },
  'slow-after-quick-ones': {
    run: async ({ near }) => {
      for (const table of ['orders', 'products', 'customers']) await near.query(`SELECT id FROM ${table} LIMIT 1`)
      await near.query('SELECT id, title FROM slow_search ORDER BY title LIMIT $1', [20])
    },
  },
  'job-over-six-seconds': {
    kind: 'job',
    run: ({ fast }) => fast.query('SELECT sum(total) FROM slowest_report WHERE day < $1', ['2026-02-01']),
  },
}

let tables = 0

const long = {
  'create-index': { kind: 'migration', run: ({ fast }) => fast.query(`CREATE INDEX ON slow_rows (very_slow_key(id))`) },
  'create-table-as': {
    kind: 'migration',
    run: ({ fast }) => fast.query(`CREATE TABLE copy_${process.pid}_${++tables} AS SELECT * FROM slow_report`),
  },
  'alter-table': {
    kind: 'migration',
    run: ({ fast }) => fast.query('ALTER TABLE slow_rows ADD CHECK (very_slow_key(id) > 0)'),
  },
  'backfill-of-a-migration': {
    kind: 'migration',
    run: ({ fast }) => fast.query('UPDATE slow_rows SET total = 0 WHERE total IS NULL OR id = 1'),
  },
  'refresh-view': { kind: 'job', run: ({ fast }) => fast.query('REFRESH MATERIALIZED VIEW daily') },
  'refresh-view-on-request': { run: ({ fast }) => fast.query('REFRESH MATERIALIZED VIEW daily') },
  'slow-commit': {
    run: async ({ fast }) => {
      await fast.query('BEGIN')
      await fast.query('INSERT INTO deferred (total) VALUES ($1)', [1])
      await fast.query('COMMIT')
    },
  },
  'advisory-lock': {
    run: async ({ fast, other, wait }) => {
      await other.query('SELECT pg_advisory_lock(7)')
      const waiting = fast.query('SELECT pg_advisory_lock(7)')
      await wait(800)
      await other.query('SELECT pg_advisory_unlock(7)')
      await waiting
      await fast.query('SELECT pg_advisory_unlock(7)')
    },
  },
  'waits-for-a-connection': {
    run: async ({ tinyPool, wait }) => {
      const client = await tinyPool.connect()
      const waiting = tinyPool.query('SELECT name FROM customers WHERE id = $1', [1])
      await wait(900)
      client.release()
      await waiting
    },
  },
  'nightly-export': { kind: 'job', run: ({ fast }) => fast.query('SELECT day, total FROM slow_report ORDER BY day') },
  'long-nightly-export': {
    kind: 'job',
    run: ({ fast }) => fast.query('SELECT day, total FROM slower_report ORDER BY day'),
  },
  'sleep-on-purpose': { run: ({ fast }) => fast.query('SELECT pg_sleep(0.7)') },
  'below-the-limit': { run: ({ fast }) => fast.query('SELECT total FROM quick_report WHERE day = $1', ['2026-01-01']) },
  'many-short-statements': {
    run: async ({ slow }) => {
      for (const table of [
        'orders',
        'order_items',
        'products',
        'customers',
        'audit',
        'jobs',
        'settings',
        'categories',
        'members',
        'slow_rows',
      ])
        for (const column of ['id', 'count(*)', 'max(id)'])
          await slow.query(`SELECT ${column} FROM ${table} LIMIT 1`).catch(() => undefined)
    },
  },
  'copy-out': { kind: 'job', run: ({ fast }) => fast.query("COPY (SELECT * FROM slow_report) TO '/dev/null'") },
  'cleanup-job': { kind: 'job', run: ({ fast }) => fast.query('DELETE FROM slow_deletes WHERE id < $1', [100]) },
  'waits-for-a-table-lock': {
    run: async ({ fast, other, wait }) => {
      await other.query('BEGIN')
      await other.query('LOCK TABLE settings')
      await fast.query('BEGIN')
      const waiting = fast.query('LOCK TABLE settings')
      await wait(700)
      await other.query('COMMIT')
      await waiting
      await fast.query('COMMIT')
    },
  },
  'fetch-of-a-slow-cursor': {
    kind: 'job',
    run: async ({ fast }) => {
      await fast.query('BEGIN')
      await fast.query('DECLARE nightly CURSOR FOR SELECT * FROM slow_report')
      await fast.query('FETCH ALL FROM nightly')
      await fast.query('COMMIT')
    },
  },
  listens: {
    run: async ({ fast, other, wait }) => {
      await fast.query('LISTEN changes')
      await wait(700)
      await other.query("NOTIFY changes, 'x'")
      await fast.query('UNLISTEN changes')
    },
  },
  'drop-column': {
    kind: 'migration',
    run: async ({ fast }) => {
      await fast.query('ALTER TABLE slow_rows ADD COLUMN note text')
      await fast.query('UPDATE slow_rows SET note = $1', [''])
      await fast.query('ALTER TABLE slow_rows DROP COLUMN note')
    },
  },
  vacuum: { kind: 'job', run: ({ fast }) => fast.query('ANALYZE slow_analyze') },
  'busy-process': {
    // The statement takes a millisecond. Its answer waits until the process has finished other work.
    run: async ({ fast }) => {
      const answer = fast.query('SELECT name FROM customers WHERE id = $1', [1])
      const end = Date.now() + 750
      while (Date.now() < end) Math.sqrt(end)
      await answer
    },
    variants: 1,
  },
}

module.exports = { programs: { ...expecting(slow, ['slowQuery']), ...expecting(long, []) }, range }
