// Measures one peer: first at 100 events/s, then in a closed loop, then with a kill at the end of one.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile, realBodies, runLoad } from '../load.ts'
import { pssOf, treeOf } from '../measure.ts'
import { diskBytes, type Peer, type RunningPeer } from './peer.ts'

/** Figures of one round. `lost`: acknowledged events that were missing after the kill. */
export type Figures = {
  acknowledged: number
  p99Ms: number
  stored: number
  pssMb: number
  cores: number
  diskBytes: number
  lost: number
  acknowledgedInAll: number
}

const connections = 32
const slowRate = 100
const killSeconds = 3
/** The slowest peer stores some 50 events/s, so what a closed loop leaves takes it minutes. */
const drainMs = 10 * 60_000
const stalledMs = 30_000
const settledMs = 30_000
const settleMs = 120_000
/** Less than this is what an idle product writes anyway. */
const changeBytes = 256 * 1024

/** The real envelopes of `realBodies`, with their times moved to now: a peer may drop events that are old. */
export function currentBodies(now = Date.now() / 1000): Buffer[] {
  return realBodies().mix.map((body) => {
    const text = body.toString('latin1')
    const times = [...text.matchAll(/"timestamp":(\d+(?:\.\d+)?)/g)].map(([, time]) => Number(time))
    const later = now - Math.max(...times)
    const moved = text
      .replace(/"timestamp":(\d+(?:\.\d+)?)/g, (_, time: string) => `"timestamp":${(Number(time) + later).toFixed(3)}`)
      .replace(/"sent_at":"[^"]*"/, `"sent_at":"${new Date(now * 1000).toISOString()}"`)
    return Buffer.from(moved, 'latin1')
  })
}

/** CPU seconds of whole process trees, with those of children that have exited. */
function cpuSeconds(pids: readonly number[]): number {
  let ticks = 0
  for (const pid of pids.flatMap(treeOf))
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      for (const at of [11, 12, 13, 14]) ticks += Number(fields[at])
    } catch {
      // The process has exited in the meantime. Its parent has its time.
    }
  return ticks / 100
}

/** Loads `peer`, and counts what it acknowledges in `sum`. */
async function load(peer: RunningPeer, sum: { acknowledged: number }, seconds: number, rate?: number) {
  const result = await runLoad(
    { port: peer.port, path: peer.path, bodies: currentBodies(), connections, reconnects: true, ...(rate && { rate }) },
    seconds,
  )
  sum.acknowledged += result.ok
  const refused = Object.entries(result.refused).map(([status, count]) => `${count} times ${status}`)
  if (refused.length > 0) console.error(`  refused: ${refused.join(', ')}`)
  return result
}

/** Waits until `total` events are stored, or until nothing more comes. Returns the number of stored events. */
async function drained(peer: RunningPeer, total: number): Promise<number> {
  const began = performance.now()
  let stored = 0
  let changedAt = began
  for (;;) {
    const now = await peer.stored().catch(() => stored)
    if (now !== stored) changedAt = performance.now()
    stored = now
    if (stored >= total || performance.now() - changedAt > stalledMs || performance.now() - began > drainMs)
      return stored
    await pause(500)
  }
}

/** Memory and CPU at 100 events/s. The memory is the largest sum of a sample each second. */
async function atSlowRate(peer: RunningPeer, sum: { acknowledged: number }, seconds: number) {
  const state = { done: false, pssMb: 0 }
  const watching = (async () => {
    while (!state.done) {
      const pssMb = peer.pids().reduce((mb, pid) => mb + pssOf(pid).total, 0)
      state.pssMb = Math.max(state.pssMb, pssMb)
      await pause(1000)
    }
  })()
  const cpuBefore = cpuSeconds(peer.pids())
  const { ok } = await load(peer, sum, seconds, slowRate)
  // What it still has to do belongs to these events.
  await drained(peer, sum.acknowledged)
  // By events and not by time: a peer that falls behind takes longer, and would seem to need less.
  const cores = ((cpuSeconds(peer.pids()) - cpuBefore) / Math.max(1, ok)) * slowRate
  state.done = true
  await watching
  return { pssMb: state.pssMb, cores }
}

/** Disk space of the stores when merges and checkpoints are done: it has not changed for a while. */
async function settledBytes(peer: RunningPeer): Promise<number> {
  const began = performance.now()
  let bytes = await diskBytes(peer.stores)
  let changedAt = began
  while (performance.now() - changedAt < settledMs && performance.now() - began < settleMs) {
    await pause(2000)
    const now = await diskBytes(peer.stores)
    if (Math.abs(now - bytes) < changeBytes) continue
    changedAt = performance.now()
    bytes = now
  }
  return bytes
}

/** As fast as the peer answers. The disk space is the growth until everything is stored. */
async function inClosedLoop(peer: RunningPeer, sum: { acknowledged: number }, seconds: number) {
  const diskBefore = await settledBytes(peer)
  const storedBefore = await peer.stored()
  const began = performance.now()
  const result = await load(peer, sum, seconds)
  const storedMeanwhile = (await peer.stored()) - storedBefore
  const took = (performance.now() - began) / 1000
  const stored = (await drained(peer, sum.acknowledged)) - storedBefore
  return {
    acknowledged: result.ok / result.seconds,
    p99Ms: percentile(result.latenciesMs, 0.99),
    stored: storedMeanwhile / took,
    diskBytes: ((await settledBytes(peer)) - diskBefore) / Math.max(1, stored),
  }
}

/** Starts a peer, measures it and discards it. Each of the two measurements takes `seconds`. */
export async function figuresOf(peer: Peer, seconds: number): Promise<Figures> {
  const running = await peer.start()
  const sum = { acknowledged: 0 }
  try {
    await load(running, sum, 3, slowRate)
    await drained(running, sum.acknowledged)
    const slow = await atSlowRate(running, sum, seconds)
    const closed = await inClosedLoop(running, sum, seconds)
    await load(running, sum, killSeconds)
    await running.kill()
    await running.startAgain()
    const lost = sum.acknowledged - (await drained(running, sum.acknowledged))
    return { ...slow, ...closed, lost, acknowledgedInAll: sum.acknowledged }
  } finally {
    await running.discard()
  }
}
