import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { syncPath } from '../store/sync.ts'

/** Name prefix of full copies within the data folder during a rehearsal. */
export const rehearsal = 'rehearsal-'

/** Returns the folder where copies are assembled. The engine also writes there (sessions.ts). */
export const workFolderOf = (data: string): string => join(data, 'backup')

/** Returns folders of the data folder that can contain temporary full copies. */
export async function copyFoldersOf(data: string): Promise<string[]> {
  const names = await readdir(data).catch(() => [])
  return [workFolderOf(data), ...names.filter((name) => name.startsWith(rehearsal)).map((name) => join(data, name))]
}

const noteSuffix = '.note.json'
const noteSchema = z.object({ part: z.string() })

/**
 * Records the path of an archive before its first byte is written, because nobody would search its folder after a kill.
 * Returns the file of the note, which is deleted last.
 */
export async function writeNote(work: string, name: string, part: string): Promise<string> {
  const file = join(work, `${name}${noteSuffix}`)
  await writeFile(file, JSON.stringify({ part }), { mode: 0o600 })
  await syncPath(file)
  return file
}

/** Returns the archive named by a note; undefined for a truncated note, whose archive was never started. */
async function archiveOf(noteFile: string): Promise<string | undefined> {
  const text = await readFile(noteFile, 'utf8').catch(() => '')
  try {
    const { part } = noteSchema.parse(JSON.parse(text))
    const name = basename(part)
    return isAbsolute(part) && name.startsWith('.') && name.endsWith('.part') ? part : undefined
  } catch {
    return undefined
  }
}

/**
 * Deletes leftovers of killed backups and rehearsals. None of them can be running. Returns the deleted names, archives
 * first. A note is deleted after its archive, so that a kill in between loses nothing.
 */
export async function sweepLeftovers(data: string): Promise<string[]> {
  const work = workFolderOf(data)
  const names = (await readdir(work).catch(() => [])).sort()
  const archives: string[] = []
  for (const name of names.filter((item) => item.endsWith(noteSuffix))) {
    const archive = await archiveOf(join(work, name))
    if (archive !== undefined) archives.push(archive)
  }
  const [, ...copies] = await copyFoldersOf(data)
  const isNote = (name: string) => name.endsWith(noteSuffix)
  const own = [...names.filter((name) => !isNote(name)), ...names.filter(isNote)].map((name) => join(work, name))
  const swept = [...archives, ...copies, ...own]
  for (const item of swept) await rm(item, { recursive: true, force: true })
  return swept
}
