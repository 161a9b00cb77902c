import { type AppMetrics, type LoopDelay, type Metric, residentBytes } from './metrics.ts'

/** State of the main process for a metrics request. */
export type MainMetrics = {
  version: string
  startedMs: number
  answers: readonly { status: number; code: string; count: number }[]
  /** Answers of screens and API by status. */
  screens: ReadonlyMap<number, number>
  journal: { lagBytes: number; doneBytes: number; boundBytes: number }
  processes: { app: { up: boolean; pid: number | undefined }; engine: { up: boolean; pid: number | undefined } }
  loop: LoopDelay
  residentBytes: number
  /** Undefined until the first report of the app. */
  app: AppMetrics | undefined
}

const metric = (name: string, help: string, type: Metric['type'], value: number): Metric => ({
  name,
  help,
  type,
  samples: [[{}, value]],
})

function loopMetric(main: LoopDelay, app: LoopDelay | undefined): Metric {
  const of = (process: string, loop: LoopDelay | undefined) =>
    loop
      ? ([
          [{ process, quantile: '0.5' }, loop.p50S],
          [{ process, quantile: '0.99' }, loop.p99S],
          [{ process, quantile: '1' }, loop.maxS],
        ] as const)
      : []
  return {
    name: 'mishap_event_loop_delay_seconds',
    help: 'Delay of the event loop: of main since the last scrape, of app over 5 s.',
    type: 'gauge',
    samples: [...of('main', main), ...of('app', app)],
  }
}

function processMetrics({ processes, residentBytes: ownBytes, app }: MainMetrics): Metric[] {
  const memory: [Record<string, string>, number][] = [[{ process: 'main' }, ownBytes]]
  if (app) memory.push([{ process: 'app' }, app.residentBytes])
  const engine = residentBytes(processes.engine.pid)
  if (engine !== undefined) memory.push([{ process: 'engine' }, engine])
  return [
    {
      name: 'mishap_process_up',
      help: 'Whether a process is up (1) or down (0).',
      type: 'gauge',
      samples: [
        [{ process: 'main' }, 1],
        [{ process: 'app' }, Number(processes.app.up)],
        [{ process: 'engine' }, Number(processes.engine.up)],
      ],
    },
    { name: 'mishap_resident_memory_bytes', help: 'Resident memory of a process.', type: 'gauge', samples: memory },
  ]
}

function appMetrics(app: AppMetrics): Metric[] {
  const { refine, journal } = app
  return [
    metric(
      'mishap_journal_waiting_records',
      'Records that refine has not committed yet, counted up to 5000.',
      'gauge',
      journal.waitingRecords,
    ),
    metric(
      'mishap_journal_oldest_waiting_seconds',
      'Age of the oldest record that refine has not committed yet.',
      'gauge',
      journal.oldestWaitingMs / 1000,
    ),
    metric(
      'mishap_journal_events_oldest_waiting_seconds',
      'The same for errors, sessions, feedback and reports, which spans, logs and metrics do not delay.',
      'gauge',
      journal.eventsWaitingMs / 1000,
    ),
    metric('mishap_refine_batches_total', 'Batches committed since app started.', 'counter', refine.batches),
    metric('mishap_refine_records_total', 'Records committed since app started.', 'counter', refine.records),
    metric('mishap_refine_events_total', 'Events stored since app started.', 'counter', refine.events),
    metric(
      'mishap_refine_seconds_total',
      'Total time of all batches from start to commit. Two batches can run at once.',
      'counter',
      refine.ms / 1000,
    ),
    metric('mishap_sqlite_bytes', 'Size of the SQLite database including its log.', 'gauge', app.sqliteBytes),
    metric('mishap_dead_items', 'Stored dead letters.', 'gauge', app.deadLetters),
    metric('mishap_jobs_failing', 'Jobs whose last run failed.', 'gauge', app.jobsFailing),
  ]
}

/** Returns all families of /metrics. */
export function metricsOf(main: MainMetrics): Metric[] {
  const { journal } = main
  return [
    {
      name: 'mishap_build_info',
      help: 'Version of Mishap.',
      type: 'gauge',
      samples: [[{ version: main.version }, 1]],
    },
    metric(
      'mishap_start_time_seconds',
      'Start time of process main, in seconds since 1970.',
      'gauge',
      main.startedMs / 1000,
    ),
    ...processMetrics(main),
    {
      name: 'mishap_ingest_requests_total',
      help: 'Ingest requests by response code. OK means accepted.',
      type: 'counter',
      samples: main.answers.map(({ status, code, count }) => [{ status: String(status), code }, count] as const),
    },
    metric(
      'mishap_journal_lag_bytes',
      'Bytes in the journal that refine has not processed yet.',
      'gauge',
      journal.lagBytes,
    ),
    metric('mishap_journal_bound_bytes', 'Size limit of the journal.', 'gauge', journal.boundBytes),
    metric(
      'mishap_journal_done_bytes_total',
      'Bytes of the journal that refine has processed since main started.',
      'counter',
      journal.doneBytes,
    ),
    {
      name: 'mishap_http_requests_total',
      help: 'Requests to screens and API by status.',
      type: 'counter',
      samples: [...main.screens]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => [{ status: String(status) }, count] as const),
    },
    loopMetric(main.loop, main.app?.loop),
    ...(main.app ? appMetrics(main.app) : []),
  ]
}
