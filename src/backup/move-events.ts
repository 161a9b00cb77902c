import { MishapError } from '../base/errors.ts'
import {
  everyRow,
  hasPositions,
  type MoveStore,
  type PartitionSum,
  type RowPartition,
  type RowTarget,
  rowsOfSums,
} from '../store/events/moves.ts'
import type { TableName } from '../store/events/tables.ts'

type Source = Pick<MoveStore, 'rowPartitions' | 'rowColumns' | 'rowsIn' | 'rowSums'>

/** A partition as it was when it was copied, and the position up to which its rows are in the target. */
type Copied = RowPartition & { until: number }

const keyOf = ({ table, id }: Pick<RowPartition, 'table' | 'id'>) => `${table} ${id}`

/** Copies the rows of one events store to another in rounds. The first rounds run while the source takes inserts. */
type EventsMove = {
  /**
   * Copies what has changed since the last round. `until`: all rows below this position are in the source for good.
   * Returns the number of copied partitions.
   */
  round(until: number): Promise<number>
  /**
   * Copies the rest and compares both stores. Nothing may change meanwhile. Returns the rows of each table. Throws
   * VALIDATION if the stores differ although they were copied again.
   */
  finish(): Promise<Record<TableName, number>>
}

const differing = (from: readonly PartitionSum[], to: readonly PartitionSum[]): PartitionSum[] => {
  const there = new Map(to.map((part) => [keyOf(part), part]))
  return from.filter((part) => {
    const found = there.get(keyOf(part))
    return found?.rows !== part.rows || found.sum !== part.sum
  })
}

/** Begins a move into an empty target. */
export function createEventsMove(from: Source, target: RowTarget, to: Pick<MoveStore, 'rowSums'>): EventsMove {
  const copied = new Map<string, Copied>()

  /** Copies one partition: only its new rows, unless rows of it were deleted or rewritten since the last round. */
  async function copy(partition: RowPartition, until: number): Promise<void> {
    const before = copied.get(keyOf(partition))
    const isAdded = hasPositions(partition.table) && before !== undefined && before.deletion === partition.deletion
    const range = { from: isAdded ? before.until : everyRow.from, until }
    const columns = await from.rowColumns(partition.table)
    await target.put(partition, columns, from.rowsIn(partition, range), !isAdded && before !== undefined)
    copied.set(keyOf(partition), { ...partition, until })
  }

  async function round(until: number): Promise<number> {
    const all = await from.rowPartitions()
    const changed = all.filter((partition) => {
      const before = copied.get(keyOf(partition))
      const isSame = before?.version === partition.version && before.deletion === partition.deletion
      // Rows above the position of the last round can be older than its look at the partitions.
      return !isSame || (hasPositions(partition.table) && before.until < until)
    })
    for (const partition of changed) await copy(partition, until)
    const there = new Set(all.map(keyOf))
    for (const [key, partition] of copied)
      if (!there.has(key)) {
        await target.drop(partition)
        copied.delete(key)
      }
    return changed.length
  }

  return {
    round,
    async finish() {
      await round(everyRow.until)
      const sums = await from.rowSums()
      const partitions = new Map((await from.rowPartitions()).map((partition) => [keyOf(partition), partition]))
      for (const part of differing(sums, await to.rowSums())) {
        // Rows with an old position came in between, such as those of a reprocessing.
        const partition = partitions.get(keyOf(part))
        if (!partition) continue
        copied.set(keyOf(partition), { ...partition, deletion: -1, until: 0 })
        await copy(partition, everyRow.until)
      }
      const wrong = differing(sums, await to.rowSums())
      if (wrong.length > 0)
        throw new MishapError('VALIDATION', {
          detail: `The events were not copied completely: ${wrong.map(keyOf).slice(0, 5).join(', ')} differ. The old stores are still in use.`,
        })
      await target.finish()
      return rowsOfSums(sums)
    },
  }
}
