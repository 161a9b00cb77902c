import { z } from 'zod'
import { gridColumns, gridRowsMax, tileDisplays, tilesMax, tileTypes } from '../../domain/dashboards.ts'
import { restPerson } from '../people.ts'
import { revisionField, time } from '../scalars.ts'
import { restPlan, restPlanAnswer } from './explore.ts'

const term = z.string().max(300)

/** One query of a tile, in the words of Sentry's API. */
const restTileQuery = z.strictObject({
  name: z.string().max(255).default('').describe('Legend of the query.'),
  fields: z.array(term).max(60).default([]).describe('Columns and aggregates in their order.'),
  aggregates: z.array(term).max(20).default([]),
  columns: z.array(term).max(40).default([]),
  fieldAliases: z.array(z.string().max(255)).max(60).default([]),
  conditions: z.string().max(4096).default('').describe('Filter in the search language.'),
  orderby: z.string().max(301).default('').describe('A field, with - for the largest first.'),
})
export type RestTileQuery = z.output<typeof restTileQuery>

const restTileLayout = z.strictObject({
  x: z
    .int()
    .min(0)
    .max(gridColumns - 1),
  y: z.int().min(0).max(gridRowsMax),
  w: z.int().min(1).max(gridColumns),
  h: z.int().min(1).max(20),
  minH: z.int().min(1).max(20).default(1),
})

/** The content of a tile that can be written. */
const tile = {
  title: z.string().max(255).describe('May be empty.'),
  description: z.string().max(20_000).nullable().default(null).describe('A remark. Of a text tile: its text.'),
  displayType: z.enum(tileDisplays),
  widgetType: z.enum(tileTypes).nullable().default(null).describe('Null: error-events, or none for text.'),
  interval: z
    .string()
    .regex(/^(?:|[1-9]\d{0,3}[smhd])$/, 'Such as 5m or 1h.')
    .default('')
    .describe('Length of a bucket. Empty: chosen by the range.'),
  limit: z.int().min(1).max(1000).nullable().default(null).describe('Rows, issues or groups.'),
  layout: restTileLayout.nullable().default(null).describe('Null: the first free place.'),
}

/** A tile as it is answered and stored. */
export const restTile = z
  .strictObject({
    id: z.string(),
    ...tile,
    layout: restTileLayout,
    queries: z.array(restTileQuery),
    plan: restPlan.nullable().describe('The query of the tile as a plan. Null for lists of issues and for text.'),
  })
  .meta({ id: 'Widget' })
export type RestTile = z.output<typeof restTile>

const permissions = z.strictObject({
  isEditableByEveryone: z.boolean(),
  teamsWithEditAccess: z.array(z.union([z.string(), z.int()])),
})

/** The values that apply to all tiles when the dashboard opens. */
const scope = {
  projects: z.array(z.int()).max(100).describe('Ids; empty: all.'),
  environment: z.array(z.string().max(64)).max(100).describe('Empty: all.'),
  period: z.string().max(20).nullable().describe('Length of the range up to now, such as 24h.'),
  filters: z
    .strictObject({ release: z.array(z.string().max(250)).max(20).default([]) })
    .describe('Further filters of all tiles.'),
  attribute: z
    .string()
    .max(200)
    .regex(/^[\w.\-[\],:]*$/, 'The name of an attribute.')
    .describe('A field or attribute that the reader can filter all tiles by. Empty: none.'),
}

/** What is stored of a dashboard besides its title: the tiles, and the values that apply to all of them. */
export const dashboardContent = z.strictObject({ widgets: z.array(restTile), ...scope })
export type DashboardContent = z.output<typeof dashboardContent>

/** A dashboard. */
export const restDashboard = z
  .strictObject({
    id: z.string().describe('A number, or the name of a ready-made dashboard.'),
    title: z.string(),
    dateCreated: time.nullable(),
    createdBy: restPerson.nullable(),
    widgets: z.array(restTile),
    ...scope,
    visibility: z.enum(['owner', 'organization']),
    permissions,
    isFavorited: z.boolean(),
    isEditable: z.boolean().describe('Whether the caller may change it.'),
    isReadyMade: z.boolean().describe('It belongs to Mishap. Duplicate it to change it.'),
    revision: z.int(),
    dateChanged: time.nullable(),
  })
  .meta({ id: 'Dashboard' })
export type RestDashboard = z.output<typeof restDashboard>

