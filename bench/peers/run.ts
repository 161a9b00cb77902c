// npm run bench -- peers [--rounds 3] [--quick]: Mishap beside the peers that registries offer, one after the other on
// this machine. It prints the table of docs/benchmarks.md. It installs the peers, so it runs only when named.
import { loadavg } from 'node:os'
import { machine, type Row } from '../measure.ts'
import { absent } from './absent.ts'
import { bugsink } from './bugsink.ts'
import { currentBodies, type Figures, figuresOf } from './figures.ts'
import { mishap } from './mishap.ts'
import type { Peer } from './peer.ts'

const peers: readonly Peer[] = [mishap, bugsink]

type Measured = { peer: Peer; version: string; rounds: Figures[] }

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1] ?? Number.NaN
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

type Column = { title: string; of(figures: Figures): number; show(value: number): string; better: 'more' | 'less' }
const columns: readonly Column[] = [
  {
    title: 'Acknowledged/s',
    of: (one) => one.acknowledged,
    show: (n) => Math.round(n).toLocaleString('en'),
    better: 'more',
  },
  { title: 'p99', of: (one) => one.p99Ms, show: (n) => `${Math.round(n)} ms`, better: 'less' },
  {
    title: 'Stored/s meanwhile',
    of: (one) => one.stored,
    show: (n) => Math.round(n).toLocaleString('en'),
    better: 'more',
  },
  { title: 'Memory at 100/s', of: (one) => one.pssMb, show: (n) => `${Math.round(n)} MB`, better: 'less' },
  { title: 'CPU at 100/s', of: (one) => one.cores, show: (n) => `${n.toFixed(2)} core`, better: 'less' },
  {
    title: 'Disk per event',
    of: (one) => one.diskBytes,
    show: (n) => `${Math.round(n).toLocaleString('en')} B`,
    better: 'less',
  },
]

const figureOf = (measured: Measured, column: Column) => median(measured.rounds.map(column.of))

function lostOf({ rounds }: Measured): string {
  const sum = (of: (figures: Figures) => number) => rounds.reduce((all, round) => all + of(round), 0)
  return `${sum((one) => one.lost).toLocaleString('en')} of ${sum((one) => one.acknowledgedInAll).toLocaleString('en')}`
}

/** The table in Markdown, with the facts of each peer below it. */
function pageOf(all: readonly Measured[], how: string): string {
  const titles = ['', ...columns.map((column) => column.title), 'Lost by `kill -9`', 'Survives']
  const rows = all.map((measured) => [
    measured.peer.name,
    ...columns.map((column) => column.show(figureOf(measured, column))),
    lostOf(measured),
    measured.peer.survives,
  ])
  const sizes = currentBodies().map((body) => body.length)
  const mean = Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length)
  return [
    `${machine()}, ${new Date().toISOString().slice(0, 10)}. ${how}`,
    `Envelopes of ${Math.min(...sizes)} and ${Math.max(...sizes)} bytes, ${mean} in the mean.`,
    '',
    ...[titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...all.map(
      ({ peer, version }) =>
        `- ${peer.name} (${version}). Before the 200: ${peer.durability} Lifted limits: ${peer.lifted}.`,
    ),
  ].join('\n')
}

/** Rows of Mishap beside the best peer of each column: a row that is not met is something that Mishap is worse at. */
function rowsOf(all: readonly Measured[]): Row[] {
  const own = all.find(({ peer }) => peer === mishap)
  const others = all.filter((measured) => measured !== own)
  if (!own || others.length === 0) return []
  return columns.map((column) => {
    const sign = column.better === 'more' ? -1 : 1
    const [best] = [...others].sort((a, b) => sign * (figureOf(a, column) - figureOf(b, column))) as [Measured]
    const [value, other] = [figureOf(own, column), figureOf(best, column)]
    return {
      what: `${column.title}, beside peers`,
      goal: 'as good as the best peer',
      result: `${column.show(value)}; ${best.peer.name} ${column.show(other)}`,
      met: sign * value <= sign * other,
    }
  })
}

/** Measures all peers in turns, so that what else the machine does meets all. A peer that fails is left out. */
async function measureAll(seconds: number, rounds: number): Promise<Measured[]> {
  const all: Measured[] = []
  const skip = (name: string, error: unknown) => console.error(`peers: ${name} skipped: ${reasonOf(error)}`)
  for (const { name, reason } of absent) skip(name, reason)
  for (const peer of peers)
    try {
      all.push({ peer, version: await peer.install(), rounds: [] })
    } catch (error) {
      skip(peer.name, error)
    }
  for (let round = 0; round < rounds; round++)
    for (const measured of all)
      try {
        console.error(`peers: ${measured.peer.name}, round ${round + 1} of ${rounds}`)
        const figures = await figuresOf(measured.peer, seconds)
        console.error(`  ${columns.map((column) => `${column.title} ${column.show(column.of(figures))}`).join(', ')}`)
        measured.rounds.push(figures)
      } catch (error) {
        skip(measured.peer.name, error)
      }
  return all.filter((measured) => measured.rounds.length > 0)
}

/** Prints the table, and returns rows that compare Mishap with the best peer. */
export async function benchPeers(seconds: number, rounds: number): Promise<Row[]> {
  // The servers of the peers are in process groups of their own. They are ended when this process exits.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  // On a shared machine the figures say less. The reader should see it.
  const how = `${seconds} s a measurement, ${rounds} round(s), load average ${loadavg()[0]?.toFixed(1)} at the start.`
  const all = await measureAll(seconds, rounds)
  console.log(`${pageOf(all, how)}\n`)
  return rowsOf(all)
}
