import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { newestGrouping } from '../../../domain/grouping.ts'
import { metricSeries } from '../../../domain/metrics.ts'
import { eachSwitch, type ProjectSwitches, projectSwitches } from '../../../domain/project-switches.ts'
import { readRoutes } from '../../../domain/traces/routes.ts'
import { checkName, checkSlug, idOf } from '../database/names.ts'
import { staleError } from '../database/revision.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { groupingColumns, groupingOf } from '../ingest/grouping.ts'
import type {
  BatchStore,
  ChangedBy,
  GroupingSettings,
  KeyChange,
  KeySnapshot,
  Project,
  ProjectChange,
  ProjectKey,
  ScrubSettings,
} from '../meta.ts'
import { type DetectorSettingsStore, detectorsColumn } from './detectors.ts'
import { isInactive, readFilters, writeFilters } from './inbound-filters.ts'
import { type RouteStore, routesColumn } from './routes.ts'
import { checkFieldNames, checkOrigins } from './setting-lists.ts'

/** Keys of projects. */
export type KeyStore = {
  createKey(projectId: number, label: string): Promise<ProjectKey>
  keysOf(projectId: number): Promise<ProjectKey[]>
  updateKey(id: number, value: KeyChange, by?: ChangedBy): Promise<ProjectKey>
  deleteKey(id: number): Promise<void>
  /** All keys for ingest. */
  keySnapshot(): Promise<KeySnapshot>
}

/** Projects and their settings. */
export type ProjectStore = {
  createProject(value: {
    organizationId: number
    slug: string
    name: string
    platform: string | null
  }): Promise<Project>
  projectsOf(organizationId: number): Promise<Project[]>
  projectById(id: number): Promise<Project | undefined>
  projectBySlug(organizationId: number, slugOrId: string): Promise<Project | undefined>
  /** The project that had this slug in the past and has another one now. */
  projectByOldSlug(organizationId: number, slug: string): Promise<Project | undefined>
  /** Settings from people; `projectSettings` derives those for refine from them. Throws NOT_FOUND. */
  scrubSettings(projectId: number): Promise<ScrubSettings>
  /** Grouping settings from people. Throws NOT_FOUND. */
  groupingSettings(projectId: number): Promise<GroupingSettings>
  updateProject(id: number, change: ProjectChange, by?: ChangedBy): Promise<Project>
} & RouteStore &
  DetectorSettingsStore

const readSwitches = (text: string, change: Partial<ProjectSwitches> = {}): ProjectSwitches => {
  const kept = fromJson<Partial<ProjectSwitches>>(text)
  return eachSwitch((name) => change[name] ?? kept[name] ?? false)
}

const toProject = (row: Selectable<Tables['project']>): Project => ({
  id: row.id,
  organizationId: row.organization_id,
  slug: row.slug,
  name: row.name,
  platform: row.platform,
  createdMs: row.created_ms,
  firstEventMs: row.first_event_ms,
  allowedOrigins: fromJson<string[]>(row.allowed_origins),
  switches: readSwitches(row.switches),
  metricSeriesMax: row.metric_series,
  rev: row.rev,
})

const toKey = (row: Selectable<Tables['project_key']>): ProjectKey => ({
  id: row.id,
  projectId: row.project_id,
  label: row.label,
  publicKey: row.public_key,
  active: row.active === 1,
  rateLimit:
    row.rate_count === null || row.rate_window_s === null
      ? null
      : { count: row.rate_count, windowS: row.rate_window_s },
  createdMs: row.created_ms,
  lastUsedMs: row.last_used_ms,
  browserSdk: row.browser_sdk,
  loaderOptions: fromJson<Record<string, boolean>>(row.loader_options),
  rev: row.rev,
})

