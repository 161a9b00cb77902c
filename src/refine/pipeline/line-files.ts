import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { RowFile } from '../../store/events/row-file.ts'
import type { TableName } from '../../store/events/tables.ts'
import { tableNames } from '../../store/events/tables.ts'

/** A file that lines move to, one piece after the other. */
export type LineFile = {
  /** Memory for the next piece. */
  buffer: Buffer
  /** Writes a piece at a position. Returns false if the disk does not take it. */
  write(piece: Buffer, at: number): boolean
  /** Fills `into` with the first bytes of the file. */
  read(into: Buffer): void
  /** Ends the file after `bytes`. Its memory may be used for other lines then. */
  end(bytes: number): RowFile
  /** Deletes the file: the lines went on in memory. */
  drop(): void
}

/** A piece stays in the processor's cache between its encoding and its copy to the file. */
const pieceBytes = 256 * 1024
/** Two batches in flight, each with rows of two tables. */
const buffersMax = 4

const pathOf = (prefix: string, job: number, table: TableName): string => `${prefix}${job}-${table}`

/** Deletes the files that a crashed job left. Its other files are not complete and nobody knows them. */
export function dropLineFiles(prefix: string | undefined, job: number): void {
  if (prefix !== undefined) for (const table of tableNames) rmSync(pathOf(prefix, job, table), { force: true })
}

/**
 * Creates files for lines. `prefix`: start of their paths, another one in each process: an engine that reads a file of
 * an earlier process must not find other rows in it. Returns undefined if the disk does not take a file.
 */
export function createLineFiles(prefix: string): (job: number, table: TableName) => LineFile | undefined {
  const free: Buffer[] = []
  return (job, table) => {
    const path = pathOf(prefix, job, table)
    let fd: number
    try {
      fd = openSync(path, 'w+', 0o600)
    } catch {
      return undefined
    }
    const buffer = free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
    let written = 0
    const close = () => {
      closeSync(fd)
      if (free.length < buffersMax) free.push(buffer)
    }
    return {
      buffer,
      write: (piece, at) => {
        try {
          for (let done = 0; done < piece.length; ) done += writeSync(fd, piece, done, piece.length - done, at + done)
          written = Math.max(written, at + piece.length)
          return true
        } catch {
          return false
        }
      },
      read: (into) => {
        for (let done = 0; done < into.length; ) {
          const bytes = readSync(fd, into, done, into.length - done, done)
          if (bytes === 0) throw new Error(`the file of rows ${path} is cut off`)
          done += bytes
        }
      },
      end: (bytes) => {
        if (written > bytes) ftruncateSync(fd, bytes)
        close()
        return { path, bytes }
      },
      drop: () => {
        close()
        rmSync(path, { force: true })
      },
    }
  }
}
