import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath } from '../../sync.ts'
import { tableFolders } from './names.ts'

/** File name and complete content of a mutation as chDB 26 writes it. The last line ends with a newline. */
const fileForm = /^mutation_\d+\.txt$/
const whole = /^format version: 1\n.*\ncommands: .*\n$/s

/**
 * Removes mutation files that a full disk truncated and returns their paths. chDB creates such a file even if it cannot
 * write a byte, and then refuses the whole table at its next start ("expected 'format version: 1' at end of stream").
 * No data is lost: parts contain each confirmed deletion, and others are repeated. Call this before the engine opens
 * `folder`.
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
