import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { syncPath } from '../store/sync.ts'

/** Begins the names of whole copies of a data folder that lie within it while a rehearsal runs. */
export const rehearsal = 'rehearsal-'

/** Where copies are put together, in the data folder; the engine writes there as well (sessions.ts). */
export const workFolderOf = (data: string): string => join(data, 'backup')

/** Folders of the data folder in which whole copies of it lie for a time. */
export async function copyFoldersOf(data: string): Promise<string[]> {
  const names = await readdir(data).catch(() => [])
  return [workFolderOf(data), ...names.filter((name) => name.startsWith(rehearsal)).map((name) => join(data, name))]
}

const noteEnd = '.note.json'
const noted = z.object({ part: z.string() })

/**
 * Writes down where an archive grows before its first byte does: it lies in a folder that nobody would look into after a
 * kill. Returns the note's file, which goes last.
 */
export async function noteArchive(work: string, name: string, part: string): Promise<string> {
  const file = join(work, `${name}${noteEnd}`)
  await writeFile(file, JSON.stringify({ part }), { mode: 0o600 })
  await syncPath(file)
  return file
}

/** The archive that a note names; undefined for a note that was cut off: its archive was not begun. */
async function archiveOf(note: string): Promise<string | undefined> {
  const text = await readFile(note, 'utf8').catch(() => '')
  try {
    const { part } = noted.parse(JSON.parse(text))
    const name = basename(part)
    return isAbsolute(part) && name.startsWith('.') && name.endsWith('.part') ? part : undefined
  } catch {
    return undefined
  }
}

/**
 * Takes away what backups and rehearsals that were killed have left. Nobody may be at work on either. Returns what was
 * there, archives first; a note goes after its archive, so that a kill in between forgets nothing.
 */
export async function sweepLeftovers(data: string): Promise<string[]> {
  const work = workFolderOf(data)
  const names = (await readdir(work).catch(() => [])).sort()
  const archives: string[] = []
  for (const name of names.filter((item) => item.endsWith(noteEnd))) {
    const archive = await archiveOf(join(work, name))
    if (archive !== undefined) archives.push(archive)
  }
  const [, ...copies] = await copyFoldersOf(data)
  const isNote = (name: string) => name.endsWith(noteEnd)
  const own = [...names.filter((name) => !isNote(name)), ...names.filter(isNote)].map((name) => join(work, name))
  const swept = [...archives, ...copies, ...own]
  for (const item of swept) await rm(item, { recursive: true, force: true })
  return swept
}
