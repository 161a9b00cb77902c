/** One project key as accept needs it. */
export type AcceptKey = {
  keyId: number
  projectId: number
  organizationId: number
  active: boolean
  /** `count` items in `windowS` seconds; absent: no limit. */
  rateLimit?: { count: number; windowS: number }
  /** Patterns such as `*`, `https://shop.example`, `*.shop.example`; empty or `*`: all. */
  allowedOrigins: string[]
}

/** All keys by public key (32 hex). Process app makes it, process main accepts by it and keeps it in a file. */
export type KeySnapshot = {
  /** Grows with each change. */
  version: number
  keys: Record<string, AcceptKey>
}

export const noKeys: KeySnapshot = { version: 0, keys: {} }
