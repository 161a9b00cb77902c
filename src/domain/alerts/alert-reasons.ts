import { reasonText } from './step-reasons.ts'

/**
 * The sentences in which Mishap itself says why a message was not sent or a rule was not evaluated, by code. They are
 * stored in English, for logs and programs. Screens show each in the language of the reader. The words of a service, and
 * sentences with figures, have no code.
 */
export const alertReasons = {
  incident_over: 'Nothing was sent: the incident has ended, and the alert would stay open.',
  person_left: 'Nothing was sent: the person has left the organization.',
  channel_off: 'Nothing was sent: the channel is switched off.',
  address_gone: 'Nothing was sent: the channel no longer has this address.',
  subject_gone: 'Nothing was sent: what the message is about no longer exists.',
  browser_gone: 'Nothing was sent: the browser gets no push messages any more.',
  no_mail_server: 'No mail server is configured.',
  too_many_messages: 'Too many messages at once.',
  snoozed: reasonText({ why: 'snoozed' }),
  rule_muted: reasonText({ why: 'rule_muted' }),
  flood: reasonText({ why: 'flood' }),
  // Those of errors are repeated here, because the browser does not load the list of errors. A test compares them.
  address_refused: 'Mishap does not call this address.',
  address_unreachable: 'The address could not be reached.',
  address_timeout: 'The address did not answer in time.',
  answer_too_large: 'The answer is too large.',
  data_behind: 'Data that was received is not processed yet. The rule waits for it.',
  projects_gone: 'The projects of this rule were deleted.',
  query_failed: 'The query failed.',
  query_memory: 'The query needs more memory than one query may use.',
  store_unavailable: 'The events store is down. Ingest continues.',
} as const

/** What begins the sentence of a mute. Its name follows. */
export const mutedStart = reasonText({ why: 'muted', mute: '' })

export const alertReasonCodes = [...(Object.keys(alertReasons) as (keyof typeof alertReasons)[]), 'muted'] as const
export type AlertReasonCode = (typeof alertReasonCodes)[number]

const codes = new Map<string, AlertReasonCode>(
  (Object.keys(alertReasons) as (keyof typeof alertReasons)[]).map((code) => [alertReasons[code], code]),
)

/** Returns the code of a sentence that Mishap words; undefined for every other text, such as that of a service. */
export const alertReasonCode = (text: string): AlertReasonCode | undefined =>
  codes.get(text) ?? (text.startsWith(mutedStart) ? 'muted' : undefined)
