import type { OutcomeReason } from '../../base/outcome.ts'

/** What to do about items that ended for a reason; empty where nothing is to be done. The screens have it in more languages. */
export const todoOf: Record<OutcomeReason, string> = {
  ok: '',
  not_stored_yet: 'Nothing: this version has no store for this kind. Switch it off in the SDK to save the traffic.',
  unknown_item_type: 'Update Mishap, or look at what sends this: no SDK that is known has this type.',
  key_limit: 'Raise the rate limit of the key in the project’s settings, or send less (sampling, ignored errors).',
  attachment_quota: 'Send attachments together with their event, or raise MISHAP_ATTACHMENT_BYTES_PER_HOUR.',
  organization_limit: 'Raise MISHAP_ORGANIZATION_EVENTS_PER_MINUTE, or find the project that sends so much.',
  too_large: 'Send less: shorten attachments and context. The limits stand in docs/limits.md.',
  too_many_items: 'Send fewer items in one envelope. The limits stand in docs/limits.md.',
  bad_json: 'Look at what lies between the SDK and Mishap: a proxy that cuts or changes bodies.',
  bad_envelope: 'Look at what lies between the SDK and Mishap; the answer names the byte where the framing breaks.',
  bad_item: 'Update the SDK: the payload is not of the kind that its header says.',
  bad_encoding: 'Look at what lies between the SDK and Mishap: the compressed body is broken or doubly compressed.',
  bad_event_id: 'Send a UUID as event id, or none.',
  no_key: 'Copy the DSN from the project’s settings into the SDK.',
  unknown_key: 'Copy the DSN again from the project’s settings; the old key may have been deleted.',
  disabled_key: 'Enable the key in the project’s settings, or use another one.',
  origin: 'Add the page’s origin to the allowed origins in the project’s settings.',
  project_mismatch: 'Use one DSN for key, path and envelope; a tunnel may send to another project.',
  overloaded: 'Find out which key sends so much; give refine another worker (MISHAP_REFINE_WORKERS).',
  disk_full: 'Free space on the volume of the data folder, or shorten the retention.',
  event_missing: 'Send attachments together with their event, or with its id.',
  same_event_id: 'Nothing: the SDK sent it twice, and it is stored once.',
  failed: 'Look at the dead item on the status page; send it again after an update.',
  sent_again: 'Nothing: it is counted anew.',
  deleted: 'Nothing.',
  disk_budget:
    'Raise MISHAP_DISK_BUDGET, or send less of what repeats. Each issue keeps its first, its latest and 20 between.',
  discarded: 'Nothing: somebody deleted its issue or project for good.',
  browser_extension: 'Nothing: the project filters errors of browser extensions.',
  legacy_browser: 'Nothing: the project filters old browsers.',
  localhost: 'Nothing: the project filters pages on localhost.',
  web_crawler: 'Nothing: the project filters crawlers.',
  hydration_error: 'Nothing: the project filters hydration errors.',
  chunk_load_error: 'Nothing: the project filters failed chunk loads.',
  error_message: 'Nothing: a message that the project filters.',
  release_version: 'Nothing: a release that the project filters.',
  ip_address: 'Nothing: an address that the project filters.',
  csp_source: 'Nothing: a source of a security policy report that the project filters.',
  sdk: 'Look at the SDK’s sampling, its hooks and its queue.',
}

/** What to do about an outcome's reason; '' for one that is not known or needs nothing. */
export const todoFor = (reason: string): string =>
  Object.hasOwn(todoOf, reason) ? todoOf[reason as OutcomeReason] : ''