/** Increments the version of the key snapshot for ingest. Must run in the transaction of the change. */
export async function bumpKeysVersion({
  write,
  dialect: { builder },
}: Pick<Store, 'write' | 'dialect'>): Promise<void> {
  const next = sql<string>`cast(cast(value.text as integer) + 1 as text)`
  await write.run(
    builder
      .insertInto('value')
      .values({ name: 'keys_version', text: '1' })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ text: next })),
  )
}

/** Throws CONFLICT when the change expects another revision than the row's. */
async function demandRevision(
  store: Store,
  row: { rev: number; changed_by: string | null; changed_ms: number | null },
  by: ChangedBy | undefined,
): Promise<void> {
  if (by?.rev !== undefined && by.rev !== row.rev)
    throw await staleError(store, { rev: row.rev, userId: row.changed_by, atMs: row.changed_ms })
}

/** Returns the columns with the revision and author of a change. */
const revised = (store: Store, row: { rev: number }, by: ChangedBy | undefined) => ({
  rev: row.rev + 1,
  changed_ms: store.clock.now(),
  changed_by: by?.userId ?? null,
})

const isSame = (columns: Record<string, unknown>, old: object): boolean =>
  Object.entries(columns).every(([name, value]) => (old as Record<string, unknown>)[name] === value)

/** Checks a limit of series. Throws VALIDATION (field `metricSeriesMax`). */
function checkSeriesMax(max: number): number {
  if (Number.isInteger(max) && max >= metricSeries.min && max <= metricSeries.max) return max
  const sentence = `Use ${metricSeries.min} to ${metricSeries.max}.`
  throw new MishapError('VALIDATION', { detail: sentence, fields: { metricSeriesMax: [sentence] } })
}

/** Returns the columns of a change. Throws VALIDATION with fields. */
function projectColumns(old: Selectable<Tables['project']>, change: ProjectChange, nowMs: number) {
  const list = (value: string[] | undefined, current: string) => (value === undefined ? current : JSON.stringify(value))
  const flag = (value: boolean | undefined, kept: number) => (value === undefined ? kept : Number(value))
  const { allowedOrigins, sensitiveFields, safeFields } = change
  return {
    slug: change.slug === undefined ? old.slug : checkSlug(change.slug),
    name: change.name === undefined ? old.name : checkName(change.name),
    platform: change.platform === undefined ? old.platform : change.platform,
    allowed_origins: list(allowedOrigins && checkOrigins(allowedOrigins), old.allowed_origins),
    scrub: flag(change.scrub, old.scrub),
    scrub_defaults: flag(change.scrubDefaults, old.scrub_defaults),
    scrub_ip_addresses: flag(change.scrubIpAddresses, old.scrub_ip_addresses),
    sensitive_fields: list(
      sensitiveFields && checkFieldNames(sensitiveFields, 'sensitiveFields'),
      old.sensitive_fields,
    ),
    safe_fields: list(safeFields && checkFieldNames(safeFields, 'safeFields'), old.safe_fields),
    scrape: flag(change.scrape, old.scrape),
    scrape_tls: flag(change.scrapeTls, old.scrape_tls),
    sealed_scrape_token: change.sealedScrapeToken ?? old.sealed_scrape_token,
    switches: projectSwitches.some((name) => change[name] !== undefined)
      ? JSON.stringify(readSwitches(old.switches, change))
      : old.switches,
    ...groupingColumns(old, change, nowMs),
    filters: change.filters ? writeFilters(old.filters, change.filters) : old.filters,
    routes: routesColumn(old.routes, change.routePatterns),
    detectors: detectorsColumn(old.detectors, change.detectors),
    metric_series: change.metricSeriesMax === undefined ? old.metric_series : checkSeriesMax(change.metricSeriesMax),
  }
}

