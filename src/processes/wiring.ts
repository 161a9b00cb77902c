import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Alerts, createAlerts } from '../alert/alert.ts'
import { withFacts } from '../alert/facts.ts'
import type { IssueRules } from '../alert/issue-rules.ts'
import { smtpOf } from '../alert/smtp.ts'
import { readableProjects } from '../auth/allowed-projects.ts'
import { type Backups, createBackups } from '../backup/backup.ts'
import { copyFoldersOf } from '../backup/leftovers.ts'
import { MishapError } from '../base/errors.ts'
import { freeBytesOf } from '../base/free-bytes.ts'
import { faultOf } from '../base/observe.ts'
import { createOutgoing } from '../base/outgoing.ts'
import { originAllowed } from '../ingest/origins.ts'
import { createDetecting, type Detecting } from '../jobs/detectors.ts'
import { type DiskState, measureDisk } from '../jobs/disk.ts'
import { createDownsampling, type Downsampling } from '../jobs/downsampling.ts'
import { createExports, type Exports } from '../jobs/exports.ts'
import { createLock, type Lock } from '../jobs/lock.ts'
import { createRemovals, type Removals } from '../jobs/removals.ts'
import { createReprocessing, type Reprocessing } from '../jobs/reprocessing.ts'
import { createScraping, type Scraping, scrapeLimits } from '../jobs/scrape.ts'
import { createTriage, type Triage } from '../jobs/triage.ts'
import { type Artifacts, createArtifacts } from '../operations/artifacts.ts'
import { ensureSelfProject } from '../operations/self-project.ts'
import { exportAsk } from '../query/explore/export-ask.ts'
import { authorEmailsOf } from '../query/issues/issue-authors.ts'
import { createDoctor, type Doctor } from '../refine/pipeline/doctor.ts'
import { createRefine, type Refine } from '../refine/pipeline/refine.ts'
import { mapOf } from '../refine/pipeline/scripts.ts'
import { type Append, createAppend } from '../serve/append.ts'
import type { createLag } from '../serve/lag.ts'
import type { Live } from '../serve/live.ts'
import type { AppSetup } from '../serve/messages.ts'
import { watchLoop } from '../serve/metrics.ts'
import { createReplay } from '../serve/replay.ts'
import type { RequestLog } from '../serve/request-log.ts'
import { prepareRowsFolder } from '../store/events/row-file.ts'
import type { BatchResult } from '../store/meta/meta.ts'
import { blobSourceOf } from './blob-source.ts'
import type { App } from './parts.ts'
import type { Link } from './publish-keys.ts'

const metricsMs = 5000

/** Groups a commit's issues by organization and project and notifies the listeners. */
function publishCommit(live: Live, result: BatchResult): void {
  const byOrganization = new Map<number, Map<number, BatchResult['issues']>>()
  for (const issue of result.issues) {
    const projects = byOrganization.get(issue.organizationId) ?? new Map<number, BatchResult['issues']>()
    byOrganization.set(issue.organizationId, projects)
    projects.set(issue.projectId, [...(projects.get(issue.projectId) ?? []), issue])
  }
  for (const [organizationId, projects] of byOrganization) {
    live.publish(organizationId, {
      kind: 'events',
      projects: [...projects].map(([id, issues]) => ({
        id: String(id),
        issues: issues.map((issue) => ({ id: String(issue.id), events: issue.events, isNew: issue.isNew })),
      })),
    })
  }
}

/** Deletes data across the stores. Then screens reload, and ingest learns of deleted keys. */
export function wireRemovals(
  { live, config, ...parts }: Pick<App, 'config' | 'clock' | 'observe' | 'meta' | 'events' | 'blobs' | 'live'>,
  pause: () => Promise<() => void>,
  publishKeys: () => Promise<void>,
): Removals {
  return createRemovals({
    ...parts,
    pause,
    removed: async ({ kind, issueId, organizationId }) => {
      // The screens report to the oldest organization, which can be a different one now.
      const [first] =
        kind === 'organization' && config.selfReporting ? await parts.meta.organizations.organizations() : []
      if (first) await ensureSelfProject(parts.meta, first.id)
      if (issueId === null) await publishKeys()
      else live.publish(organizationId, { kind: 'issue', id: String(issueId) })
    },
  })
}

/** Reprocesses events that arrived before their build's upload, in parallel to refine. */
export function wireReprocessing(
  { artifacts, live, ...parts }: Pick<App, 'clock' | 'observe' | 'meta' | 'events' | 'artifacts' | 'live'>,
  lock: Lock,
  refine: () => Refine,
): Reprocessing {
  const reprocessing = createReprocessing({
    ...parts,
    lock,
    pause: () => refine().pause(),
    remapRows: (projectId, rows) => refine().reprocessRows(projectId, rows),
    waiting: () => refine().waiting(),
    changed: ({ organizationId, issues, merged }) => {
      for (const id of [...issues, ...merged]) live.publish(organizationId, { kind: 'issue', id: String(id) })
    },
  })
  artifacts.onUploaded(() => reprocessing.trigger())
  return reprocessing
}

