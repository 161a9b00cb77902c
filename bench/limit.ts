// A memory limit for a started product and all its children: a control group of its own where this may be made (root).
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Limit = {
  /** Environment for `start`. */
  env: Record<string, string>
  /** Bytes that the group holds now, page cache of files included; undefined without a group. */
  usedBytes(): number | undefined
  /** How often the limit was hit, and how many processes it cost. */
  hits(): { hits: number; killed: number } | undefined
  remove(): void
}

const folderV1 = '/sys/fs/cgroup/memory'
const folderV2 = '/sys/fs/cgroup'

/** Loaded by the product's processes: the first one enters the group, its children are born in it. */
const entered = process.env.BENCH_CGROUP
if (entered) writeFileSync(join(entered, 'cgroup.procs'), String(process.pid))

const numberIn = (path: string, name: RegExp): number => {
  try {
    return Number(name.exec(readFileSync(path, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Makes a group with `bytes` of memory; the reason why not where it can't be made. */
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
        // a process is still ending in it
      }
    },
  }
}
