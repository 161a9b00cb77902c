/** Shapes of releases, commits, deploys, repositories, marks and suspect commits under /api/0/ (docs/releases.md). */

export type RestAuthor = { name: string; email: string }

/** What is known of a version's text; `version.major` and what follows only where it is `name@x.y.z`. */
export type RestVersionInfo = {
  package: string | null
  version: {
    raw: string
    major?: string
    minor?: string
    patch?: string
    pre?: string | null
    buildCode?: string | null
  }
  /** What a person reads: the version without its package, a commit's hash shortened to 12 characters. */
  description: string
  /** The commit's hash, where the version is one. */
  buildHash: string | null
}

export type RestRepository = {
  id: string
  name: string
  /** http(s), or null. */
  url: string | null
  provider: { id: string; name: string }
  status: 'active'
  dateCreated: string
  integrationId: null
  externalSlug: null
}

export type RestCommit = {
  /** Its hash, or what the client called it. */
  id: string
  /** Null: only its id is known, as a ref named it. */
  message: string | null
  dateCreated: string
  author: RestAuthor | null
  repository: { id: string; name: string; url: string | null }
  /** Ours: files that it changed and that are kept; those beyond the limit. */
  fileCount: number
  filesOmitted: number
}

export type RestCommitFile = {
  id: string
  orgId: number
  author: RestAuthor | null
  commitMessage: string | null
  /** Ours: the commit's id. */
  commitId: string
  filename: string
  type: 'A' | 'M' | 'D'
}

type RestRef = { repository: string; commit: string; previousCommit: string | null }

export type RestDeploy = {
  id: string
  environment: string
  name: string | null
  /** http(s), or null. */
  url: string | null
  dateStarted: string | null
  dateFinished: string
  /** Ours: slugs of the projects it is about. */
  projects: string[]
}

type RestReleaseProject = {
  id: number
  slug: string
  name: string
  platform: string | null
  platforms: string[]
  /** Issues of the project that were first seen in the release. */
  newGroups: number
}

export type RestRelease = {
  id: number
  version: string
  shortVersion: string
  versionInfo: RestVersionInfo
  status: 'open' | 'archived'
  ref: string | null
  url: string | null
  owner: null
  data: Record<string, never>
  dateCreated: string
  /** Null: not finalized. */
  dateReleased: string | null
  firstEvent: string | null
  lastEvent: string | null
  newGroups: number
  commitCount: number
  lastCommit: RestCommit | null
  deployCount: number
  lastDeploy: RestDeploy | null
  /** Of its commits, each once, at most 20. */
  authors: RestAuthor[]
  projects: RestReleaseProject[]
  /** Ours: the last deploy to each environment, newest first, at most 20. */
  lastDeploys: RestDeploy[]
  /** Ours: environments that its events named, in alphabetical order. */
  environments: string[]
  /** Ours: the commit of each repository that the release was built from. */
  refs: RestRef[]
  /** Ours: uploaded bundles that name the release. */
  bundleCount: number
}

/** A moment that a chart marks. `at`: creation (or first event, whichever came first) of a release, end of a deploy. */
export type RestMark = {
  kind: 'release' | 'deploy'
  version: string
  shortVersion: string
  at: string
  /** Of a deploy; null for a release. */
  environment: string | null
  /** Slugs. */
  projects: string[]
}

/** GET organizations/{org}/release-marks/: the newest marks of the range in the order of time, and how many older ones are left out. */
export type RestMarks = { marks: RestMark[]; omitted: number }

/** Why a commit is suspected: it changed the file of a frame. */
export type RestSuspicion = {
  /** 0: the top in-app frame, where it was thrown; 1: its caller, and so on. */
  frame: number
  function: string | null
  /** The frame's file and line as the event has them. */
  filename: string
  lineNo: number | null
  /** The changed file as the commit names it. */
  path: string
  change: 'A' | 'M'
  /** Parts of both paths that are equal, counted from the end. */
  parts: number
  /** high: the shorter path is wholly in the other; medium: two parts or more; low: the bare file name, or one of several. */
  confidence: 'high' | 'medium' | 'low'
  /** Other changed files that fit the frame just as well. */
  alike: number
  /** From the commit to the first event. */
  beforeMs: number
  /** The same in English. */
  sentence: string
}

export type RestSuspectCommit = RestCommit & {
  /** The version whose commits it is among. */
  release: string
  suspicion: RestSuspicion
}

/** GET projects/{org}/{project}/events/{id}/committers/ */
export type RestCommitters = {
  /** By author, the most suspect first; empty unless `state` is found. */
  committers: { author: RestAuthor | null; commits: RestSuspectCommit[] }[]
  /** Ours: the first thing that is missing, or found. */
  state: 'found' | 'no_release' | 'no_commits' | 'no_files' | 'no_frames' | 'no_match'
  /** Ours: versions whose commits were looked at: the one that brought the issue, then those before it without events. */
  releases: string[]
}