/** Steps for creating and changing a project. `demandFree` and `forgetOldSlug` run in the transaction of the change. */
function projectSteps({ write, dialect: { builder } }: Store) {
  const projectRow = (id: number) => builder.selectFrom('project').selectAll().where('id', '=', id)
  const demandFree = async (organizationId: number, slug: string, butId: number) => {
    const existing = await write.get(
      builder.selectFrom('project').select('id').where('organization_id', '=', organizationId).where('slug', '=', slug),
    )
    if (existing && existing.id !== butId)
      throw new MishapError('CONFLICT', {
        detail: 'Another project has this slug.',
        fields: { slug: ['Another project has this slug.'] },
      })
  }

  const forgetOldSlug = async (organizationId: number, slug: string) => {
    await write.run(
      builder.deleteFrom('old_slug').where('organization_id', '=', organizationId).where('slug', '=', slug),
    )
  }

  return { projectRow, demandFree, forgetOldSlug }
}

type ProjectPart = Pick<
  ProjectStore,
  'createProject' | 'projectsOf' | 'projectById' | 'projectBySlug' | 'projectByOldSlug'
>

/** Implements creation and lookup of projects. */
export function projectPart(store: Store): ProjectPart {
  const {
    write,
    read,
    dialect: { builder },
    clock,
  } = store
  const { projectRow, demandFree, forgetOldSlug } = projectSteps(store)

  return {
    createProject: async ({ organizationId, slug, name, platform }) => {
      const row = {
        organization_id: organizationId,
        slug: checkSlug(slug),
        name: checkName(name),
        platform,
        created_ms: clock.now(),
        allowed_origins: '[]',
        grouping_version: newestGrouping,
      }
      return write.transaction(async () => {
        await demandFree(organizationId, slug, 0)
        await forgetOldSlug(organizationId, slug)
        const lastId = await insertedId(write, builder.insertInto('project').values(row))
        await bumpKeysVersion(store)
        const createdProject = await write.get(projectRow(lastId))
        if (!createdProject) throw new MishapError('INTERNAL')
        return toProject(createdProject)
      })
    },
    projectsOf: async (organizationId) =>
      (
        await read.all(
          builder.selectFrom('project').selectAll().where('organization_id', '=', organizationId).orderBy('slug'),
        )
      ).map(toProject),
    projectById: async (id) => {
      const row = await read.get(projectRow(id))
      return row && toProject(row)
    },
    projectBySlug: async (organizationId, slugOrId) => {
      const id = idOf(slugOrId)
      const base = builder.selectFrom('project').selectAll().where('organization_id', '=', organizationId)
      const row = await read.get(id === undefined ? base.where('slug', '=', slugOrId) : base.where('id', '=', id))
      return row && toProject(row)
    },
    projectByOldSlug: async (organizationId, slug) => {
      const row = await read.get(
        builder
          .selectFrom('old_slug')
          .innerJoin('project', 'project.id', 'old_slug.project_id')
          .selectAll('project')
          .where('old_slug.organization_id', '=', organizationId)
          .where('old_slug.slug', '=', slug),
      )
      return row && toProject(row)
    },
  }
}

/** Implements changes of a project by people. */
export function projectChangePart(store: Store): Pick<ProjectStore, 'updateProject'> {
  const {
    write,
    dialect: { builder },
  } = store
  const { projectRow, demandFree, forgetOldSlug } = projectSteps(store)
  return {
    updateProject: (id, change, by) =>
      write.transaction(async () => {
        const old = await write.get(projectRow(id))
        if (!old) throw new MishapError('NOT_FOUND')
        await demandRevision(store, old, by)
        const columns = projectColumns(old, change, store.clock.now())
        if (columns.slug !== old.slug) {
          await demandFree(old.organization_id, columns.slug, id)
          await forgetOldSlug(old.organization_id, columns.slug)
          await forgetOldSlug(old.organization_id, old.slug)
          await write.run(
            builder
              .insertInto('old_slug')
              .values({ organization_id: old.organization_id, slug: old.slug, project_id: id }),
          )
        }
        if (isSame(columns, old)) return toProject(old)
        const row = { ...columns, ...revised(store, old, by) }
        await write.run(builder.updateTable('project').set(row).where('id', '=', id))
        await bumpKeysVersion(store)
        return toProject({ ...old, ...row })
      }),
  }
}

