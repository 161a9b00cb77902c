import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Replaces a file so that a crash leaves either the old or the new text, never a part. Writes a new file, syncs it,
 * renames it and syncs the folder, because the folder stores the name.
 */
export function replaceFile(folder: string, name: string, text: string): void {
  const temporary = join(folder, `${name}.new`)
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, join(folder, name))
  const directory = openSync(folder, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
