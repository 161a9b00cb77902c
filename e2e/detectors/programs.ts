import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcp } from 'node:net'
import { join } from 'node:path'
import { startPostgres } from '../../src/store/meta/database/postgres/server.cases.ts'
import { root } from '../product.ts'
import { clean } from '../sdk/build.ts'
import type { Problem, Recording } from './recording.ts'
import type { Sink } from './sink.ts'

/** SDKs that run all programs. Version 11 streams spans unless it is told otherwise. */
const clients = [
  { name: 'node-11', sdk: join(root, 'node_modules/@sentry/node') },
  { name: 'node-11-static', sdk: join(root, 'node_modules/@sentry/node'), lifecycle: 'static' },
  { name: 'node-10', sdk: join(root, 'e2e/detectors/node_modules/@sentry/node-10') },
  { name: 'node-8', sdk: join(root, 'e2e/detectors/node_modules/@sentry/node-8') },
]
/** Programs that run at once. A busy machine would make every statement slow. */
const parallel = 3

const tables = `
  CREATE TABLE customers (id int PRIMARY KEY, name text); INSERT INTO customers SELECT n, 'c' || n FROM generate_series(1, 200) n;
  CREATE TABLE orders (id int PRIMARY KEY, customer_id int, status text, total int, day date, seen bool);
  INSERT INTO orders SELECT n, 1 + n % 200, 'new', n, '2026-01-01', false FROM generate_series(1, 400) n;
  CREATE TABLE products (id int PRIMARY KEY, name text); INSERT INTO products SELECT n, 'p' FROM generate_series(1, 100) n;
  CREATE TABLE order_items (id serial PRIMARY KEY, order_id int, product_id int, sku text, amount int);
  INSERT INTO order_items (order_id, product_id, sku, amount) SELECT 1 + n % 400, 1 + n % 100, 's', 1 FROM generate_series(1, 4000) n;
  CREATE TABLE audit (id serial PRIMARY KEY, order_id int); CREATE TABLE jobs (id serial PRIMARY KEY, state text);
  CREATE TABLE settings (name text, value text); CREATE TABLE members (id int, user_id int, team_id int, role text);
  CREATE TABLE categories (id int PRIMARY KEY, parent_id int); INSERT INTO categories SELECT n, n - 1 FROM generate_series(1, 20) n;
  CREATE VIEW slow_report AS SELECT '2026-01-01'::date AS day, 5 AS total FROM (SELECT pg_sleep(0.75)) s;
  CREATE VIEW slow_search AS SELECT 1 AS id, 'chair' AS title FROM (SELECT pg_sleep(1.1)) s;
  CREATE VIEW quick_report AS SELECT '2026-01-01'::date AS day, 5 AS total FROM (SELECT pg_sleep(0.28)) s;
  CREATE VIEW slower_report AS SELECT '2026-01-01'::date AS day, 5 AS total FROM (SELECT pg_sleep(2)) s;
  CREATE VIEW slowest_report AS SELECT '2026-01-01'::date AS day, 5 AS total FROM (SELECT pg_sleep(6)) s;
  CREATE FUNCTION slow_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.7); RETURN NEW; END $$;
  CREATE FUNCTION very_slow_key(id int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM pg_sleep(0.7); RETURN 1; END $$;
  CREATE TABLE slow_rows (id serial PRIMARY KEY, total int); INSERT INTO slow_rows (total) VALUES (1);
  CREATE TABLE slow_analyze AS SELECT n, md5(n::text) AS text FROM generate_series(1, 300000) n;
  ALTER TABLE slow_analyze ALTER text SET STATISTICS 10000;
  CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON slow_rows FOR EACH ROW EXECUTE FUNCTION slow_trigger();
  CREATE FUNCTION slow_statement() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.8); RETURN NULL; END $$;
  CREATE TABLE slow_deletes (id int); CREATE TRIGGER slow BEFORE DELETE ON slow_deletes EXECUTE FUNCTION slow_statement();
  CREATE TABLE deferred (total int);
  CREATE CONSTRAINT TRIGGER late AFTER INSERT ON deferred DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow_trigger();
  CREATE MATERIALIZED VIEW daily AS SELECT * FROM slow_report;`

