// A memory limit for a started product and all its children, by a control group. Creating one needs root.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Limit = {
  /** Environment for `start`. */
  env: Record<string, string>
  /** Bytes that the group uses now, including the page cache. Undefined without a group. */
  usedBytes(): number | undefined
  /** How often the group hit the limit, and how many processes were killed. */
  hits(): { hits: number; killed: number } | undefined
  remove(): void
}

const folderV1 = '/sys/fs/cgroup/memory'
const folderV2 = '/sys/fs/cgroup'

/** The product's processes load this file. The first process enters the group, and its children inherit it. */
const entered = process.env.BENCH_CGROUP
if (entered) writeFileSync(join(entered, 'cgroup.procs'), String(process.pid))

const numberIn = (path: string, name: RegExp): number => {
  try {
    return Number(name.exec(readFileSync(path, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Creates a group with `bytes` of memory. Returns the reason if that is not possible. */
export function memoryLimit(bytes: number): Limit | { none: string } {
  const isV1 = existsSync(join(folderV1, 'memory.limit_in_bytes'))
  const folder = join(isV1 ? folderV1 : folderV2, `mishap-bench-${process.pid}`)
  const at = (name: string) => join(folder, name)
  try {
    mkdirSync(folder)
    writeFileSync(at(isV1 ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes))
  } catch (error) {
    return { none: `no control group: ${(error as Error).message.slice(0, 80)}` }
  }
  return {
    env: { BENCH_CGROUP: folder, NODE_OPTIONS: `--import=${pathToFileURL(import.meta.filename)}` },
    usedBytes: () => numberIn(at(isV1 ? 'memory.usage_in_bytes' : 'memory.current'), /(\d+)/),
    hits: () => ({
      hits: isV1 ? numberIn(at('memory.failcnt'), /(\d+)/) : numberIn(at('memory.events'), /^max (\d+)/m),
      killed: numberIn(at(isV1 ? 'memory.oom_control' : 'memory.events'), /^oom_kill (\d+)/m),
    }),
    remove: () => {
      try {
        rmdirSync(folder)
      } catch {
        // A process in the group is still exiting.
      }
    },
  }
}
