import { z } from 'zod'

/** Body of all error answers, except field errors of a form. */
export const restProblem = z.strictObject({ detail: z.string(), code: z.string(), causes: z.array(z.string()) })