/** A connection to the database over a network with this latency each way. */
async function delayed(port: number, ms: number): Promise<{ port: number; close(): void }> {
  const server = createTcp((near) => {
    const far = connect(port, '127.0.0.1')
    const pass = (from: typeof near, to: typeof near) => {
      from.setNoDelay(true)
      from.on('data', (data) => setTimeout(() => to.write(data), ms))
      from.on('end', () => setTimeout(() => to.end(), ms))
      from.on('close', () => setTimeout(() => to.destroy(), ms))
      from.on('error', () => to.destroy())
    }
    pass(near, far)
    pass(far, near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

/** Another service: it answers after the time and with the status that a request names. */
async function upstream(): Promise<{ url: string; close(): void }> {
  const server = createServer((req, res) => {
    setTimeout(
      () => res.writeHead(Number(req.headers['x-status'] ?? 200)).end('{}'),
      Number(req.headers['x-delay'] ?? 0),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

type Listed = { name: string; expected: Problem[]; variants?: number }
type Done = { name: string; run: string; trace?: string; error?: string }
type FromChild = {
  ready?: { port: number; programs: Listed[] }
  call?: { name: string; run: string; headers: Record<string, string> }
  done?: Done
}

/** Starts the programs under one SDK. Requests come from this process, which has no SDK. */
async function start(env: Record<string, string>) {
  const child: ChildProcess = fork(join(root, 'e2e/detectors/node/main.cjs'), [], {
    env: { ...clean(), ...env },
  })
  const waiting = new Map<string, (done: Done) => void>()
  const ready = Promise.withResolvers<Required<FromChild>['ready']>()
  child.on('message', async ({ ready: started, call, done }: FromChild) => {
    if (started) ready.resolve(started)
    if (done) waiting.get(done.run)?.(done)
    if (!call) return
    const { port } = await ready.promise
    const headers = { ...call.headers, 'x-run': call.run }
    const answer = await fetch(`http://127.0.0.1:${port}/run/${call.name}`, { headers })
    child.send({ answered: { run: call.run, body: await answer.text(), status: answer.status } })
  })
  child.once('exit', (code) => ready.reject(new Error(`the programs ended with ${code}`)))
  const { programs } = await ready.promise
  return {
    programs,
    run: (name: string, run: string) =>
      new Promise<Done>((resolve) => {
        waiting.set(run, resolve)
        child.send({ name, run })
      }),
    end: () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve())
        child.send({ end: true })
      }),
  }
}

/** Runs all programs under one SDK. */
async function runAll(sink: Sink, client: (typeof clients)[number], env: Record<string, string>): Promise<Recording[]> {
  const own = { SDK: client.sdk, ...(client.lifecycle ? { LIFECYCLE: client.lifecycle } : {}), DSN: sink.dsn }
  const child = await start({ ...env, ...own })
  const place = clients.indexOf(client)
  const wanted = child.programs.filter(({ variants }) => variants === undefined || place < variants)
  const traces: { listed: Listed; trace: string }[] = []
  const queue = [...wanted.entries()]
  const next = async (): Promise<void> => {
    const entry = queue.shift()
    if (!entry) return
    const [at, listed] = entry
    const run = (0x10000000 + place * 1000 + at).toString(16)
    const { trace, error } = await child.run(listed.name, run)
    if (error || !trace) console.log(`${client.name} ${listed.name}: ${error ?? 'no trace'}`)
    else traces.push({ listed, trace })
    await next()
  }
  await Promise.all(Array.from({ length: parallel }, next))
  await child.end()
  return traces.flatMap(({ listed: { name, expected }, trace }): Recording[] => {
    const envelopes = sink.take(trace)
    if (envelopes.length === 0) console.log(`${client.name} ${name}: nothing was sent`)
    return envelopes.length === 0 ? [] : [{ program: name, client: client.name, expected, envelopes }]
  })
}

/** Records the programs of Node.js under each SDK. */
export async function recordPrograms(sink: Sink): Promise<Recording[]> {
  const server = await startPostgres()
  await server.sql('postgres', 'CREATE DATABASE shop')
  await server.sql('shop', tables)
  const [near, far, slow] = await Promise.all([2, 6, 20].map((ms) => delayed(server.port, ms)))
  const [one, two] = await Promise.all([upstream(), upstream()])
  const urlOf = (port: number | undefined) => server.url('shop').replace(`:${server.port}`, `:${port}`)
  const env = {
    POSTGRES_FAST: server.url('shop'),
    POSTGRES_NEAR: urlOf(near?.port),
    POSTGRES_FAR: urlOf(far?.port),
    POSTGRES_SLOW: urlOf(slow?.port),
    UPSTREAM: one?.url ?? '',
    UPSTREAM_OTHER: two?.url ?? '',
  }
  const found: Recording[] = []
  for (const client of clients) {
    const recorded = await runAll(sink, client, env)
    console.log(`${client.name}: ${recorded.length} traces`)
    found.push(...recorded)
  }
  for (const part of [near, far, slow, one, two]) part?.close()
  await server.remove()
  return found
}
