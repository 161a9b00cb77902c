import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Replaces a file so that after a crash either the old or the new text stands there, never a part: written beside it,
 * synced, renamed, and the folder synced too, because the name lives there.
 */
export function replaceFile(folder: string, name: string, text: string): void {
  const beside = join(folder, `${name}.new`)
  const file = openSync(beside, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(beside, join(folder, name))
  const directory = openSync(folder, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