/** Returns the settings of a deleted project for refine; undefined for a project that never existed. */
const removedSettings = (organizationId: number | undefined, projectId: number) =>
  organizationId === undefined
    ? undefined
    : {
        projectId,
        organizationId,
        removed: true as const,
        scrubDefaults: true,
        scrubIpAddresses: true,
        sensitiveFields: [],
        safeFields: [],
      }

/** Implements the settings of a project that refine reads. */
export function settingsPart({
  read,
  clock,
  dialect: { builder },
}: Store): Pick<BatchStore & ProjectStore, 'projectSettings' | 'scrubSettings' | 'groupingSettings'> {
  const settings = read.prepared<{ id: number }, Selectable<Tables['project']>>((slot) =>
    builder.selectFrom('project').selectAll().where('id', '=', slot('id')),
  )
  const removed = read.prepared<{ id: number }, { organization_id: number }>((slot) =>
    builder
      .selectFrom('removal')
      .select('organization_id')
      .where('project_id', '=', slot('id'))
      .where('kind', '=', 'project')
      .limit(1),
  )
  const discarded = read.prepared<{ id: number }, { hash: string }>((slot) =>
    builder.selectFrom('discarded').select('hash').where('project_id', '=', slot('id')),
  )
  const idleless = (text: string) =>
    text === '{}' || isInactive(readFilters(text)) ? {} : { filters: readFilters(text) }
  return {
    projectSettings: async (projectId) => {
      const row = await settings.get({ id: projectId })
      if (!row) return removedSettings((await removed.get({ id: projectId }))?.organization_id, projectId)
      const hashes = (await discarded.all({ id: projectId })).map((item) => item.hash)
      return {
        projectId,
        organizationId: row.organization_id,
        scrubDefaults: row.scrub === 1 && row.scrub_defaults === 1,
        scrubIpAddresses: row.scrub_ip_addresses === 1,
        sensitiveFields: row.scrub === 1 ? fromJson<string[]>(row.sensitive_fields) : [],
        safeFields: fromJson<string[]>(row.safe_fields),
        ...(hashes.length > 0 ? { discardedHashes: hashes } : {}),
        ...(row.scrape === 1 ? { scrape: true as const } : {}),
        ...idleless(row.filters),
        ...groupingOf(row, clock.now()),
        ...(row.routes === '{}' ? {} : { routes: readRoutes(row.routes) }),
        ...(row.metric_series === metricSeries.default ? {} : { metricSeriesMax: row.metric_series }),
      }
    },
    groupingSettings: async (projectId) => {
      const row = await settings.get({ id: projectId })
      if (!row) throw new MishapError('NOT_FOUND')
      return {
        fingerprintRules: row.fingerprint_rules,
        stackRules: row.stack_rules,
        version: row.grouping_version,
        ...(row.grouping_secondary === null ? {} : { secondary: row.grouping_secondary }),
        ...(row.grouping_until_ms === null ? {} : { secondaryUntilMs: row.grouping_until_ms }),
      }
    },
    scrubSettings: async (projectId) => {
      const row = await settings.get({ id: projectId })
      if (!row) throw new MishapError('NOT_FOUND')
      return {
        scrub: row.scrub === 1,
        scrubDefaults: row.scrub_defaults === 1,
        scrubIpAddresses: row.scrub_ip_addresses === 1,
        sensitiveFields: fromJson<string[]>(row.sensitive_fields),
        safeFields: fromJson<string[]>(row.safe_fields),
      }
    },
  }
}

const wholeNumber = (value: number, max: number) => Number.isInteger(value) && value >= 1 && value <= max

/** Checks a rate limit: 1 to 10^9 items in 1 to 86,400 seconds. Throws VALIDATION (field `rateLimit`). */
function checkRateLimit(limit: { count: number; windowS: number } | null): void {
  if (limit === null || (wholeNumber(limit.count, 1e9) && wholeNumber(limit.windowS, 86_400))) return
  const sentence = 'Use 1 to 1,000,000,000 items in 1 to 86,400 seconds.'
  throw new MishapError('VALIDATION', { detail: sentence, fields: { rateLimit: [sentence] } })
}

