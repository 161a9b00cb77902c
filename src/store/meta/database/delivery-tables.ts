import type { ColumnType, Generated } from 'kysely'

type Defaulted<T> = ColumnType<T, T | undefined, T>

/** Notifications that leave, and where they go. */
export type DeliveryTables = {
  channel: {
    id: Generated<number>
    organization_id: number
    project_id: number | null
    kind: string
    name: string
    sealed_target: string
    sealed_secret: string
    /** 0 or 1. */
    active: number
    created_ms: number
    failing_since_ms: number | null
    last_error: string
    subscription: Defaulted<string>
    sealed_config: Defaulted<string>
    last_answer: Defaulted<string>
    paused_until_ms: Defaulted<number>
  }
  channel_address: {
    channel_id: number
    address: string
    token_hash: Defaulted<string | null>
    asked_ms: Defaulted<number | null>
    expires_ms: Defaulted<number | null>
    confirmed_ms: Defaulted<number | null>
    error: string
  }
  /** `firing_ids`, `items`, `issue_ids` and `steps` are JSON. A message goes to a channel or to a person. */
  delivery: {
    id: Generated<number>
    organization_id: number
    channel_id: number | null
    user_id: string | null
    incident_id: number | null
    rule_id: number | null
    firing_ids: string
    recipient: string
    kind: string
    change: string
    level: string
    items: string
    issue_ids: string
    more: number
    status: string
    attempts: number
    next_ms: number
    error: string
    created_ms: number
    sent_ms: number | null
    steps: string
    personal_kind: Defaulted<string | null>
  }
  /** Browsers of people that want push messages. */
  push_subscription: {
    id: Generated<number>
    user_id: string
    endpoint_hash: string
    /** JSON: endpoint and keys. */
    sealed: string
    browser: string
    created_ms: number
    gone_ms: Defaulted<number | null>
  }
  /** Clicks on the buttons of Slack messages. `sealed`: what to do. `sentence`: the result, once it is known. */
  slack_click: {
    id: Generated<number>
    organization_id: number
    click: string
    sealed: string
    sentence: Defaulted<string>
    attempts: Defaulted<number>
    next_ms: number
    created_ms: number
    done_ms: Defaulted<number | null>
  }
}
