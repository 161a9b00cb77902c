import { z } from 'zod'
import { columnCharactersMax, viewColumnsMax, viewFacetsMax, viewScopes } from '../domain/view-scopes.ts'
import { restPerson } from './people.ts'
import { revisionField } from './scalars.ts'

const date = z.string().describe('ISO 8601, UTC.')

/** A saved view of a list. */
export const restSearch = z.strictObject({
  id: z.string(),
  type: z.union([z.literal(0), z.literal(5)]).describe('0: of issues, 5: of traces.'),
  scope: z.enum(viewScopes),
  name: z.string(),
  query: z.string(),
  sort: z
    .string()
    .describe(
      'Of issues: date, new, freq or user. Of traces: newest, slowest or fastest, with `spans.` before it for spans. Of logs: lines or patterns.',
    ),
  visibility: z.enum(['owner', 'organization']),
  isGlobal: z.literal(false),
  isPinned: z.boolean().describe('Whether the caller’s list of traces opens with it.'),
  projects: z.array(z.string()).describe('Slugs or ids; empty: all.'),
  environments: z.array(z.string()).describe('Empty: all.'),
  columns: z.array(z.string()).describe('Of logs: the columns beside the message.'),
  facets: z.array(z.string()).describe('Of logs: the fields whose values are counted beside the usual ones.'),
  unknownColumns: z
    .array(z.string())
    .describe('Columns and facets of the stored view that logs do not have. They are ignored.'),
  statsPeriod: z
    .string()
    .nullable()
    .describe('Length of the range up to now. Null with start and end, or for the default.'),
  start: date.nullable(),
  end: date.nullable(),
  createdBy: restPerson.nullable(),
  dateCreated: date,
  isEditable: z.boolean().describe('Whether the caller may change it.'),
  revision: z.number().int(),
})
export type RestSearch = z.infer<typeof restSearch>

/** A value of a tag or field. */
export const restCompletion = z.strictObject({
  key: z.string(),
  name: z.string(),
  value: z.string(),
  count: z
    .number()
    .int()
    .nullable()
    .describe('Number of events among the counted ones. Null if values are not counted.'),
})

/** GET organizations/{org}/issue-counts/: the numbers beside projects and saved views. */
export const restIssueCounts = z.strictObject({
  projects: z.array(
    z.strictObject({
      id: z.string(),
      unresolved: z.number().int().describe('Unresolved issues with an event in the last 14 days.'),
    }),
  ),
  views: z.array(
    z.strictObject({
      id: z.string(),
      count: z
        .number()
        .int()
        .nullable()
        .describe('Issues of the view. Null if its query is no longer valid, or while the events store is down.'),
    }),
  ),
  newFeedback: z.number().int().describe('Feedback in the state new.'),
})
export type RestIssueCounts = z.infer<typeof restIssueCounts>

// ---- bodies

const searchName = z.string().max(300)
const query = z.string().max(5000)
const sort = z.string().max(20)
const type = z.number().int().optional()
const visibility = z.enum(['owner', 'organization'])
const projects = z.array(z.string().max(50)).max(100)
const environments = z.array(z.string().max(64)).max(100)
const fieldName = z
  .string()
  .min(1)
  .max(columnCharactersMax)
  .regex(/^[^,]*$/, 'A name without a comma.')
/** The columns of a view of logs, in bodies and files. */
export const viewColumns = z.array(fieldName).max(viewColumnsMax)
/** The facets that a reader added to a view of logs, in bodies and files. */
export const viewFacets = z.array(fieldName).max(viewFacetsMax)
const statsPeriod = z.string().max(20).nullable()
const moment = z.string().max(40).nullable()

/** Body of a new view. */
export const newSearchBody = z.object({
  name: searchName,
  query: query.default(''),
  scope: z.enum(viewScopes).default('issues'),
  sort: sort.optional().describe('The first order of the list by default.'),
  type,
  visibility: visibility.default('owner'),
  projects: projects.default([]),
  environments: environments.default([]),
  columns: viewColumns.default([]).describe('Of logs: the columns beside the message.'),
  facets: viewFacets.default([]).describe('Of logs: the fields whose values are counted beside the usual ones.'),
  statsPeriod: statsPeriod.default(null),
  start: moment.default(null),
  end: moment.default(null),
})

/** Body to change a view. */
export const searchChangeBody = z.object({
  name: searchName.optional(),
  query: query.optional(),
  sort: sort.optional(),
  type,
  visibility: visibility.optional(),
  isPinned: z
    .boolean()
    .optional()
    .describe('Whether the caller’s list of traces opens with it. Needs no right to the view.'),
  projects: projects.optional(),
  environments: environments.optional(),
  columns: viewColumns.optional(),
  facets: viewFacets.optional(),
  statsPeriod: statsPeriod.optional(),
  start: moment.optional(),
  end: moment.optional(),
  revision: revisionField,
})
export type SearchChangeBody = z.output<typeof searchChangeBody>
