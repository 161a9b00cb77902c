import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath } from '../../sync.ts'
import { tableFolders } from './names.ts'

/** The file of a change to rows that are there, as chDB 26 writes it: its last line ends. */
const fileForm = /^mutation_\d+\.txt$/
const whole = /^format version: 1\n.*\ncommands: .*\n$/s

/**
 * Removes what is left of deletions that a full disk cut off; gives their paths. chDB names such a file although not a byte
 * of it could be written, and then refuses the whole table at its next start ("expected 'format version: 1' at end of
 * stream"). Nothing is lost with it: a deletion that was answered stands in the parts, any other is asked for again.
 * Called before the engine opens `folder`.
 */
export async function removeTornMutations(folder: string): Promise<string[]> {
  const torn: string[] = []
  for (const table of await tableFolders(folder)) {
    const names = (await readdir(table)).filter((name) => fileForm.test(name))
    const before = torn.length
    for (const name of names) {
      const path = join(table, name)
      if (whole.test(await readFile(path, 'utf8'))) continue
      await rm(path)
      torn.push(path)
    }
    if (torn.length > before) await syncPath(table)
  }
  return torn
}
