import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a file until this process ends. Uses SQLite's exclusive lock, a lock of the operating system, because Node has
 * no file locks. Returns a function that releases the lock, or undefined when this or another process has the lock.
 */
export function lockExclusively(file: string): (() => void) | undefined {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
  } catch (error) {
    database.close()
    // 5: SQLITE_BUSY. Other errors (a full disk, no permission) do not mean that the lock is taken.
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined
    throw error
  }
  return () => database.close()
}
