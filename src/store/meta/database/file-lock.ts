import { DatabaseSync } from 'node:sqlite'

/**
 * Holds a lock on a file for as long as this process lives: SQLite's exclusive lock is the operating system's, and Node
 * offers no other one. Returns the way to let go, or undefined when another process (or this one) holds it.
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
