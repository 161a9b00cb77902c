/** A saved view of the issue stream in the shape of the API. */
export type RestSearch = {
  id: string
  type: 0
  name: string
  query: string
  /** date, new, freq or user. */
  sort: string
  visibility: 'owner' | 'organization'
  isGlobal: false
  isPinned: false
  /** Slugs or ids; empty: all. */
  projects: string[]
  environments: string[]
  /** Null with `start` and `end`, or for the usual length. */
  statsPeriod: string | null
  start: string | null
  end: string | null
  createdBy: { id: string; name: string; email: string } | null
  dateCreated: string
  /** Whether the caller may change it. */
  isEditable: boolean
  revision: number
}
