/**
 * Generates the reference pages of docs/ from tables in the source. `node scripts/docs.ts` writes them. docs.test.ts
 * fails if a page differs from the generated text.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clients, type Fate, untested } from '../e2e/clients/table.ts'
import { type Setting, settings } from '../src/base/config.ts'
import { catalogue, type ErrorEntry } from '../src/base/errors.ts'
import { categories, type Outcome, type OutcomeReason, outcomes, reasons } from '../src/base/outcome.ts'
import { hydrationCauses, invariants, noiseKinds, skewKinds } from '../src/domain/diagnostics.ts'
import { doctorFindings } from '../src/domain/doctor-findings.ts'
import { digestHookOf } from '../src/web/digest-hook.ts'
import { type TunnelFile, tunnelOf } from '../src/wire/tunnel.ts'
import { cell, code, made, table } from './docs-parts.ts'
import { searchPage } from './docs-search.ts'

/** docs/configuration.md: every setting of config.ts. */
export function configurationPage(all: readonly Setting[] = settings): string {
  const rows = all.map((item) => [
    code(item.env),
    item.flag ? code(item.flag) : '',
    code(item.default),
    item.unit ?? '',
    cell(item.allowed),
    cell(item.sentence),
  ])
  return `${made('src/base/config.ts')}# Configuration

Every setting has an environment variable; some have a flag of the command as well. A flag wins over the variable, the
variable over the default. A wrong value ends the start with exit code 78 and a line that names the setting, its value
and what is allowed, such as \`CONFIG_PORT: MISHAP_PORT is "0". Allowed: 1 to 65535.\`

${table(['Variable', 'Flag', 'Default', 'Unit', 'Allowed', 'Meaning'], rows)}

Settings of an organization or a project (allowed origins, rate limits of a key) are not here. Change them on its screens.
`
}

const groups: readonly [prefix: string, title: string, sentence: string][] = [
  [
    'ACCEPT',
    'Ingest',
    'Answers to SDKs. The header `X-Sentry-Error` has the sentence too, so an SDK in debug mode prints it.',
  ],
  ['QUERY', 'Search', 'Answers to a query. The cause names the character and says what was expected.'],
  [
    'AUTH',
    'Sign-in, tokens and permission',
    'A thing that a person or token may not read answers 404, as if it did not exist. A thing that they may read but not change answers 403.',
  ],
  ['START', 'Start', 'The command prints the sentence and ends with this exit code.'],
  ['', 'Everything else', 'Answers of the screens and of the API.'],
]

/** docs/errors.md: every error of errors.ts, grouped by prefix. */
export function errorsPage(all: Readonly<Record<string, ErrorEntry>> = catalogue): string {
  const prefixes = groups.map(([prefix]) => prefix).filter((prefix) => prefix !== '')
  const belongs = (name: string, prefix: string) =>
    prefix === '' ? !prefixes.some((other) => name.startsWith(`${other}_`)) : name.startsWith(`${prefix}_`)
  const part = ([prefix, title, sentence]: (typeof groups)[number]) => {
    const rows = Object.entries(all)
      .filter(([name]) => belongs(name, prefix))
      .map(([name, entry]) => [code(name), String(entry.status), cell(entry.happened), cell(entry.todo)])
    return `## ${title}\n\n${sentence}\n\n${table(['Code', prefix === 'START' ? 'Exit' : 'Status', 'What happened', 'What to do'], rows)}`
  }
  return `${made('src/base/errors.ts')}# Errors

Codes are stable, so programs can rely on them. The sentences may change. The body of an error answer is
\`{"detail": "what happened", "code": "THE_CODE", "causes": ["more"]}\`. A form with wrong fields gets
\`{"field": ["what is allowed"]}\` and status 400.

${groups.map(part).join('\n\n')}

## Settings

A setting with a wrong value ends the start with exit code 78 and a code made of its name: \`CONFIG_PORT\` for
\`MISHAP_PORT\`. See [configuration](configuration.md). A command that is not known, or lacks a flag, ends with 64.

## In the browser

| Screen | When |
| --- | --- |
| Page not found | The address, or the thing that it names, does not exist or is not yours to see. Status 404. |
| Application error: a client-side exception has occurred | A script of the screens failed. |
| Application error: a server-side exception has occurred | The server failed to make the page. Status 500 on a direct load, with the digest to look it up by; message and stack stay on the server. |
`
}