/** Uploads of builds. In the data folder they leave the same disk reserve free as the journal. */
export function wireArtifacts({
  config,
  ...parts
}: Pick<App, 'config' | 'clock' | 'observe' | 'meta' | 'blobs'>): Artifacts {
  const freeBytes = async () => {
    if (parts.blobs.isRemote) return Number.POSITIVE_INFINITY
    return (await freeBytesOf(config.data)) - config.diskReserveBytes
  }
  return createArtifacts({ ...parts, freeBytes })
}

/** Bytes that the files of exports may have together: a tenth of the disk budget, if it is limited. */
const exportBytesMax = 8 * 1024 ** 3

/** Exports read like Explore, and leave the disk reserve free. */
export function wireExports(
  { config, ...parts }: Pick<App, 'config' | 'clock' | 'observe' | 'meta' | 'events' | 'blobs' | 'auth' | 'readers'>,
  disk: () => Promise<DiskState>,
): Exports {
  return createExports({
    ...parts,
    askOf: (value, signal) => exportAsk({ ...parts, config }, value, signal),
    roomBytes: async (taken) => {
      const { budget } = await disk()
      const free = parts.blobs.isRemote
        ? Number.POSITIVE_INFINITY
        : (await freeBytesOf(config.data)) - config.diskReserveBytes
      return Math.min(free, Math.min(exportBytesMax, (budget ?? Number.POSITIVE_INFINITY) / 10) - taken)
    },
  })
}

/** The doctor uses the source map cache of refine. */
export const wireDoctor = (
  { config, ...parts }: Pick<App, 'config' | 'clock' | 'meta' | 'events' | 'blobs'>,
  refine: () => Refine,
): Doctor =>
  createDoctor({
    ...parts,
    url: config.url,
    retentionDays: config.retentionErrorsDays,
    mapCache: () => refine().mapCache,
  })

/** Fetches public scripts, through the outgoing client that refuses private addresses. */
export function wireScraping({ clock, observe, meta, artifacts, config, seal }: App): Scraping {
  return createScraping({
    clock,
    observe,
    meta,
    artifacts,
    mapOf,
    open: seal.open,
    random: Math.random,
    outgoing: createOutgoing({ clock, allowedNetworks: config.outgoingNetworks, ...scrapeLimits }),
    allowed: (url, origins) => originAllowed(new URL(url).origin, [...origins]),
  })
}

export type Maintenance = {
  downsampling: Downsampling
  backups: Backups
  lock: Lock
  disk(): Promise<DiskState>
  pause(): Promise<() => void>
}

/** Creates the disk budget, backups, and a pause of all background changes: refine, downsampling, retention. */
export function wireDownsampling(
  {
    bytesUnder,
    ...parts
  }: Pick<AppSetup, 'config' | 'folders' | 'version'> &
    Pick<App, 'clock' | 'observe' | 'meta' | 'events' | 'blobs' | 'bytesUnder'>,
  pauseRefine: () => Promise<() => void>,
): Maintenance {
  const { data, diskBudget: budget } = parts.config
  const lock = createLock()
  const pause = async () => {
    const release = await lock()
    const resume = await pauseRefine().catch((error: unknown) => {
      release()
      throw error
    })
    return () => {
      resume()
      release()
    }
  }
  const backups = createBackups({ ...parts, data, pause })
  const copies = { copyFolders: () => copyFoldersOf(data), copying: backups.running }
  const disk = () =>
    measureDisk({ ...parts, data, budget, bytesUnder, ...copies, isRemote: parts.config.events !== undefined })
  const downsampling = createDownsampling({ ...parts, lock, pause: pauseRefine, measure: disk })
  return { lock, disk, pause, backups, downsampling }
}

/** Starts in the background. If it fails, the process exits and restarts: it would ingest but show nothing. */
export function runInBackground(started: Promise<void>, { observe }: App, isStopping: () => boolean): void {
  started.catch((error: unknown) => {
    if (isStopping()) return
    observe.error({ error: faultOf(error) }, 'refine could not start; it restarts')
    process.exit(70)
  })
}

/** Creates the jobs of triage and of mails to people. */
export const wireTriage = (
  parts: Pick<App, 'config' | 'clock' | 'observe' | 'meta' | 'events' | 'live' | 'alerts' | 'seal' | 'auth'>,
): Triage =>
  createTriage({
    ...parts,
    url: parts.config.url,
    projectsFor: (person, organization) => readableProjects(parts, { kind: 'session', person }, organization),
  })

