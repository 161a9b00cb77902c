/** organizations/{org}/notification-channels/: where notifications go; `target` never holds what is secret in an address. */
export type RestChannel = {
  id: string
  kind: 'email' | 'slack' | 'webhook'
  name: string
  target: string
  recipients: {
    address: string
    state: 'member' | 'confirmed' | 'unconfirmed'
    dateAsked: string | null
    error: string
  }[]
  project: string | null
  isActive: boolean
  dateCreated: string
  failingSince: string | null
  lastError: string
}

/** One message of a channel and what became of it. */
export type RestDelivery = {
  id: string
  recipient: string
  kind: 'issue' | 'summary' | 'test'
  issues: string[]
  status: 'queued' | 'sent' | 'failed'
  attempts: number
  error: string
  dateCreated: string
  dateSent: string | null
}
