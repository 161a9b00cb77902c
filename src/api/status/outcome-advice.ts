import type { OutcomeReason } from '../../base/outcome.ts'

/** Advice for each outcome reason; empty if nothing is to be done. The screens have it in more languages. */
export const todoOf: Record<OutcomeReason, string> = {
  ok: '',
  not_stored_yet: 'Nothing: this version does not store this kind yet. Turn it off in the SDK to save traffic.',
  unsupported:
    'Update the SDK: version 10 and later send metrics that Mishap stores. Or send them with OTLP (docs/metrics.md).',
  unknown_item_type: 'Update Mishap, or check what sends this: no known SDK has this type.',
  key_limit: 'Raise the rate limit of the key in the project’s settings, or send less (sampling, ignored errors).',
  attachment_quota: 'Send attachments together with their event, or raise MISHAP_ATTACHMENT_BYTES_PER_HOUR.',
  organization_limit: 'Raise MISHAP_ORGANIZATION_EVENTS_PER_MINUTE, or find the project that sends that much.',
  too_large: 'Send less: shorten attachments and context. docs/limits.md has every limit.',
  too_many_items: 'Send fewer items in one envelope. docs/limits.md has every limit.',
  bad_json: 'Check the path between the SDK and Mishap: a proxy may cut off or change bodies.',
  bad_envelope: 'Check the path between the SDK and Mishap. The answer names the byte where the envelope breaks.',
  bad_item: 'Update the SDK: the payload does not match the type in its header.',
  bad_encoding: 'Check the path between the SDK and Mishap: the compressed body is broken or compressed twice.',
  bad_event_id: 'Send a UUID as event id, or none.',
  no_key: 'Copy the DSN from the project’s settings into the SDK.',
  unknown_key: 'Copy the DSN again from the project’s settings; the old key may have been deleted.',
  disabled_key: 'Enable the key in the project’s settings, or use another key.',
  origin: 'Add the page’s origin to the allowed origins in the project’s settings.',
  project_mismatch: 'Use one DSN for key, path and envelope; a tunnel may send to another project.',
  overloaded: 'Find the key that sends that much, or add a worker (MISHAP_REFINE_WORKERS).',
  disk_full: 'Free space on the volume of the data folder, or shorten the retention.',
  event_missing: 'Send attachments together with their event, or with its id.',
  same_event_id: 'Nothing: the SDK sent it twice, and Mishap stored it once.',
  failed: 'Look at the dead letter on the status page. Send it again after an update.',
  sent_again: 'Nothing: it was processed again and counted then.',
  deleted: 'Nothing.',
  disk_budget:
    'Raise MISHAP_DISK_BUDGET, or send fewer repeated events. Each issue keeps its first event, its latest and 20 between. Traces with errors and the slowest of each route and hour stay.',
  discarded: 'Nothing: somebody deleted its issue or project for good.',
  browser_extension: 'Nothing: the project filters errors of browser extensions.',
  legacy_browser: 'Nothing: the project filters old browsers.',
  localhost: 'Nothing: the project filters pages on localhost.',
  web_crawler: 'Nothing: the project filters crawlers.',
  hydration_error: 'Nothing: the project filters hydration errors.',
  chunk_load_error: 'Nothing: the project filters failed chunk loads.',
  error_message: 'Nothing: the project filters this message.',
  release_version: 'Nothing: the project filters this release.',
  ip_address: 'Nothing: the project filters this address.',
  csp_source: 'Nothing: the project filters this source of security policy reports.',
  sdk: 'Check the SDK’s sampling, its hooks and its queue.',
}

/** Returns the advice for an outcome reason; '' if it is unknown or needs none. */
export const todoFor = (reason: string): string =>
  Object.hasOwn(todoOf, reason) ? todoOf[reason as OutcomeReason] : ''
