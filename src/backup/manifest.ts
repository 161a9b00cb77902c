import { z } from 'zod'
import { MishapError } from '../base/errors.ts'
import { type TableName, tableNames } from '../store/events/tables.ts'

/** The form of the archive; grows when an older program could not read a newer archive. */
export const backupFormat = 1

const whole = z.number().int().min(0)
/** Rows of each stored table, by its name. Backups name only the tables that their version had. */
const rows = Object.fromEntries(tableNames.map((name) => [name, whole.optional()])) as Record<
  TableName,
  z.ZodOptional<typeof whole>
>
const shape = z.object({
  ...rows,
  format: whole,
  /** Version of the program that wrote it. */
  version: z.string(),
  takenMs: whole,
  /** Journal position up to which the stores are the truth; what follows is in the journal. */
  cursor: whole,
  organizations: whole,
  projects: whole,
  issues: whole,
  events: whole,
  blobs: whole,
})

/** What stands in a backup: compared with what a restore has brought back. */
export type Manifest = z.infer<typeof shape>

/** Names within the archive. */
export const parts = {
  manifest: 'manifest.json',
  events: 'events',
  meta: 'meta.sqlite',
  blobs: 'blobs',
  journal: 'journal',
  /** Single files of the data folder: without the secrets nothing sealed could be read again. */
  files: ['secrets.json', 'keys.json'],
} as const

/** Reads a manifest. Throws VALIDATION for anything that is none, START_NEWER_DATA for one of a newer program. */
export function readManifest(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const read = shape.safeParse(value)
  if (!read.success) throw new MishapError('VALIDATION', { detail: 'The file is not a Mishap backup.' })
  if (read.data.format > backupFormat)
    throw new MishapError('START_NEWER_DATA', {
      detail: `The backup comes from Mishap ${read.data.version}, a newer version. Restore it with that version.`,
    })
  return read.data
}
