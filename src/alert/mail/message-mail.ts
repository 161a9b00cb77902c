import { factRows } from '../message/fact-rows.ts'
import { type AlertedIssue, issueLines, issueUrl, kindWord, line, type Message, unlinked } from '../message/message.ts'
import { unsubscribePage } from '../personal.ts'
import { type Block, renderMail } from './document.ts'

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

/** Returns a duration such as 2 h 5 min. */
function duration(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  return [...(hours ? [`${hours} h`] : []), ...(rest || !hours ? [`${rest} min`] : [])].join(' ')
}

/** Returns what a metric rule measured, as rows. */
function measureRows({ measure }: Message): [string, string][] {
  if (!measure) return []
  const amount = (value: number) => `${numbers.format(value)}${measure.unit ? ` ${line(measure.unit, 20)}` : ''}`
  return [
    ...(measure.label ? [['Measure', line(measure.label, 120)] as [string, string]] : []),
    ...(measure.value === null ? [] : [['Value', amount(measure.value)] as [string, string]]),
    ...(measure.threshold === null ? [] : [['Limit', amount(measure.threshold)] as [string, string]]),
    // 0: the rule is gone.
    ...(measure.windowMinutes > 0 ? [['Window', duration(measure.windowMinutes * 60_000)] as [string, string]] : []),
    ...(measure.durationMs === null ? [] : [['Lasted', duration(measure.durationMs)] as [string, string]]),
  ]
}

function issueBlocks(message: Message, alert: AlertedIssue): Block[] {
  const sourceLine = alert.facts?.sourceLine
  const text = line(sourceLine?.text ?? '', 300)
  // The code block names the line already.
  const rows = factRows(alert.facts).filter(([label]) => !text || label !== 'Line')
  return [
    {
      kind: 'item',
      title: `${kindWord(alert.kind)} ${alert.issue.shortId}: ${line(alert.issue.title)}`,
      href: issueUrl(message, alert.issue),
      lines: issueLines(alert),
    },
    ...(sourceLine && text
      ? [{ kind: 'code', label: `${line(sourceLine.file, 160)}:${sourceLine.line}`, text } as const]
      : []),
    ...(rows.length ? [{ kind: 'facts', rows } as const] : []),
  ]
}

function blocksOf(message: Message): Block[] {
  const { sentence, alerts, more, links, kind } = message
  const blocks: Block[] = []
  const rows = measureRows(message)
  if (sentence) blocks.push({ kind: 'text', text: sentence })
  if (rows.length > 0) blocks.push({ kind: 'facts', rows })
  if (kind === 'incident' && alerts.length > 0) blocks.push({ kind: 'heading', text: 'Main issues' })
  for (const alert of alerts) blocks.push(...issueBlocks(message, alert))
  const list = `${message.url}/o/${message.organization.slug}/issues`
  if (more > 0) blocks.push({ kind: 'item', title: `and ${more} more`, href: list, lines: [] })
  const label = kind === 'incident' ? 'Open the incident' : 'Open in Mishap'
  if (kind !== 'test') blocks.push({ kind: 'button', label, href: links.open, htmlOnly: kind !== 'incident' })
  if (links.acknowledge) blocks.push({ kind: 'button', label: 'Acknowledge', href: links.acknowledge })
  return blocks
}

/** Returns blocks whose texts lead nowhere: most of them come from events. */
const withoutLinks = (blocks: Block[]): Block[] =>
  JSON.parse(JSON.stringify(blocks), (name, value: unknown) =>
    typeof value === 'string' && name !== 'href' ? unlinked(value) : value,
  ) as Block[]

/** Returns the mail of a message. */
export function mailOf(message: Message): { subject: string; text: string; html: string } {
  const { rule, links, headline, level } = message
  return renderMail({
    subject: unlinked(headline),
    titleless: message.kind === 'issue',
    level,
    blocks: withoutLinks(blocksOf(message)),
    footer: rule ? [`Sent by the alert rule ${line(rule.name, 120)} of ${line(message.organization.name, 64)}.`] : [],
    ...(links.unsubscribe ? { unsubscribe: unsubscribePage(links.unsubscribe) } : {}),
  })
}