type KeyPart = Pick<KeyStore, 'createKey' | 'keysOf' | 'updateKey' | 'deleteKey'>

/** Implements project keys. */
export function keyPart(store: Store): KeyPart {
  const {
    write,
    read,
    dialect: { builder },
    clock,
  } = store
  const item = (id: number) => builder.selectFrom('project_key').selectAll().where('id', '=', id)

  return {
    createKey: async (projectId, label) => {
      const row = {
        project_id: projectId,
        label: checkName(label, 'label'),
        public_key: randomBytes(16).toString('hex'),
        active: 1,
        rate_count: null,
        rate_window_s: null,
        created_ms: clock.now(),
        last_used_ms: null,
        browser_sdk: 'latest',
        loader_options: '{}',
        rev: 0,
        changed_ms: null,
        changed_by: null,
      }
      return write.transaction(async () => {
        const lastId = await insertedId(write, builder.insertInto('project_key').values(row))
        await bumpKeysVersion(store)
        return toKey({ id: lastId, ...row })
      })
    },
    keysOf: async (projectId) =>
      (
        await read.all(builder.selectFrom('project_key').selectAll().where('project_id', '=', projectId).orderBy('id'))
      ).map(toKey),
    updateKey: async (id, value, by) => {
      if (value.rateLimit !== undefined) checkRateLimit(value.rateLimit)
      return write.transaction(async () => {
        const old = await write.get(item(id))
        if (!old) throw new MishapError('NOT_FOUND')
        await demandRevision(store, old, by)
        const limit = value.rateLimit
        const columns = {
          label: value.label === undefined ? old.label : checkName(value.label, 'label'),
          active: value.active === undefined ? old.active : Number(value.active),
          rate_count: limit === undefined ? old.rate_count : (limit?.count ?? null),
          rate_window_s: limit === undefined ? old.rate_window_s : (limit?.windowS ?? null),
          browser_sdk: value.browserSdk ?? old.browser_sdk,
          loader_options: value.loaderOptions
            ? JSON.stringify({ ...fromJson<Record<string, boolean>>(old.loader_options), ...value.loaderOptions })
            : old.loader_options,
        }
        if (isSame(columns, old)) return toKey(old)
        const row = { ...columns, ...revised(store, old, by) }
        await write.run(builder.updateTable('project_key').set(row).where('id', '=', id))
        await bumpKeysVersion(store)
        return toKey({ ...old, ...row })
      })
    },
    deleteKey: (id) =>
      write.transaction(async () => {
        await write.run(builder.deleteFrom('project_key').where('id', '=', id))
        await bumpKeysVersion(store)
      }),
  }
}

/** Implements the snapshot of all keys for ingest. */
export function snapshotPart({ read, dialect: { builder } }: Store): Pick<KeyStore, 'keySnapshot'> {
  return {
    keySnapshot: async () => {
      const version = await read.get(builder.selectFrom('value').select('text').where('name', '=', 'keys_version'))
      const rows = await read.all(
        builder
          .selectFrom('project_key')
          .innerJoin('project', 'project.id', 'project_key.project_id')
          .selectAll('project_key')
          .select(['project.organization_id', 'project.allowed_origins']),
      )
      const keys: KeySnapshot['keys'] = {}
      for (const row of rows) {
        const { id, projectId, active, rateLimit } = toKey(row)
        keys[row.public_key] = {
          keyId: id,
          projectId,
          organizationId: row.organization_id,
          active,
          ...(rateLimit ? { rateLimit } : {}),
          allowedOrigins: fromJson<string[]>(row.allowed_origins),
        }
      }
      return { version: Number(version?.text ?? 0), keys }
    },
  }
}
