// Runs the programs under an official SDK. Requests reach it over HTTP at /run/<program>; the parent process sends them.
const Sentry = require(process.env.SDK)

const { DSN: dsn, LIFECYCLE: lifecycle } = process.env
Sentry.init({
  dsn,
  release: 'detectors@1.0.0',
  tracesSampleRate: 1,
  ...(lifecycle ? { traceLifecycle: lifecycle } : {}),
})

// After the SDK, which patches these modules while they load.
const http = require('node:http')
const pg = require('pg')
const programs = {
  ...require('./queries.cjs').programs,
  ...require('./statements.cjs').programs,
  ...require('./requests.cjs').programs,
}

const url = (latency) => process.env[`POSTGRES_${latency}`]
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const kinds = {
  job: ['process', 'queue.process'],
  migration: ['migrate', 'db.migration'],
  start: ['warm up', 'app.start'],
}

const span = (name, op, run) => Sentry.startSpan({ name, op }, run)

const single = ['fast', 'near', 'far', 'slow', 'other']

/** Clients that are connected before the request, as those of a server are. Only those that the program names. */
async function warmClients(name) {
  const text = String(programs[name].run)
  const uses = (client) => new RegExp(`\\b${client}\\b`).test(text)
  const open = {}
  await Sentry.suppressTracing(async () => {
    for (const client of single.filter(uses)) {
      open[client] = new pg.Client({ connectionString: url(client === 'other' ? 'FAST' : client.toUpperCase()) })
      await open[client].connect()
    }
    if (uses('tinyPool')) open.tinyPool = new pg.Pool({ connectionString: url('FAST'), max: 1 })
    if (!uses('farPool')) return
    open.farPool = new pg.Pool({ connectionString: url('FAR'), max: 20 })
    const pooled = await Promise.all(Array.from({ length: 20 }, () => open.farPool.connect()))
    for (const client of pooled) client.release()
  })
  const close = () => Promise.all(Object.values(open).map((client) => client.end().catch(() => undefined)))
  return { open, close }
}

const fetched =
  (base, method) =>
  async (path, ms, status = 200) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { 'x-delay': String(ms), 'x-status': String(status) },
    })
    await answer.text()
  }

const request = (path, ms) =>
  new Promise((resolve, reject) => {
    http
      .get(`${process.env.UPSTREAM}${path}`, { headers: { 'x-delay': String(ms) } }, (answer) => {
        answer.resume()
        answer.on('end', resolve)
      })
      .on('error', reject)
  })

async function runProgram(name, open) {
  const [one, two] = [process.env.UPSTREAM, process.env.UPSTREAM_OTHER]
  const calls = { get: fetched(one, 'GET'), post: fetched(one, 'POST'), getOther: fetched(two, 'GET'), request }
  await programs[name].run({ ...open, ...calls, span, wait })
}

const traceId = () => Sentry.getActiveSpan()?.spanContext().traceId

const server = http.createServer(async (incoming, answer) => {
  const name = incoming.url.split('/')[2]
  try {
    await runProgram(name, running.get(incoming.headers['x-run']))
    answer.end(traceId())
  } catch (error) {
    answer.writeHead(500).end(String(error.stack))
  }
})

const running = new Map()

async function runJob(name, kind, open) {
  const [title, op] = kinds[kind]
  return await Sentry.startNewTrace(() =>
    Sentry.startSpan({ name: `${title} ${name}`, op, forceTransaction: true }, async () => {
      const id = traceId()
      await runProgram(name, open)
      return id
    }),
  )
}

/** A request from outside, without a span of this process around it. */
const call = (name, run, headers) =>
  new Promise((resolve, reject) => {
    process.send({ call: { name, run, headers } })
    calls.set(run, { resolve, reject })
  })
const calls = new Map()

async function record(name, run) {
  const { kind, requests = 1 } = programs[name]
  const { open, close } = await warmClients(name)
  try {
    if (kind !== 'request') return await runJob(name, kind, open)
    running.set(run, open)
    const trace = [run, run].join('').padEnd(32, '0').slice(0, 32)
    let id = ''
    for (let at = 0; at < requests; at++)
      id = await call(name, run, requests > 1 ? { 'sentry-trace': `${trace}-${trace.slice(0, 16)}-1` } : {})
    return id
  } finally {
    running.delete(run)
    await close()
  }
}

process.on('message', async (message) => {
  if (message.answered) {
    const { run, body, status } = message.answered
    const { resolve, reject } = calls.get(run)
    if (status === 200) resolve(body)
    else reject(new Error(body))
    return
  }
  if (message.end) {
    await Sentry.close(5000)
    process.exit(0)
  }
  const { name, run } = message
  try {
    process.send({ done: { name, run, trace: await record(name, run) } })
  } catch (error) {
    process.send({ done: { name, run, error: String(error.stack) } })
  }
})

server.listen(0, '127.0.0.1', () => {
  const list = Object.entries(programs).map(([name, { expected, variants }]) => ({ name, expected, variants }))
  process.send({ ready: { port: server.address().port, programs: list } })
})