const outcomeSentences: Readonly<Record<Outcome, string>> = {
  received: 'Not an outcome: all items that arrived, counted from the envelopes. The outcomes must add up to it.',
  stored: 'It is in a store and can be found.',
  filtered: 'A rule of the project dropped it.',
  rate_limited: 'A limit was reached. The answer told the SDK how long to wait.',
  invalid: 'It could not be used. The reason says why.',
  duplicate:
    'An event with this id, a transaction with this trace and span, or an item of the same spans was already stored.',
  dead: 'A dead letter: it could not be processed. Mishap keeps it for 14 days and shows it on the status page.',
  thinned:
    'Downsampled: it was stored, and removed later to stay within the disk budget. It still counts as stored, so it is not part of the sum.',
  client_discard: 'The SDK reported that it discarded it. It never arrived, so it is not part of the sum.',
}

const reasonSentences: Readonly<Record<OutcomeReason, string>> = {
  ok: 'Nothing went wrong.',
  not_stored_yet: 'This version counts this kind of item but does not store it yet.',
  unsupported:
    'SDKs gave up this kind of item (statsd and its buckets). Mishap counts it and never stores it: send metrics of newer SDKs or of OpenTelemetry.',
  unknown_item_type: 'The type of the item is not known.',
  key_limit: 'The rate limit of the project key.',
  attachment_quota: 'Attachments without an event, above the limit of the project for one hour.',
  organization_limit: 'The rate limit of the organization.',
  too_large: 'The item or the envelope is over its size limit.',
  too_many_items: 'The envelope holds more items of this kind than allowed.',
  bad_json: 'The payload is not JSON.',
  bad_envelope: 'The envelope breaks its grammar.',
  bad_item: 'The payload is JSON but not of this kind of item.',
  bad_encoding: 'The compressed body is broken or of an unknown encoding.',
  bad_event_id: 'The event id is not a UUID, or is all zeros.',
  no_key: 'The request has no project key.',
  unknown_key: 'No project has this key.',
  disabled_key: 'The project key is disabled.',
  origin: 'The project does not accept this origin.',
  project_mismatch: 'Key, path and DSN of the envelope do not belong together.',
  overloaded: 'The journal was full, or processing was behind and this key sent more than its share.',
  disk_full: 'The disk was full.',
  event_missing: 'An attachment of an unknown event.',
  same_event_id: 'The same event arrived within the last hour.',
  sent_again: 'A dead letter was sent again. It leaves `dead` (a negative number), and its items are counted again.',
  deleted: 'A person deleted the dead letter.',
  failed: 'It could not be processed.',
  disk_budget: 'The disk budget removed it. Its issue keeps its counts, its first event, its latest and 20 between.',
  discarded: 'Its issue or project was deleted for good.',
  browser_extension: 'Inbound filter: a browser extension threw it.',
  legacy_browser: 'Inbound filter: the browser is too old for the project.',
  localhost: 'Inbound filter: the page was on the developer’s own machine.',
  web_crawler: 'Inbound filter: the visitor was a crawler or a monitor.',
  hydration_error: 'Inbound filter: React could not hydrate the page.',
  chunk_load_error: 'Inbound filter: a file of an older build was gone.',
  error_message: 'Inbound filter: the message matches a pattern.',
  release_version: 'Inbound filter: the release matches a pattern.',
  ip_address: 'Inbound filter: the address is in the list.',
  csp_source: 'Inbound filter: the blocked source of a content security policy report matches a pattern.',
  sdk: 'The SDK discarded it because of sampling, a hook, its queue or a rate limit.',
}

