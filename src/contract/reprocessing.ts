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
        /** `upload`: new files arrived. `late`: events were stored before their maps were ready. */
        cause: z.enum(['upload', 'late']),
        dateCreated: time,
        dateEnded: time.nullable(),
        /** Events that can lack source maps, and how many of them were checked. */
        total: count,
        looked: count,
        mapped: count,
        /** Reprocessed events that moved to another issue. */
        moved: count,
        issues: count,
        error: z.string(),
      }),
    ),
    /** Projects with too many different missing files: the newest ones are not recorded. */
    full: z.array(z.strictObject({ project: restProjectName, noted: count, refused: count, dateRefused: time })),
  })
  .meta({ id: 'Regroupings' })
export type RestRegroupings = z.infer<typeof restRegroupings>
