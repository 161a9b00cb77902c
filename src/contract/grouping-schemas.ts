import { z } from 'zod'
import { type GroupingNode, groupingConfigOf, groupingHints, groupingVersions } from '../domain/grouping.ts'
import type * as Rest from './rest-grouping.ts'

/** A version of the grouping by its name: `mishap:2`. */
export const groupingConfig = z.enum(groupingVersions.map(groupingConfigOf))

const node: z.ZodType<GroupingNode> = z
  .lazy(() =>
    z.strictObject({
      id: z.string(),
      contributes: z.boolean(),
      hint: z.enum(groupingHints).optional(),
      rule: z.string().optional(),
      values: z.array(z.union([z.string(), node])),
    }),
  )
  .meta({ id: 'GroupingNode' }) as unknown as z.ZodType<GroupingNode>

export const groupingInfo = z
  .strictObject({
    version: z.number(),
    hashes: z.array(z.string()),
    storedHashes: z.array(z.string()),
    rule: z.string().nullable(),
    storedRule: z.string().nullable(),
    variants: z.array(
      z.strictObject({
        name: z.string(),
        contributes: z.boolean(),
        hint: z.string().nullable(),
        hash: z.string().nullable(),
        why: z.string(),
        component: node,
      }),
    ),
  })
  .meta({ id: 'GroupingInfo' }) satisfies z.ZodType<Rest.RestGroupingInfo>

const issueName = z
  .strictObject({ id: z.string(), shortId: z.string(), title: z.string(), culprit: z.string() })
  .meta({ id: 'IssueName' }) satisfies z.ZodType<Rest.RestIssueName>

export const issueHash = z
  .strictObject({
    id: z.string(),
    events: z.number(),
    lastSeen: z.string().nullable(),
    latestEvent: z.strictObject({ eventID: z.string(), title: z.string() }).nullable(),
    mergedFrom: z.string().nullable(),
  })
  .meta({ id: 'IssueHash' }) satisfies z.ZodType<Rest.RestIssueHash>

export const unmerge = z
  .strictObject({ issue: issueName, made: issueName.nullable(), events: z.number() })
  .meta({ id: 'Unmerge' }) satisfies z.ZodType<Rest.RestUnmerge>

export const groupingPreview = z
  .strictObject({
    looked: z.number(),
    changed: z.number(),
    newIssues: z.number(),
    events: z.array(
      z.strictObject({
        eventID: z.string(),
        title: z.string(),
        issue: issueName.nullable(),
        kind: z.enum(['same', 'issue', 'new']),
        to: issueName.nullable(),
        hash: z.string(),
        rule: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'GroupingPreview' }) satisfies z.ZodType<Rest.RestGroupingPreview>

export const similarIssue = z
  .strictObject({
    issue: z.strictObject({ ...issueName.shape, count: z.string(), lastSeen: z.string(), status: z.string() }),
    stack: z.number(),
    message: z.number(),
    score: z.number(),
  })
  .meta({ id: 'SimilarIssue' }) satisfies z.ZodType<Rest.RestSimilarIssue>
