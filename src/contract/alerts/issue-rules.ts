import { z } from 'zod'
import { restPerson } from '../people.ts'
import { digits, line, time } from '../scalars.ts'

/** A condition, filter or action of the older shape. Its other fields follow from `id`. */
const part = z.looseObject({ id: z.string().max(200) })
const parts = z.array(part).max(50)

const match = <const Word extends string>(words: readonly Word[]) => z.enum(words, { error: `${words.join(', ')}.` })

/** projects/{org}/{project}/rules/: an issue rule in the older shape of the API. */
export const restIssueRule = z
  .strictObject({
    id: digits,
    name: z.string(),
    projects: z.array(z.string()),
    environment: z.string().nullable(),
    owner: z.string().nullable(),
    frequency: z.int().describe('Minutes in which a cause is sent at most once.'),
    actionMatch: z.string(),
    filterMatch: z.string(),
    conditions: parts,
    filters: parts,
    actions: parts,
    status: z.enum(['active', 'disabled']),
    snooze: z.boolean(),
    errors: z.array(z.strictObject({ detail: z.string() })).describe('Why the rule is inactive.'),
    createdBy: restPerson.nullable(),
    dateCreated: time,
  })
  .meta({ id: 'IssueRule' })
export type RestIssueRule = z.infer<typeof restIssueRule>

/** Body of a rule in this shape. */
export const issueRuleBody = z.object({
  name: line(200, 'A name.'),
  projects: z.array(z.string().max(50)).max(200).default([]).describe('Slugs; none: the project of the path.'),
  actionMatch: match(['any', 'all', 'none']).default('any'),
  filterMatch: match(['all', 'any', 'none']).default('all'),
  conditions: parts.default([]),
  filters: parts.default([]),
  actions: parts.min(1, 'At least one action.'),
  frequency: z.int().min(5, '5 minutes to 30 days.').max(43_200, '5 minutes to 30 days.').default(30),
  environment: z.string().max(64).nullable().default(null),
  owner: z.string().max(70).nullable().default(null),
})
export type WrittenIssueRule = z.output<typeof issueRuleBody>
