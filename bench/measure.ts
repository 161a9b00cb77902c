import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'

/** One row of bench/results.md: the subject, its goal, the measured figure, and whether it meets the goal. */
export type Row = { what: string; goal: string; result: string; met: boolean; note?: string }

/** The pids of `pid` and all its descendants. */
export function treeOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const children = new Map<number, number[]>()
  for (const line of lines) {
    const [own = 0, parent = 0] = line.trim().split(/\s+/).map(Number)
    children.set(parent, [...(children.get(parent) ?? []), own])
  }
  const found = [pid]
  for (const item of found) found.push(...(children.get(item) ?? []))
  return found
}

/**
 * Proportional set size of a process tree in MB, by process. `Pss_Anon` excludes file-backed memory. The share of a
 * process in that memory falls when more processes run the same program.
 */
export function pssOf(pid: number, field: 'Pss' | 'Pss_Anon' = 'Pss'): { total: number; each: string } {
  const each = treeOf(pid).map((item) => {
    try {
      const lines = readFileSync(`/proc/${item}/smaps_rollup`, 'utf8')
      const kib = Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(lines)?.[1] ?? 0)
      const name = /(\w+)\.ts/.exec(readFileSync(`/proc/${item}/cmdline`, 'utf8'))?.[1] ?? 'other'
      return { name, mb: kib / 1024 }
    } catch {
      return { name: 'gone', mb: 0 }
    }
  })
  return {
    total: Math.round(each.reduce((sum, item) => sum + item.mb, 0)),
    each: each.map((item) => `${item.name} ${Math.round(item.mb)}`).join(', '),
  }
}

/** CPU seconds used so far by a process tree, by process name. */
export function cpuOf(pid: number): Record<string, number> {
  const used: Record<string, number> = {}
  for (const item of treeOf(pid)) {
    try {
      const fields = readFileSync(`/proc/${item}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      const name = /(\w+)\.ts/.exec(readFileSync(`/proc/${item}/cmdline`, 'utf8'))?.[1] ?? 'other'
      used[name] = (used[name] ?? 0) + (Number(fields[11]) + Number(fields[12])) / 100
    } catch {
      // The process has exited in the meantime.
    }
  }
  return used
}

/** CPU seconds used so far by a process tree. */
export const cpuSecondsOf = (pid: number): number =>
  Object.values(cpuOf(pid)).reduce((sum, seconds) => sum + seconds, 0)

export const machine = (): string =>
  `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.versions.node}`

export const table = (rows: Row[]): string =>
  [
    '| What | Goal | Measured | Met |',
    '|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.what} | ${row.goal} | ${row.result}${row.note ? ` (${row.note})` : ''} | ${row.met ? 'yes' : '**no**'} |`,
    ),
  ].join('\n')
