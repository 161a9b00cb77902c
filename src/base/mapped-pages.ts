import { readFileSync } from 'node:fs'
import type { Clock } from './clock.ts'

/** A range of addresses. */
type Range = { address: bigint; bytes: bigint }

/** The memory of this process, as `keepMappingsSmall` needs it. */
type Mappings = {
  /** Bytes of mapped pages of files. */
  mappedBytes(): number
  /** Unmaps clean pages of programs and libraries. */
  shrink(): Promise<unknown>
}

/** The first check is after the start: by then the engine has its tables and its first session. */
const checkMs = 10_000
/** Unmapping takes 10 to 40 ms of processor time in the engine. It is worth that for 16 MB. */
const worthBytes = 16 * 1024 * 1024
const pauseChecks = 6

/** Mappings with fewer bytes in memory are not worth a call. */
const rangeBytesMin = 1024 * 1024
/** Of x86 and most ARM. With larger pages only the threshold is larger. */
const pageBytes = 4096

/**
 * Returns the mappings that can be unmapped without a loss: those of a program or library, not writable, without a page of
 * their own, in memory or in the swap. A page of its own is one that the process has changed: the loader writes addresses
 * into pages of a library and only then takes away the right to write. Other files, such as data of the engine, could be
 * replaced by memory before the call. `smaps` is the text of /proc/PID/smaps, see proc_pid_smaps(5).
 */
export function cleanMappings(smaps: string): Range[] {
  const mappings = smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).map((text) => {
    const [, from = '', to = '', rights = '', file = ''] =
      /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ +(\/.*)$/m.exec(text) ?? []
    return { text, from, to, rights, file }
  })
  const programs = new Set(mappings.filter(({ rights }) => rights[2] === 'x').map(({ file }) => file))
  return mappings.flatMap(({ text, from, to, rights, file }) => {
    if (file === '' || !programs.has(file) || !/^r-[x-]p$/.test(rights)) return []
    const bytesOf = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024
    // A kernel that does not say gives NaN, which is neither 0 nor enough.
    const isClean = bytesOf('Anonymous') === 0 && bytesOf('Swap') === 0
    if (!isClean || !(bytesOf('Rss') >= rangeBytesMin)) return []
    const address = BigInt(`0x${from}`)
    return [{ address, bytes: BigInt(`0x${to}`) - address }]
  })
}

/**
 * Returns a call that unmaps the pages of a range of a file, which come back from the file when they are needed.
 * Undefined where the system has none.
 */
async function openUnmap(): Promise<((range: Range) => void) | undefined> {
  if (process.platform !== 'linux') return undefined
  try {
    // 2 MB of private memory, not needed for the start.
    const { load } = (await import('koffi')).default
    const madvise = load(null).func('int madvise(uintptr_t address, size_t length, int advice)')
    // 4 is MADV_DONTNEED, see madvise(2).
    return ({ address, bytes }) => void madvise(address, bytes, 4)
  } catch {
    // koffi has no binary for this machine. Memory only stays larger.
    return undefined
  }
}

/** The third number is the pages of files, see proc_pid_statm(5). 0 where there is no /proc. */
function mappedBytes(): number {
  try {
    return Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[2]) * pageBytes
  } catch {
    return 0
  }
}

/** Returns the memory of the process that calls. */
function ownMappings(): Mappings {
  let opened: ReturnType<typeof openUnmap> | undefined
  return {
    mappedBytes,
    shrink: async () => {
      opened ??= openUnmap()
      const unmap = await opened
      // In one turn, so that the mappings are still the same.
      if (unmap) for (const range of cleanMappings(readFileSync('/proc/self/smaps', 'utf8'))) unmap(range)
    },
  }
}

/**
 * Unmaps pages of programs and libraries that a start or a load needed once: 185 MB of the engine's library are mapped
 * after its start, and 50 to 100 MB of them come back. They stay in the page cache. Does so 10 s after the start, and later
 * when 16 MB more are mapped than 10 s after the last time, at most once a minute. For the main thread of a process. Does
 * nothing on other systems than Linux. Returns a function that stops it.
 */
export function keepMappingsSmall(clock: Pick<Clock, 'every'>, memory: Mappings = ownMappings()): () => void {
  let checks = pauseChecks
  let settledBytes = Number.NEGATIVE_INFINITY
  return clock.every(checkMs, () => {
    const bytes = memory.mappedBytes()
    settledBytes = Math.min(settledBytes, bytes)
    if (++checks < pauseChecks || bytes - settledBytes < worthBytes) return
    checks = 0
    settledBytes = Number.POSITIVE_INFINITY
    // Without it memory only stays larger.
    memory.shrink().catch(() => undefined)
  })
}
