// System calls of the journal that wait for the disk. They run in other threads.
import { close as closeFile, fdatasync, ftruncate, open as openFile, statfs, writev } from 'node:fs'
import { promisify } from 'node:util'

export const open = promisify(openFile)
export const close = promisify(closeFile)
export const truncate = promisify(ftruncate)
/** Waits until the content of a file is on disk. */
export const sync = promisify(fdatasync)
/** Free and total blocks of the file system of a folder. */
export const diskOf = promisify(statfs)

/** Writes buffers one behind the other from byte `at` of a file on. Returns the number of bytes written. */
export const write = (handle: number, parts: Buffer[], at: number): Promise<number> =>
  new Promise((resolve, reject) => {
    writev(handle, parts, at, (error, bytes) => (error ? reject(error) : resolve(bytes)))
  })
