/** Shapes of release health: the sessions of releases. Rates are 0 to 1; null where nothing was counted. */

/** A share with its interval of 95% and the number that it was counted from. */
export type RestShare = { share: number; low: number; high: number; sample: number }

/** Ours: how the crash-free sessions of a release differ from those of the one before it, at equal adoption. */
export type RestHealthChange = {
  /** The version before it that has sessions. */
  previous: string
  /** The first sessions of each: as many of this release as of the one before it. */
  own: RestShare
  before: RestShare
  /** `own` less `before`, with its interval of 95%. */
  by: number
  low: number
  high: number
  verdict: 'better' | 'worse' | 'same'
  /** Of `same`: about how many sessions would tell; else 0. */
  needed: number
}

/** Ours: the health of one release over a range. */
export type RestHealth = {
  crashFreeSessions: RestShare | null
  crashFreeUsers: RestShare | null
  sessions: { all: number; errored: number; unhandled: number; abnormal: number; crashed: number }
  /** Of the last 24 hours: its share of the sessions of its projects. Null: they had none. */
  adoption: { share: number; sessions: number; all: number; stage: 'low' | 'adopted' | 'replaced' } | null
}

/** What a release says of one of its projects with `health=1`. */
export type RestHealthData = {
  hasHealthData: boolean
  /** Percent of users and sessions of the last 24 hours. */
  adoption: number | null
  sessionsAdoption: number | null
  /** Percent. */
  crashFreeUsers: number | null
  crashFreeSessions: number | null
  totalUsers: number
  totalSessions: number
  totalUsers24h: number
  totalSessions24h: number
  totalProjectUsers24h: number
  totalProjectSessions24h: number
  sessionsCrashed: number
  sessionsErrored: number
  durationP50: number | null
  durationP90: number | null
  /** Sessions of each of the last 24 hours: [seconds, sessions]. */
  stats: { '24h': [number, number][] }
}

/** GET organizations/{org}/sessions/ */
export type RestSessions = {
  start: string
  end: string
  query: string
  /** Starts of the buckets. */
  intervals: string[]
  groups: {
    by: Record<string, string | number>
    totals: Record<string, number | null>
    series: Record<string, (number | null)[]>
  }[]
}
