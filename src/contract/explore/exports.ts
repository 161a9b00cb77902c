import { z } from 'zod'
import { exportFormats, exportStates } from '../../domain/exports.ts'
import { digits, textOrNull, time } from '../scalars.ts'
import { restPlan } from './explore.ts'

/** organizations/{org}/exports/: an answer as a file, without a limit of rows. */
export const restExport = z
  .strictObject({
    id: digits,
    format: z.enum(exportFormats),
    state: z.enum(exportStates).describe('expired: the file is deleted.'),
    plan: restPlan,
    projects: z.array(digits),
    environments: z.array(z.string()),
    start: time,
    end: time,
    rows: z.int().describe('Rows that are written.'),
    rowsTotal: z.int().nullable().describe('Rows that match. Null until they are counted, and for groups.'),
    bytes: z.int(),
    fileName: z.string(),
    error: textOrNull,
    dateCreated: time,
    dateEnded: time.nullable(),
    dateExpires: time.nullable().describe('When the file is deleted.'),
    downloadUrl: textOrNull.describe('Path of the file. Null without one.'),
  })
  .meta({ id: 'Export' })
export type RestExport = z.infer<typeof restExport>

/** Body of a new export. Projects, environments and range are in the query string. */
export const newExportBody = z.object({ plan: restPlan, format: z.enum(exportFormats).default('csv') })
