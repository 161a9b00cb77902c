import { z } from 'zod'
import { MishapError } from '../base/errors.ts'
import { type TableName, tableNames } from '../store/events/tables.ts'

/** Archive format. It increases when older programs cannot read newer archives. */
export const backupFormat = 1

const whole = z.number().int().min(0)
/** Rows of each stored table by name. A backup only has the tables of its version. */
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
  /** Journal position up to which the stores are complete. Later records are in the journal. */
  cursor: whole,
  organizations: whole,
  projects: whole,
  issues: whole,
  events: whole,
  blobs: whole,
})

/** Contents of a backup. A restore compares its result with them. */
export type Manifest = z.infer<typeof shape>

/** Names within the archive. */
export const parts = {
  manifest: 'manifest.json',
  events: 'events',
  meta: 'meta.sqlite',
  blobs: 'blobs',
  journal: 'journal',
  /** Single files of the data folder. Sealed values are unreadable without the secrets. */
  files: ['secrets.json', 'keys.json'],
} as const

/** Parses a manifest. Throws VALIDATION for invalid input, START_NEWER_DATA for a newer program. */
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
