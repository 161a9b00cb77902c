import { z } from 'zod'
import { ruleTextMax } from '../domain/alerts/rule-text.ts'
import { type GroupingNode, groupingConfigOf, groupingHints, groupingVersions } from '../domain/grouping.ts'

/** API name of a grouping version: `mishap:2`. */
export const groupingConfig = z.enum(groupingVersions.map(groupingConfigOf))

// `id` accepts any text: there are many node names, and clients need not know them.
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

/** How the current rules of its project group an event. */
export const restGroupingInfo = z
  .strictObject({
    version: z.number(),
    /** The hashes that count. The first one decides the issue. */
    hashes: z.array(z.string()),
    /** The hashes that the event was stored with. They differ from `hashes` when the rules changed since. */
    storedHashes: z.array(z.string()),
    rule: z.string().nullable(),
    /** The rule that matched when the event arrived. */
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
  .meta({ id: 'GroupingInfo' })
export type RestGroupingInfo = z.infer<typeof restGroupingInfo>

/** An issue in the shapes of grouping. */
const issueName = z
  .strictObject({ id: z.string(), shortId: z.string(), title: z.string(), culprit: z.string() })
  .meta({ id: 'IssueName' })
export type RestIssueName = z.infer<typeof issueName>

/** GET issues/{id}/hashes/: a hash that leads to the issue. */
export const restIssueHash = z
  .strictObject({
    id: z.string(),
    events: z.number(),
    lastSeen: z.string().nullable(),
    latestEvent: z.strictObject({ eventID: z.string(), title: z.string() }).nullable(),
    /** Short id of the issue that this hash belonged to before users merged it into this issue. */
    mergedFrom: z.string().nullable(),
  })
  .meta({ id: 'IssueHash' })
export type RestIssueHash = z.infer<typeof restIssueHash>

export const restUnmerge = z
  .strictObject({ issue: issueName, made: issueName.nullable(), events: z.number() })
  .meta({ id: 'Unmerge' })
export type RestUnmerge = z.infer<typeof restUnmerge>

/** POST issues/{id}/merges/{activity}/undo/ */
export const restMergeUndo = z
  .strictObject({ issue: issueName, restored: z.array(issueName) })
  .meta({ id: 'MergeUndo' })
export type RestMergeUndo = z.infer<typeof restMergeUndo>

const previewedEvent = z.strictObject({
  eventID: z.string(),
  title: z.string(),
  issue: issueName.nullable(),
  /** Target of the event. `issue`: the existing issue `to`. `new`: a new issue. */
  kind: z.enum(['same', 'issue', 'new']),
  to: issueName.nullable(),
  hash: z.string(),
  rule: z.string().nullable(),
})
export type RestPreviewedEvent = z.infer<typeof previewedEvent>

/** Effect of other rules on the newest events of a project. */
export const restGroupingPreview = z
  .strictObject({
    looked: z.number(),
    changed: z.number(),
    newIssues: z.number(),
    events: z.array(previewedEvent),
  })
  .meta({ id: 'GroupingPreview' })
export type RestGroupingPreview = z.infer<typeof restGroupingPreview>

/** A similar issue. Scores are 0 to 1, for stack and message. */
export const restSimilarIssue = z
  .strictObject({
    issue: z.strictObject({ ...issueName.shape, count: z.string(), lastSeen: z.string(), status: z.string() }),
    stack: z.number(),
    message: z.number(),
    score: z.number(),
  })
  .meta({ id: 'SimilarIssue' })
export type RestSimilarIssue = z.infer<typeof restSimilarIssue>

const rules = z.string().max(ruleTextMax, `At most ${ruleTextMax} characters.`)
/** Body of a preview. Absent fields keep the project's value. */
export const groupingPreviewBody = z.object({
  fingerprintingRules: rules.optional(),
  groupingEnhancements: rules.optional(),
  groupingConfig: groupingConfig.optional(),
})
export type GroupingPreviewBody = z.output<typeof groupingPreviewBody>
