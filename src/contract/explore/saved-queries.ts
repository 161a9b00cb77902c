import { z } from 'zod'
import { restPerson } from '../people.ts'
import { digits, revisionField, textOrNull, time } from '../scalars.ts'
import { restPlan } from './explore.ts'

/** organizations/{org}/explore/saved/: a saved query of Explore. */
export const restSavedQuery = z
  .strictObject({
    id: digits,
    name: z.string(),
    visibility: z.enum(['owner', 'organization']),
    plan: restPlan,
    projects: z.array(z.string()).describe('Ids; empty: all.'),
    environments: z.array(z.string()).describe('Empty: all.'),
    statsPeriod: textOrNull.describe('Length of the range up to now. Null with start and end, or for the default.'),
    start: textOrNull,
    end: textOrNull,
    createdBy: restPerson.nullable(),
    dateCreated: time,
    dateUpdated: time,
    isEditable: z.boolean().describe('Whether the caller may change it.'),
    url: z.string().describe('The page that opens it, for everybody who may read it.'),
    revision: z.number().int(),
  })
  .meta({ id: 'SavedQuery' })
export type RestSavedQuery = z.infer<typeof restSavedQuery>

const name = z.string().max(300)
const visibility = z.enum(['owner', 'organization'])
const projects = z.array(z.string().max(50)).max(100)
const environments = z.array(z.string().max(64)).max(100)
const statsPeriod = z.string().max(20).nullable()
const moment = z.string().max(40).nullable()

/** Body of a new saved query. */
export const newSavedQueryBody = z.object({
  name,
  plan: restPlan,
  visibility: visibility.default('owner'),
  projects: projects.default([]),
  environments: environments.default([]),
  statsPeriod: statsPeriod.default(null),
  start: moment.default(null),
  end: moment.default(null),
})

/** Body to change a saved query. */
export const savedQueryChangeBody = z.object({
  name: name.optional(),
  plan: restPlan.optional(),
  visibility: visibility.optional(),
  projects: projects.optional(),
  environments: environments.optional(),
  statsPeriod: statsPeriod.optional(),
  start: moment.optional(),
  end: moment.optional(),
  revision: revisionField,
})
export type SavedQueryChangeBody = z.output<typeof savedQueryChangeBody>
