import { z } from 'zod'

/** Body of all error answers, except field errors of a form. */
export const restProblem = z.strictObject({
  detail: z.string(),
  code: z.string(),
  causes: z.array(z.string()),
  mistakes: z
    .array(
      z.strictObject({
        reason: z.string().describe('A stable name of the mistake, such as state, date or unclosed_quote.'),
        code: z.enum(['QUERY_SYNTAX', 'QUERY_TYPE']),
        position: z.number().describe('In characters, from 1.'),
        expected: z.string(),
        suggestion: z.string().nullable().describe('A value that could replace the wrong one.'),
      }),
    )
    .optional()
    .describe('All mistakes of an invalid query.'),
})
