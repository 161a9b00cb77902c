import { z } from 'zod'

/** Body of POST organizations/{org}/explore/sql/ */
export const sqlBody = z.object({
  sql: z.string().min(1).max(20_000).describe('One SELECT over the views of GET.'),
})

/** The answer to a statement of an owner. */
export const restSqlAnswer = z
  .strictObject({
    columns: z.array(z.strictObject({ name: z.string(), type: z.string().describe('Type of the events store.') })),
    rows: z
      .array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
      .describe('64-bit numbers are texts; arrays and maps are JSON texts.'),
    meta: z.strictObject({
      truncated: z.boolean().describe('There are more rows than the 10,000 of an answer.'),
      rowsRead: z.int(),
      bytesRead: z.int(),
      elapsedMs: z.int(),
    }),
  })
  .meta({ id: 'SqlAnswer' })
export type RestSqlAnswer = z.infer<typeof restSqlAnswer>

/** GET organizations/{org}/explore/sql/: what a statement can read. */
export const restSqlViews = z.array(z.strictObject({ name: z.string(), columns: z.array(z.string()) }))
export type RestSqlViews = z.infer<typeof restSqlViews>
