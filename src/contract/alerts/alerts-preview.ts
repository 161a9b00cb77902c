import { z } from 'zod'
import { newAlertRuleBody } from './alerts.ts'

/** Body of a preview: a rule as it would be created. */
export const alertPreviewBody = z.object({ rule: newAlertRuleBody })

/** POST organizations/{org}/alerts/preview/: what the first message of an unsaved rule would say. */
export const restAlertPreview = z
  .strictObject({
    issue: z.string().nullable().describe('Short id of the issue of the example. Null: there is none yet.'),
    slack: z
      .strictObject({ text: z.string(), blocks: z.array(z.looseObject({ type: z.string() })) })
      .describe('The body for Slack.'),
    mail: z.strictObject({ subject: z.string(), text: z.string(), html: z.string() }),
    json: z.looseObject({}).describe('The body of a webhook in our own form.'),
  })
  .meta({ id: 'AlertPreview' })
export type RestAlertPreview = z.infer<typeof restAlertPreview>
