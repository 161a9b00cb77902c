import { statfs } from 'node:fs/promises'

/** Returns the bytes that this process may still write on the disk of a folder. Throws the error of the file system. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
