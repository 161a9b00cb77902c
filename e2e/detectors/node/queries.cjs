// Programs that run statements. `expected` says which problem the program has; nobody looked at a detector's verdict.
const list = 'SELECT id, customer_id FROM orders ORDER BY id LIMIT $1'
const rowsOf = async (db, count) => (await db.query(list, [count])).rows
const each = async (rows, run) => {
  for (const row of rows) await run(row)
}
const items = 'SELECT * FROM order_items WHERE order_id = $1'
const range = (count) => Array.from({ length: count }, (_, at) => at + 1)

/** An own query for each row of a list. */
const repeated = {
  'order-items': {
    run: async ({ far }) => each(await rowsOf(far, 20), ({ id }) => far.query(items, [id])),
  },
  'few-slow-rows': {
    run: async ({ slow }) => each(await rowsOf(slow, 7), ({ id }) => slow.query(items, [id])),
  },
  'many-near-rows': {
    run: async ({ near }) => each(await rowsOf(near, 60), ({ id }) => near.query(items, [id])),
  },
  'lazy-limit-one': {
    run: async ({ far }) =>
      each(await rowsOf(far, 12), ({ customer_id: id }) =>
        far.query('SELECT "customers".* FROM "customers" WHERE "customers"."id" = $1 LIMIT 1', [id]),
      ),
  },
  'span-per-row': {
    run: async ({ far, span }) =>
      each(await rowsOf(far, 14), ({ id }) => span('serialize order', 'function', () => far.query(items, [id]))),
  },
  resolvers: {
    run: async ({ far, span }) => {
      const rows = await span('query.orders', 'graphql.resolve', () => rowsOf(far, 11))
      await each(rows, ({ id }) => span(`orders.${id}.items`, 'graphql.resolve', () => far.query(items, [id])))
    },
  },
  'two-queries-per-row': {
    run: async ({ far }) =>
      each(await rowsOf(far, 10), async ({ id, customer_id: customer }) => {
        await far.query(items, [id])
        await far.query('SELECT name FROM customers WHERE id = $1', [customer])
      }),
  },
  'nested-loops': {
    run: async ({ far }) =>
      each(await rowsOf(far, 5), async ({ id }) => {
        const { rows } = await far.query('SELECT product_id FROM order_items WHERE order_id = $1 LIMIT 4', [id])
        await each(rows, (row) => far.query('SELECT * FROM products WHERE id = $1', [row.product_id]))
      }),
  },
  'loaded-before': {
    run: async ({ far, span }) => {
      const rows = await span('load', 'middleware', () => rowsOf(far, 16))
      await span('view', 'view', () => each(rows, ({ id }) => far.query(items, [id])))
    },
  },
  'pool-per-row': {
    run: async ({ farPool }) => each(await rowsOf(farPool, 15), ({ id }) => farPool.query(items, [id])),
  },
  literals: {
    run: async ({ far }) =>
      each(await rowsOf(far, 13), ({ id }) =>
        far.query(`SELECT sku, amount FROM order_items WHERE order_id = ${id} AND sku <> 'x${id}'`),
      ),
  },
  'count-per-row': {
    run: async ({ far }) =>
      each(await rowsOf(far, 9), ({ id }) => far.query('SELECT count(*) FROM order_items WHERE order_id = $1', [id])),
  },
  'rows-of-a-job': {
    kind: 'job',
    run: async ({ far }) => each(await rowsOf(far, 25), ({ id }) => far.query(items, [id])),
  },
  'in-with-one': {
    run: async ({ far }) =>
      each(await rowsOf(far, 12), ({ id }) =>
        far.query('SELECT "id", "sku" FROM "public"."order_items" WHERE "order_id" IN ($1) OFFSET $2', [id, 0]),
      ),
  },
  'cache-misses': {
    run: async ({ far }) =>
      each(await rowsOf(far, 36), ({ id }) => (id % 3 === 0 ? far.query(items, [id]) : undefined)),
  },
  'within-a-transaction': {
    run: async ({ far }) => {
      await far.query('BEGIN')
      await each(await rowsOf(far, 18), ({ id }) => far.query(items, [id]))
      await far.query('COMMIT')
    },
  },
}

const counted = 'SELECT count(*) FROM orders WHERE status = $1'
const statuses = ['new', 'paid', 'packed', 'sent', 'returned']

