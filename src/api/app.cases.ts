import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import { createAlerts } from '../alert/alert.ts'
import type { AlertDeps } from '../alert/deps.ts'
import type { Mail } from '../alert/send/mailer.ts'
import { smtpOf } from '../alert/smtp.ts'
import { readableProjects } from '../auth/allowed-projects.ts'
import { createAuth } from '../auth/create.ts'
import { quick } from '../auth/rig.cases.ts'
import { createSeal } from '../auth/seal.ts'
import { systemClock } from '../base/clock.ts'
import { readConfig } from '../base/config.ts'
import { silent } from '../base/observe.ts'
import type { OutcomeCount } from '../base/outcome.ts'
import { createOutgoing } from '../base/outgoing.ts'
import { createRecent } from '../base/recent.ts'
import { createExports } from '../jobs/exports.ts'
import { createRemovals } from '../jobs/removals.ts'
import { createTriage } from '../jobs/triage.ts'
import { createUnmerge } from '../jobs/unmerge.ts'
import { unpackDeadLetter } from '../journal/dead-letter.ts'
import { createArtifacts } from '../operations/artifacts.ts'
import { createHookCalls } from '../operations/hook-calls.ts'
import type { App } from '../processes/parts.ts'
import { exportAsk } from '../query/explore/export-ask.ts'
import { issueCountsAge } from '../query/issues/issue-counts.ts'
import { releaseStagesAge } from '../query/release-stages.ts'
import { createDoctor } from '../refine/pipeline/doctor.ts'
import { refineEvent } from '../refine/pipeline/fixture.cases.ts'
import { createGroupingPreview } from '../refine/pipeline/grouping.ts'
import { createMapCache } from '../refine/symbolicate/map-cache.ts'
import { createEventRate } from '../serve/event-rate.ts'
import { createLive } from '../serve/live.ts'
import { createReaders } from '../serve/readers.ts'
import { createRequestLog } from '../serve/request-log.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import { createEventStore } from '../store/events/clickhouse.ts'
import { encodeEventRow } from '../store/events/encode.ts'
import { startTestEngine } from '../store/events/engine.cases.ts'
import { tableSizes } from '../store/events/tables.cases.ts'
import { createFolderBytes } from '../store/folder-bytes.ts'
import { openTestMeta } from '../store/meta/fixture.cases.ts'
import type { Organization, Project, Role } from '../store/meta/meta.ts'
import { createRoutes } from './api.ts'
import { routes } from './routes.ts'

/** The app for API tests: real stores, no main process. */
export type TestApp = {
  app: App
  organization: Organization
  project: Project
  token: string
  /** Notifications that would have been sent. */
  sent: { mails: Mail[]; posts: { url: string; body: unknown }[]; again: number[] }
  /** Refines events and stores them as one batch. Attachments belong to the first event. */
  store(
    events: Record<string, unknown>[],
    attachments?: { name: string; type: string; bytes: string }[],
  ): Promise<string[]>
  call(
    method: string,
    path: string,
    options?: { body?: unknown; token?: string | null; headers?: Record<string, string> },
  ): Promise<{ status: number; json: never; text: string; headers: Headers }>
  close(): Promise<void>
}

const allScopes = ['org:admin', 'project:admin', 'event:admin']

type AlertParts = Pick<AlertDeps, 'meta' | 'events' | 'open' | 'seal' | 'smtp'> & { sent: TestApp['sent'] }

/** Notifications without a network. A host named `broken` fails. */
function alertDeps({ sent, ...parts }: AlertParts): AlertDeps {
  return {
    ...parts,
    clock: systemClock,
    observe: silent,
    authorEmails: async () => [],
    facts: async (message) => ({ message, note: '' }),
    url: 'http://mishap.test',
    mailer: {
      send: async (_settings, mail) => {
        sent.mails.push(mail)
        return '250 queued'
      },
      close() {},
    },
    outgoing: {
      send: async ({ url, body = '' }) => {
        if (new URL(url).hostname === 'broken.test') throw new Error('The call failed (ECONNREFUSED).')
        sent.posts.push({ url, body: typeof body === 'string' ? JSON.parse(body) : body })
        return { status: 200, headers: {}, body: Buffer.alloc(0), url, address: '' }
      },
    },
  }
}

