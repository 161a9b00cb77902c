/** What people want to hear, for Kysely. `content`: JSON as text. */
export type PersonalTables = {
  personal_settings: { organization_id: number; user_id: string; content: string; rev: number; changed_ms: number }
  personal_mail: {
    organization_id: number
    user_id: string
    kind: string
    next_ms: number
    covered_ms: number
    attempts: number
    retry_ms: number
  }
}