/** docs/outcomes.md: every outcome of an item, with every reason. */
function outcomesPage(): string {
  return `${made('src/base/outcome.ts')}# Outcomes

After reading this page you know what happened to each item that an SDK sent, and why.

Mishap counts every item once, by project key, data category and hour:

    received = stored + filtered + rate_limited + invalid + duplicate + waiting + dead + lost

An item that holds a list counts for its entries: logs, trace metrics, spans, buckets and lines of metrics, security reports. A
log container with 100 lines counts as 100. The bytes of log lines, which the protocol calls \`log_byte\`, are the bytes of
\`log_item\`. The entries themselves decide, not the header \`item_count\`. Mishap uses the header only if it did not read the payload (a limit refused it) or cannot read it, and then
for no more entries than the payload can hold. Entries that are not objects end as \`bad_item\`.

\`waiting\` counts the items in the journal. \`lost\` is the rest of the sum. Anything but 0 is a bug. The status page shows
the sum.

${table(
  ['Outcome', 'Meaning'],
  outcomes.map((outcome) => [code(outcome), cell(outcomeSentences[outcome])]),
)}

## Reasons

${table(
  ['Reason', 'Meaning'],
  reasons.map((reason) => [code(reason), cell(reasonSentences[reason])]),
)}

## Data categories

As the protocol names them: ${categories.map(code).join(', ')}.
`
}

/** The generated section of docs/sourcemaps.md: every finding of doctor-findings.ts. */
function doctorPart(page: string): string {
  const [begin, end] = ['<!-- Made by scripts/docs.ts from src/domain/doctor-findings.ts. -->', '<!-- End. -->']
  const [before = '', rest = ''] = page.split(begin)
  const rows = Object.entries(doctorFindings).map(([name, finding]) => [
    code(name),
    finding.step.replace('_', ' '),
    finding.weight === 'note' ? 'note' : '',
    cell(`${finding.message} ${finding.mend}`),
  ])
  return `${before}${begin}\n\n${table(['Code', 'Step', '', 'What it says'], rows)}\n\n${end}${rest.slice(rest.indexOf(end) + end.length)}`
}

/** The generated section of docs/diagnostics.md: every code of src/domain/diagnostics.ts. */
function diagnosticsPart(page: string): string {
  const [begin, end] = ['<!-- Made by scripts/docs.ts from src/domain/diagnostics.ts. -->', '<!-- End. -->']
  const [before = ''] = page.split(begin)
  const sentences = (head: string, rows: Readonly<Record<string, string>>) =>
    table(
      [head, 'What it says'],
      Object.entries(rows).map(([name, sentence]) => [code(name), cell(sentence)]),
    )
  const parts = [
    table(
      ['Invariant', 'What it says', 'Usual cause'],
      Object.entries(invariants).map(([id, invariant]) => [code(id), cell(invariant.name), cell(invariant.cause)]),
    ),
    sentences('Cause of a hydration', hydrationCauses),
    sentences('Skew', skewKinds),
    sentences('Noise', noiseKinds),
  ]
  return `${before}${begin}\n\n${parts.join('\n\n')}\n\n${end}\n`
}

/** The generated section of docs/digests.md: the hook that the setup screen shows. */
function digestsPart(page: string): string {
  const [begin, end] = ['<!-- Made by scripts/docs.ts from src/web/digest-hook.ts. -->', '<!-- End. -->']
  const [before = '', rest = ''] = page.split(begin)
  const parts = digestHookOf('https://KEY@HOST/PROJECT').map(
    (part) => `\`${part.where}\`:\n\n\`\`\`${part.where.split('.').at(-1)}\n${part.code}\n\`\`\``,
  )
  return `${before}${begin}\n\n${parts.join('\n\n')}\n\n${end}${rest.slice(rest.indexOf(end) + end.length)}`
}

const errorKinds = ['error', 'chain', 'message', 'user', 'tags', 'breadcrumbs'] as const

/** The generated section of docs/sdk.md: every client that the tests run. */
function clientsPart(page: string): string {
  const [begin, end] = ['<!-- Made by scripts/docs.ts from e2e/clients/table.ts. -->', '<!-- End. -->']
  const [before = '', rest = ''] = page.split(begin)
  const word = (fate: Fate) => (typeof fate === 'string' ? fate : '–')
  const rows = clients.map(({ label, package: name, version, fates }) => [
    label,
    `${code(name)} ${version}`,
    [...new Set(errorKinds.map((kind) => word(fates[kind])))].join(', '),
    ...(['traces', 'log', 'session', 'check-in'] as const).map((kind) => word(fates[kind])),
  ])
  const others = untested.map((item) => `- ${item.label} (${code(item.package)}): ${item.reason}.`)
  const parts = [
    table(['Client', 'SDK', 'Errors', 'Traces', 'Logs', 'Sessions', 'Check-ins'], rows),
    `Not tested:\n\n${others.join('\n')}`,
  ]
  return `${before}${begin}\n\n${parts.join('\n\n')}\n\n${end}${rest.slice(rest.indexOf(end) + end.length)}`
}

