import { z } from 'zod'
import { digits, restProjectName, time } from './scalars.ts'

const count = z.int()

/** GET organizations/{org}/regroupings/: events that were reprocessed because their source maps came after them. */
export const restRegroupings = z
  .strictObject({
    /** Newest first. */
    runs: z.array(
      z.strictObject({
        id: digits,
        project: restProjectName,
        /** `upload`: files came. `late`: events had not waited for maps. */
        cause: z.enum(['upload', 'late']),
        dateCreated: time,
        dateEnded: time.nullable(),
        /** Events that may miss source maps, and how many of them were looked at. */
        total: count,
        looked: count,
        mapped: count,
        /** Mapped events that belong to another issue now. */
        moved: count,
        issues: count,
        error: z.string(),
      }),
    ),
    /** Projects whose events missed so many different files that the newest ones are not noted. */
    full: z.array(z.strictObject({ project: restProjectName, noted: count, refused: count, dateRefused: time })),
  })
  .meta({ id: 'Regroupings' })
export type RestRegroupings = z.infer<typeof restRegroupings>