/** Programs that look like it. */
const similar = {
  'parallel-pool': {
    run: async ({ farPool }) => Promise.all((await rowsOf(farPool, 20)).map(({ id }) => farPool.query(items, [id]))),
  },
  'parallel-five': {
    run: async ({ farPool }) => Promise.all(range(5).map((id) => farPool.query(items, [id]))),
  },
  'parallel-one-connection': {
    run: async ({ far }) => Promise.all((await rowsOf(far, 10)).map(({ id }) => far.query(items, [id]))),
  },
  'batches-with-in': {
    run: async ({ far }) => {
      await rowsOf(far, 60)
      const marks = range(50).map((at) => `$${at}`)
      for (const start of range(8))
        await far.query(
          `SELECT * FROM order_items WHERE order_id IN (${marks.join(', ')})`,
          range(50).map((at) => start * 50 + at),
        )
    },
  },
  'batches-with-any': {
    run: async ({ far }) => {
      await rowsOf(far, 60)
      for (const start of range(9))
        await far.query('SELECT * FROM order_items WHERE order_id = ANY($1)', [range(50).map((at) => start * 50 + at)])
    },
  },
  'pages-by-offset': {
    run: async ({ far }) => {
      await far.query('SELECT count(*) FROM orders')
      for (const page of range(12)) await far.query('SELECT * FROM orders ORDER BY id LIMIT 20 OFFSET $1', [page * 20])
    },
  },
  'pages-by-key': {
    run: async ({ far }) => {
      await far.query('SELECT min(id) FROM orders')
      for (const page of range(12))
        await far.query('SELECT * FROM orders WHERE id > $1 ORDER BY id LIMIT 20', [page * 20])
    },
  },
  polling: {
    run: async ({ far, wait }) => {
      await far.query("INSERT INTO jobs (state) VALUES ('waiting') RETURNING id")
      await rowsOf(far, 1)
      for (const _ of range(8)) {
        await far.query('SELECT state FROM jobs WHERE id = $1', [1])
        await wait(150)
      }
    },
  },
  'quick-polling': {
    run: async ({ far, wait }) => {
      await rowsOf(far, 1)
      for (const _ of range(12)) {
        await far.query('SELECT state FROM jobs WHERE id = $1', [1])
        await wait(50)
      }
    },
  },
  'retries-of-a-failure': {
    run: async ({ far }) => {
      await rowsOf(far, 3)
      for (const _ of range(7))
        await far.query('SELECT total / 0 FROM orders WHERE id = $1', [1]).catch(() => undefined)
    },
  },
  'insert-loop': {
    run: async ({ far }) =>
      each(await rowsOf(far, 15), ({ id }) => far.query('INSERT INTO audit (order_id) VALUES ($1)', [id])),
  },
  'update-loop': {
    run: async ({ far }) =>
      each(await rowsOf(far, 12), ({ id }) => far.query('UPDATE orders SET seen = true WHERE id = $1', [id])),
  },
  'four-rows': {
    run: async ({ slow }) => each(await rowsOf(slow, 4), ({ id }) => slow.query(items, [id])),
  },
  'quick-rows': {
    run: async ({ fast }) => each(await rowsOf(fast, 9), ({ id }) => fast.query(items, [id])),
  },
  'one-batch': {
    run: async ({ far }) => {
      const rows = await rowsOf(far, 40)
      await far.query('SELECT * FROM order_items WHERE order_id = ANY($1)', [rows.map(({ id }) => id)])
    },
  },
  'cache-warm-up': {
    kind: 'start',
    run: async ({ far }) =>
      each(range(20), (id) => far.query('SELECT value FROM settings WHERE name = $1', [`setting-${id}`])),
  },
  'cursor-fetches': {
    kind: 'job',
    run: async ({ far }) => {
      await far.query('BEGIN')
      await far.query('DECLARE export CURSOR FOR SELECT * FROM orders')
      for (const _ of range(10)) await far.query('FETCH 50 FROM export')
      await far.query('COMMIT')
    },
  },
  dashboard: {
    run: async ({ far }) => {
      for (const table of ['orders', 'order_items', 'products', 'customers', 'audit', 'jobs', 'settings', 'categories'])
        await far.query(`SELECT count(*) FROM ${table}`)
    },
  },
  'five-statuses': {
    run: async ({ far }) => {
      await far.query('SELECT name FROM customers WHERE id = $1', [1])
      for (const status of statuses) await far.query(counted, [status])
    },
  },
  'seven-days': {
    run: async ({ far }) => {
      await far.query('SELECT name FROM customers WHERE id = $1', [1])
      for (const day of range(7))
        await far.query('SELECT sum(total) FROM orders WHERE day >= $1 AND day < $2', [
          `2026-01-0${day}`,
          `2026-01-0${day + 1}`,
        ])
    },
  },
  'session-statements': {
    run: async ({ farPool }) => {
      await rowsOf(farPool, 2)
      for (const _ of range(10)) await farPool.query('SELECT 1')
    },
  },
  sequences: {
    run: async ({ far }) =>
      each(await rowsOf(far, 8), async ({ id }) => {
        await far.query("SELECT nextval('audit_id_seq')")
        await far.query('INSERT INTO audit (order_id) VALUES ($1)', [id])
      }),
  },
  'up-the-tree': {
    run: async ({ far }) => {
      let id = 12
      while (id > 1) {
        const { rows } = await far.query('SELECT parent_id FROM categories WHERE id = $1', [id])
        id = rows[0]?.parent_id ?? 1
      }
    },
  },
  'worker-takes-jobs': {
    kind: 'job',
    run: async ({ far }) => {
      await rowsOf(far, 1)
      for (const _ of range(8)) {
        await far.query('SELECT id FROM jobs ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED')
        await far.query('UPDATE jobs SET state = $1 WHERE id = $2', ['done', 1])
      }
    },
  },
  'repeated-permission-check': {
    run: async ({ far }) => {
      for (const table of ['orders', 'order_items', 'products', 'customers', 'audit', 'jobs']) {
        await far.query('SELECT role FROM members WHERE user_id = $1 AND team_id = $2', [1, 1])
        await far.query(`SELECT id FROM ${table} LIMIT 1`)
      }
    },
  },
}

/** A request of its own for each query, in one trace. */
const manyRequests = {
  'query-in-each-request': {
    requests: 8,
    run: async ({ far }) => far.query('SELECT * FROM customers WHERE id = $1', [1]),
  },
  'two-rows-in-each-request': {
    requests: 6,
    run: async ({ far }) => each(await rowsOf(far, 2), ({ id }) => far.query(items, [id])),
  },
}

const expecting = (programs, expected) =>
  Object.fromEntries(
    Object.entries(programs).map(([name, program]) => [name, { expected, kind: 'request', ...program }]),
  )

module.exports = {
  expecting,
  range,
  programs: {
    ...expecting(repeated, ['nPlusOne']),
    ...expecting({ ...similar, ...manyRequests }, []),
  },
}