/** Opens the stores in an empty folder with an organization "acme", its owner, and a project "web". */
export async function openTestApp(): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-api-'))
  const socketPath = join(folder, 'engine.sock')
  const engine = await startTestEngine(join(folder, 'events'), socketPath)
  const read = readConfig({ '--data': folder, '--port': '9', '--host': '127.0.0.1', '--url': 'http://mishap.test' }, {})
  if ('error' in read) throw new Error(read.error.sentence)
  const meta = await openTestMeta(join(folder, 'meta.sqlite'), { clock: systemClock })
  const auth = await createAuth({
    meta,
    secret: 'x'.repeat(40),
    url: read.config.url,
    clock: systemClock,
    observe: silent,
    hashing: quick,
  })
  const events = createEventStore({
    url: 'http://localhost',
    socketPath,
    database: 'mishap',
    observe: silent,
    clock: systemClock,
  })
  await events.migrate()
  const blobs = openFileBlobs(join(folder, 'blobs'))
  const seal = createSeal('x'.repeat(40))
  const desk = createMapCache({
    clock: systemClock,
    observe: silent,
    meta,
    blobs,
    blobSource: { folder: join(folder, 'blobs') },
  })
  const sent: TestApp['sent'] = { mails: [], posts: [], again: [] }
  const alerts = createAlerts(
    alertDeps({ meta, events, sent, open: seal.open, seal: seal.seal, smtp: () => smtpOf({ meta, seal }) }),
  )
  const live = createLive(1000)
  const app: App = {
    seal,
    readers: createReaders(systemClock, live.isHeard, async () => undefined),
    alerts,
    hookCalls: createHookCalls({ clock: systemClock, meta, observe: silent }),
    outgoing: createOutgoing({ clock: systemClock, allowedNetworks: ['127.0.0.0/8'] }),
    triage: createTriage({
      clock: systemClock,
      observe: silent,
      meta,
      events,
      alerts,
      live,
      seal,
      projectsFor: (person, of) => readableProjects({ meta, auth }, { kind: 'session', person }, of),
      url: read.config.url,
    }),
    version: '0.1.0',
    startedMs: systemClock.now(),
    config: read.config,
    clock: systemClock,
    observe: silent,
    meta,
    events,
    blobs,
    auth,
    removals: createRemovals({
      clock: systemClock,
      observe: silent,
      meta,
      events,
      blobs,
      pause: async () => () => undefined,
      removed: async () => undefined,
    }),
    artifacts: createArtifacts({
      clock: systemClock,
      observe: silent,
      meta,
      blobs,
      freeBytes: async () => Number.MAX_SAFE_INTEGER,
    }),
    exports: createExports({
      clock: systemClock,
      observe: silent,
      meta,
      blobs,
      askOf: (value, signal) => exportAsk(app, value, signal),
      roomBytes: async (taken) => 64 * 2 ** 20 - taken,
    }),
    doctor: createDoctor({
      clock: systemClock,
      meta,
      events,
      blobs,
      url: read.config.url,
      retentionDays: read.config.retentionErrorsDays,
      mapCache: () => desk,
    }),
    grouping: createGroupingPreview(),
    unmerge: createUnmerge({ clock: systemClock, meta, events, pause: async () => () => undefined }),
    live,
    journal: async () => ({ lagBytes: 0, waitingRecords: 0, oldestWaitingMs: 0, eventsWaitingMs: 0, boundBytes: 1 }),
    waitsFor: () => undefined,
    caughtUp: async () => undefined,
    // A minute ahead, so that what a test has just stored is in a whole minute.
    processedTo: async () => ({ events: systemClock.now() + 60_000, bulk: systemClock.now() + 60_000 }),
    engineUp: () => true,
    blobState: () => ({ up: true, reason: null }),
    eventsServer: () => undefined,
    publishKeys: async () => {},
    requestLog: createRequestLog(),
    eventRate: createEventRate(systemClock),
    issueCounts: createRecent(systemClock, issueCountsAge),
    releaseStages: createRecent(systemClock, releaseStagesAge),
    bytesUnder: createFolderBytes(systemClock),
    disk: async () => {
      const tables = tableSizes({ events: { rows: 1, bytes: 1 } })
      return { tables, blobs: 1, database: 1, copies: 0, stored: 3, budget: null }
    },
    jobs: () => [],
    replayDeadLetter: async (item) => void sent.again.push(item.id),
    deadLetterCount: async ({ blobKey }) =>
      1 + (unpackDeadLetter((await blobs.get(blobKey)) ?? Buffer.alloc(0))?.count.spans ?? 0),
    requestId: () => undefined,
    selfDsn: async () => undefined,
    takeSelfTrace: () => false,
  }
  const owner = await auth.createPerson({
    name: 'Olga',
    email: 'owner@example.test',
    password: 'correct horse battery',
  })
  const organization = await meta.organizations.createOrganization({
    slug: 'acme',
    name: 'Acme',
    ownerUserId: owner.id,
  })
  const project = await meta.projects.createProject({
    organizationId: organization.id,
    slug: 'web',
    name: 'Web',
    platform: 'javascript-react',
  })
  const key = await meta.projects.createKey(project.id, 'Default')
  const { secret: token } = await auth.createToken(owner, 'test', allScopes, null)
  const hono = createRoutes(app)
  let jpos = 1
  return {
    app,
    organization,
    project,
    token,
    sent,
    async store(list, attachments = []) {
      const { grouping } = (await meta.projects.projectSettings(project.id)) ?? {}
      const head = { projectId: project.id, organizationId: organization.id, keyId: key.id }
      const refined = list.map((event) =>
        refineEvent(event, { ...head, receivedMs: systemClock.now() }, grouping ? { grouping } : {}),
      )
      const batch = await meta.batches.openBatch(jpos, jpos + 1)
      await events.insert(
        'events',
        Buffer.from(refined.map((item) => encodeEventRow({ ...item.row, jpos })).join('')),
        `test:${jpos}`,
      )
      const first = refined[0]
      const rows = await Promise.all(
        attachments.map(async ({ name, type, bytes }, i) => {
          const blobKey = `attachments/${jpos}-${i}`
          await blobs.put(blobKey, Buffer.from(bytes))
          return {
            projectId: project.id,
            eventId: first?.row.eventId ?? '',
            name,
            type: 'event.attachment',
            contentType: type,
            bytes: bytes.length,
            blobKey,
            receivedMs: systemClock.now(),
          }
        }),
      )
      const stored: OutcomeCount = {
        projectId: project.id,
        keyId: key.id,
        category: 'error',
        outcome: 'stored',
        reason: 'ok',
        itemType: 'event',
        quantity: list.length,
        bytes: 100,
      }
      // Like the worker: counts the received envelope separately from the outcome.
      const outcomes: OutcomeCount[] = [
        stored,
        { ...stored, category: 'default', outcome: 'received', itemType: 'envelope' },
      ]
      await meta.batches.commitBatch(
        batch,
        { events: refined.map((item) => item.effect), attachments: rows, outcomes, dead: [] },
        systemClock.now(),
      )
      jpos++
      return refined.map((item) => item.row.eventId)
    },
    async call(method, path, { body, token: own = token, headers = {} } = {}) {
      const request = new Request(`http://mishap.test/api/0${path}`, {
        method,
        headers: { ...(own === null ? {} : { authorization: `Bearer ${own}` }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const answer = await hono.fetch(request)
      const text = await answer.text()
      if (answer.headers.get('content-type')?.startsWith('application/json'))
        holdToShape(method, path, answer.status, text)
      return {
        status: answer.status,
        json: (answer.headers.get('content-type')?.startsWith('application/json')
          ? JSON.parse(text)
          : undefined) as never,
        text,
        headers: answer.headers,
      }
    },
    async close() {
      await app.hookCalls.stop()
      await desk.close()
      await events.close()
      await meta.close()
      const ended = once(engine, 'exit')
      engine.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Checks a successful answer against the response schema of its route. */
function holdToShape(method: string, path: string, status: number, text: string): void {
  if (status >= 300) return
  const plain = (path.split('?', 1)[0] ?? '').replace(/(.)\/$/, '$1')
  const fits = (pattern: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(plain)
  // A literal path takes precedence over one with a parameter, as in the router.
  const route = routes
    .filter((item) => item.method === method && fits(item.path))
    .sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0]
  if (!route) throw new Error(`no route for ${method} ${path}`)
  if (route.produces !== undefined) return
  const read = route.response.safeParse(JSON.parse(text))
  if (!read.success)
    throw new Error(`${method} ${path} breaks its shape: ${z.prettifyError(read.error)}\n${text.slice(0, 500)}`)
}

/** An app for a test file, opened before its tests and closed after them. */
export function appForFile() {
  const state: { open?: TestApp } = {}
  const made = (): TestApp => {
    if (!state.open) throw new Error('not open')
    return state.open
  }
  beforeAll(async () => {
    state.open = await openTestApp()
  })
  afterAll(() => state.open?.close())

  /** Returns a person with a role in the organization (null: none) and a new token. The name identifies the person. */
  async function personAs(role: Role | null, scopes: readonly string[] = allScopes, name: string = role ?? 'stranger') {
    const { app, organization } = made()
    const email = `${name.toLowerCase()}@example.test`
    const person =
      (await app.auth.personByEmail(email)) ??
      (await app.auth.createPerson({ name, email, password: 'another long password' }))
    if (role) await app.meta.organizations.setMember(organization.id, person.id, role)
    return { ...person, token: (await app.auth.createToken(person, 't', [...scopes], null)).secret }
  }
  const call: TestApp['call'] = (...words) => made().call(...words)
  return { made, call, personAs }
}
