import { open } from 'node:fs/promises'

/** Makes a file's bytes, or a folder's names, last a power cut. Throws what the file system says, ENOENT too. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