const exampleKey = { publicKey: '0123456789abcdef0123456789abcdef', projectId: 1 }

/** docs/tunnel.md: the code of tunnel.ts, for an example DSN. */
function tunnelPage(): string {
  const { client, servers } = tunnelOf('https://mishap.example', exampleKey)
  const block = (language: string, { where, code: text }: TunnelFile) =>
    `\`\`\`${language}\n${language === 'ts' ? `// ${where}\n` : ''}${text.trimEnd()}\n\`\`\``
  return `${made('src/wire/tunnel.ts')}# Tunnel

After this page your browser SDK sends its events through your application’s own origin, and its server passes them on to
Mishap. You need this when events do not arrive for one of these reasons:

- a blocker in the browser stops requests to another host;
- the page has a content security policy without Mishap’s origin;
- the network allows the application’s host only.

The project’s setup screen shows the code with your own DSN and address. Over REST it comes from
\`GET /api/0/projects/ORGANIZATION/PROJECT/keys/KEY/tunnel/\`. The examples below are for \`https://mishap.example\` and an
example key.

The path is derived from the key. It has no meaning, so no blocker lists it, and each application has its own. You can use
any other path if the browser and the server use the same one.

## In the browser

Add this to the SDK’s configuration for browsers:

${block('ts', client)}

Node.js, other servers and the edge still send to the DSN directly.

## Next.js

This is a route handler of the App Router, for Node.js and for the edge. If a \`proxy.ts\` (\`middleware.ts\`) asks for a
login, exempt this path. Do not use \`tunnelRoute\` of \`@sentry/nextjs\`: it knows only the hosted service.

${block('ts', servers.nextjs)}

## Express

Add the router before any middleware that reads bodies: \`app.use(tunnel)\`. It is tested with version 5.

${block('ts', servers.express)}

## nginx

Add this to the \`server\` block of the application. The key is part of the address. Mishap refuses an envelope that names
another key, so only this DSN passes.

${block('nginx', servers.nginx)}

## What passes

- **DSNs.** Only the DSNs in \`targets\` pass. To add another application, add a line with its DSN and address. The handler
  answers 403 to anything else and sends nothing, so it is no open proxy. With nginx, Mishap itself refuses other DSNs.
- **Size.** At most 20 MiB, as sent. A longer body gets 413. The handler for Next.js also answers 413 to a body without a
  length, and does not read it.
- **Request headers.** The handlers pass on the page’s origin, the user agent and the address. The project’s
  [allowed origins](sdk.md#limits-on-clients) therefore still apply. Cookies and \`Authorization\` are never passed on.
- **Answer.** The handlers return the status, the body and the two headers that make SDKs slow down. They answer 502 while
  Mishap is away.

## Addresses of visitors

The person’s address is in \`X-Forwarded-For\`. Mishap believes this header only if \`MISHAP_TRUSTED_PROXIES\`
([configuration](configuration.md)) names the address of the application’s server. Otherwise events carry the server’s
address.

Next.js passes on the header from the proxy in front of it. Without a proxy it uses the address of the connection.
`
}

/** Every generated page, by its path from the root. */
export function pages(): Record<string, string> {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
  return {
    'docs/configuration.md': configurationPage(),
    'docs/digests.md': digestsPart(read('docs/digests.md')),
    'docs/errors.md': errorsPage(),
    'docs/outcomes.md': outcomesPage(),
    'docs/sdk.md': clientsPart(read('docs/sdk.md')),
    'docs/search.md': searchPage(),
    'docs/diagnostics.md': diagnosticsPart(read('docs/diagnostics.md')),
    'docs/tunnel.md': tunnelPage(),
    'docs/sourcemaps.md': doctorPart(read('docs/sourcemaps.md')),
  }
}

if (import.meta.main)
  for (const [path, text] of Object.entries(pages())) writeFileSync(join(import.meta.dirname, '..', path), text)
