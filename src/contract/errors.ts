import { z } from 'zod'

/** Body of every error answer but field errors of a form. */
export const restProblem = z.strictObject({ detail: z.string(), code: z.string(), causes: z.array(z.string()) })
