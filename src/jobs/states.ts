import type { Clock } from '../base/clock.ts'
import { faultOf } from '../base/observe.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** State of a job, as shown to users. */
export type JobState = {
  name: string
  everyMs: number
  /** Start of the current run; null if it is not running. */
  runningSinceMs: number | null
  /** Start of the last run, and its duration below. */
  lastMs: number | null
  durationMs: number
  /** The result of the last run. */
  result: Record<string, unknown>
  /** Error of the last run; '' if it succeeded. */
  error: string
  /** Consecutive failed runs. */
  failures: number
  nextMs: number | null
}

type Timed = { name: string; everyMs: number; firstMs: number }
type SavedState = Pick<JobState, 'lastMs' | 'durationMs' | 'result' | 'error' | 'failures'>

/** States are stored to survive a restart. Otherwise an hourly job would show nothing for an hour. */
const valueName = 'jobs'
/** States of jobs with a shorter interval are not stored. */
const savedEveryMs = 60_000

const none: SavedState = { lastMs: null, durationMs: 0, result: {}, error: '', failures: 0 }

async function readSaved(meta: MetaWith<'values.getValue'>): Promise<Record<string, SavedState>> {
  try {
    return JSON.parse((await meta.values.getValue(valueName)) ?? '{}') as Record<string, SavedState>
  } catch {
    return {}
  }
}

/** Records the result of each job. */
export async function createJobStates(
  clock: Clock,
  meta: MetaWith<'values.getValue' | 'values.setValue'>,
  jobs: readonly Timed[],
) {
  const before = await readSaved(meta)
  const states = new Map<string, SavedState>(jobs.map(({ name }) => [name, { ...none, ...before[name] }]))
  const running = new Map<string, number>()
  const started = { atMs: undefined as number | undefined }

  async function end({ name, everyMs }: Timed, change: Pick<SavedState, 'result' | 'error'>): Promise<void> {
    const lastMs = running.get(name) ?? clock.now()
    running.delete(name)
    const failures = change.error === '' ? 0 : (states.get(name)?.failures ?? 0) + 1
    states.set(name, { ...change, lastMs, durationMs: Math.max(0, clock.now() - lastMs), failures })
    if (everyMs < savedEveryMs) return
    const slow = jobs.filter((job) => job.everyMs >= savedEveryMs).map((job) => [job.name, states.get(job.name)])
    await meta.values.setValue(valueName, JSON.stringify(Object.fromEntries(slow)))
  }

  function nextOf({ everyMs, firstMs }: Timed): number | null {
    if (started.atMs === undefined) return null
    const passedMs = clock.now() - started.atMs
    if (passedMs < firstMs && firstMs < everyMs) return started.atMs + firstMs
    return started.atMs + (Math.floor(passedMs / everyMs) + 1) * everyMs
  }

  return {
    started: () => {
      started.atMs = clock.now()
    },
    begin: (job: Timed) => void running.set(job.name, clock.now()),
    done: (job: Timed, result: Record<string, unknown>) => end(job, { result, error: '' }),
    failed: (job: Timed, error: unknown) => end(job, { result: {}, error: faultOf(error) }),
    all: (): JobState[] =>
      jobs.map((job) => ({
        name: job.name,
        everyMs: job.everyMs,
        runningSinceMs: running.get(job.name) ?? null,
        ...(states.get(job.name) ?? none),
        nextMs: nextOf(job),
      })),
  }
}