/** Creates notifications with their only outgoing client. */
export function wireAlerts(
  parts: Pick<App, 'config' | 'clock' | 'observe' | 'meta' | 'events' | 'seal' | 'auth' | 'readers'>,
): Alerts {
  const { config, clock, observe, meta, events, seal } = parts
  return createAlerts({
    clock,
    observe,
    meta,
    events,
    authorEmails: (issue) => authorEmailsOf(parts, issue),
    facts: (message) => withFacts(parts, message),
    outgoing: createOutgoing({ clock, allowedNetworks: config.outgoingNetworks }),
    url: config.url,
    open: seal.open,
    seal: seal.seal,
    smtp: () => smtpOf({ meta, seal }),
  })
}

/** Creates refine and connects the receivers of its commits. */
export function wireRefine(
  app: App,
  setup: AppSetup,
  lag: ReturnType<typeof createLag>,
  link: Link,
  issueRules: Pick<IssueRules, 'kick'>,
): Refine {
  const { clock, observe, meta, events, blobs, live, alerts, config } = app
  return createRefine({
    clock,
    observe,
    meta,
    events,
    blobs,
    workers: config.refineWorkers,
    worker: {
      journalFolder: setup.folders.journal,
      blobSource: blobSourceOf(config, setup.folders),
      // A ClickHouse server reads no files of this machine.
      ...(config.events ? {} : { rowsPrefix: prepareRowsFolder(setup.folders.engine) }),
    },
    artifacts: meta,
    readers: app.readers,
    committed: (result) => {
      publishCommit(live, result)
      live.committed()
      app.eventRate.add(result.issues)
      if (!result.issues.some((issue) => issue.isNew || issue.regressed)) return
      alerts.kick()
      issueRules.kick()
    },
    ended: (outcomes) => app.requestLog.complete(outcomes),
    trim: (before) => {
      lag.done(before)
      link.send({ kind: 'trim', before })
    },
    failed: (error) => {
      // A restart would fail the same way. Main prints what to do and exits.
      if (error instanceof MishapError && error.code === 'START_JOURNAL_BEHIND')
        return link.send({ kind: 'refused', code: error.code, sentence: error.message })
      observe.error({ error: faultOf(error) }, 'refine stopped; it restarts')
      process.exit(70)
    },
  })
}

/** Creates the way into the journal, and the replay of dead letters through it. */
export function wireAppend(
  { clock, meta, blobs }: Pick<App, 'clock' | 'meta' | 'blobs'>,
  link: Link,
  requestLog: Pick<RequestLog, 'record'>,
) {
  const append = createAppend({ clock, blobs, send: link.send })
  const logged = (entry: Parameters<RequestLog['record']>[0][number]) => requestLog.record([entry])
  return { append, replay: createReplay({ clock, meta, blobs, append: append.append, logged }) }
}

/** Creates the detectors. What they find goes to the journal, so that refine stores and counts it once. */
export const wireDetecting = (
  { clock, meta, events }: Pick<App, 'clock' | 'meta' | 'events'>,
  append: Append['append'],
): Detecting =>
  createDetecting({
    clock,
    meta,
    events,
    append: ({ id, organizationId }, body) =>
      append(
        {
          kind: 'detection',
          receivedMs: clock.now(),
          projectId: id,
          organizationId,
          keyId: 0,
          clientAddress: '',
          userAgent: '',
          origin: '',
          contentType: 'application/json',
        },
        body,
      ),
  })

/** Sends the metrics of this process to process main every 5 s. Returns a function that stops it. */
export function reportMetrics(app: App, setup: AppSetup, refine: Refine, link: Link): () => void {
  const loop = watchLoop()
  const bytesOf = (file: string) => statSync(join(setup.folders.meta, file), { throwIfNoEntry: false })?.size ?? 0
  const report = async () => {
    const files = readdirSync(setup.folders.meta)
    const metrics = {
      journal: await app.journal(),
      refine: refine.totals(),
      sqliteBytes: files.reduce((sum, file) => sum + bytesOf(file), 0),
      deadLetters: (await app.meta.snapshots.tally()).deadItems,
      jobsFailing: app.jobs().filter((job) => job.error !== '').length,
      loop: loop(),
      residentBytes: process.memoryUsage.rss(),
    }
    link.send({ kind: 'numbers', numbers: metrics })
  }
  return app.clock.every(metricsMs, () => {
    report().catch((error: unknown) => app.observe.warn({ error: faultOf(error) }, 'metrics were not reported'))
  })
}
