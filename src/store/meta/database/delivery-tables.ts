import type { Generated } from 'kysely'

/** Notifications that leave. */
export type DeliveryTables = {
  delivery: {
    id: Generated<number>
    channel_id: number
    recipient: string
    kind: string
    /** JSON. */
    items: string
    more: number
    status: string
    attempts: number
    next_ms: number
    error: string
    created_ms: number
    sent_ms: number | null
  }
}
