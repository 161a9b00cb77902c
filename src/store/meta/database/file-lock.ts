import { DatabaseSync } from 'node:sqlite'

/**
 * Locks a file for as long as this process lives. SQLite's exclusive lock is the operating system's, and Node offers no
 * other lock. Returns a function that releases the lock, or undefined when this or another process holds it already.
 */
export function holdExclusively(file: string): (() => void) | undefined {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
  } catch (error) {
    database.close()
    // 5: SQLITE_BUSY. Anything else (a full disk, no permission) is not "somebody holds it".
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined
    throw error
  }
  return () => database.close()
}