/** A dashboard in a list. */
export const restDashboardSummary = z.strictObject({
  ...restDashboard.omit({ widgets: true }).shape,
  widgetDisplay: z.array(z.string()),
  widgetPreview: z.array(z.strictObject({ displayType: z.string(), layout: restTileLayout })),
})
export type RestDashboardSummary = z.output<typeof restDashboardSummary>

/** An earlier state of a dashboard. */
export const restDashboardRevision = z.strictObject({
  id: z.string().describe('The revision.'),
  title: z.string(),
  dateCreated: time.describe('When this state was made.'),
  createdBy: restPerson.nullable(),
  widgetDisplay: z.array(z.string()),
})
export type RestDashboardRevision = z.output<typeof restDashboardRevision>

// ---- bodies

/** Values that clients send back as they got them, and that say nothing about a change. */
const ignored = z.unknown().optional()

const tileBody = z
  .strictObject({
    ...tile,
    title: tile.title.default(''),
    id: z.union([z.string(), z.int()]).nullish().describe('Id of a tile that is kept.'),
    queries: z
      .array(z.strictObject({ ...restTileQuery.shape, id: ignored, widgetId: ignored, isHidden: ignored }))
      .max(10)
      .default([]),
    plan: restPlan.nullish().describe('Instead of queries. If both differ, the queries count.'),
    thresholds: z.null('Thresholds are not supported.').optional(),
    dashboardId: ignored,
    dateCreated: ignored,
    datasetSource: ignored,
    tableWidths: ignored,
  })
  .meta({ id: 'WidgetBody' })
export type TileBody = z.output<typeof tileBody>

const body = {
  title: z.string().max(300),
  widgets: z.array(tileBody).max(tilesMax, `At most ${tilesMax} tiles.`),
  projects: scope.projects,
  environment: scope.environment,
  period: scope.period,
  filters: scope.filters,
  attribute: scope.attribute,
  visibility: z.enum(['owner', 'organization']),
  permissions: permissions
    .refine(
      ({ isEditableByEveryone, teamsWithEditAccess }) => isEditableByEveryone && teamsWithEditAccess.length === 0,
      'Every member edits a shared dashboard. Use visibility owner for one of your own.',
    )
    .nullish(),
  start: z.null('A dashboard keeps no absolute range. Use period.').optional(),
  end: z.null('A dashboard keeps no absolute range. Use period.').optional(),
  utc: ignored,
}

export const newDashboardBody = z.strictObject({
  ...body,
  widgets: body.widgets.default([]),
  projects: body.projects.default([]),
  environment: body.environment.default([]),
  period: body.period.default(null),
  filters: body.filters.default({ release: [] }),
  attribute: body.attribute.default(''),
  visibility: body.visibility.default('organization'),
  duplicate: z.string().max(40).optional().describe('Id of a dashboard whose tiles the new one gets.'),
})

export const dashboardChangeBody = z.strictObject({
  title: body.title.optional(),
  widgets: body.widgets.optional(),
  projects: body.projects.optional(),
  environment: body.environment.optional(),
  period: body.period.optional(),
  filters: body.filters.optional(),
  attribute: body.attribute.optional(),
  visibility: body.visibility.optional(),
  permissions: body.permissions,
  start: body.start,
  end: body.end,
  utc: ignored,
  isFavorited: ignored,
  id: ignored,
  dateCreated: ignored,
  createdBy: ignored,
  isEditable: ignored,
  isReadyMade: ignored,
  dateChanged: ignored,
  revision: revisionField,
})
export type DashboardChangeBody = z.output<typeof dashboardChangeBody>

/** PUT O/dashboards/{id}/favorite/ */
export const favouriteBody = z.strictObject({ isFavorited: z.boolean() })

/** An issue of a tile. */
const tileIssue = z.strictObject({
  id: z.string(),
  shortId: z.string(),
  title: z.string(),
  culprit: z.string(),
  level: z.string(),
  project: z.string(),
  events: z.int(),
  users: z.int(),
  lastSeen: time,
})

/** POST O/dashboards/widget-data/: a tile that is not stored yet. */
export const tilePreviewBody = z.strictObject({ widget: tileBody, attribute: scope.attribute.default('') })

/** What a tile shows. */
export const restTileData = z
  .strictObject({
    answer: restPlanAnswer.nullable(),
    issues: z.array(tileIssue).nullable(),
    start: time,
    end: time,
    plan: restPlan.nullable().describe('The plan that was asked: the one of the tile with the values of all tiles.'),
  })
  .meta({ id: 'WidgetData' })
export type RestTileData = z.output<typeof restTileData>
