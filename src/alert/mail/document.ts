import { html, raw } from 'hono/html'
import type { Message } from '../message/message.ts'

type Html = ReturnType<typeof html>

/** A part of a mail. All texts are plain text: the plain part shows them as they are, the HTML part escapes them. */
export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'text'; text: string }
  /** One line of a list, with a link. `lines`: what is known about it. */
  | { kind: 'item'; title: string; href: string; lines: string[] }
  | { kind: 'facts'; rows: [label: string, value: string][] }
  | { kind: 'code'; label: string; text: string }
  | { kind: 'quote'; lines: string[] }
  /** `htmlOnly`: the plain part already has the address. */
  | { kind: 'button'; label: string; href: string; htmlOnly?: boolean }
  | { kind: 'link'; href: string }

/** A mail as blocks. Plain text and HTML are made of the same blocks, so that they say the same. */
type MailDocument = {
  subject: string
  /** The HTML part shows no title: its first block says the same. */
  titleless?: boolean
  /** Colour of the edge. */
  level: Message['level'] | 'none'
  blocks: Block[]
  /** Small lines at the end. */
  footer: string[]
  /** A page that ends mails of this kind. */
  unsubscribe?: string
}

/** Blocks of the plain part. An item is one paragraph with its link. */
function plainBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${block.text}\n${'-'.repeat(Math.min(72, [...block.text].length))}`
    case 'text':
      return block.text
    case 'item':
      return [block.title, ...block.lines.map((row) => `  ${row}`), `  ${block.href}`].join('\n')
    case 'facts':
      return block.rows.map(([label, value]) => `${label}: ${value}`).join('\n')
    case 'code':
      return `${block.label}\n    ${block.text}`
    case 'quote':
      return block.lines.map((row) => `> ${row}`).join('\n')
    case 'button':
      return block.htmlOnly ? '' : `${block.label}:\n${block.href}`
    case 'link':
      return block.href
  }
}

function plainOf({ blocks, footer, unsubscribe }: MailDocument): string {
  const parts = [...blocks.map(plainBlock), ...footer, ...(unsubscribe ? [`Stop these mails: ${unsubscribe}`] : [])]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

/**
 * Light colours are inline, because some mail programs drop style sheets; those that show dark mails read the sheet.
 * The contrast of every pair is at least 4.5 to 1.
 */
const sheet = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
a{text-underline-offset:2px}
@media (prefers-color-scheme:dark){
.page{background:#141413!important}.card{background:#1e1e1c!important;border-left-color:#3a3935!important;border-right-color:#3a3935!important;border-bottom-color:#3a3935!important}
.ink{color:#ececea!important}.soft{color:#a8a7a1!important}.link{color:#8cb8ff!important}
.code{background:#2a2a27!important;color:#ececea!important}.rule{border-color:#3a3935!important}
.button{background:#ececea!important;color:#141413!important}
}
@media (max-width:480px){.card{padding:20px 16px!important}.end{padding:12px 17px!important}.button{display:block!important;text-align:center!important}}
`
const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const wrap = 'overflow-wrap:anywhere;word-break:break-word'
const ink = `color:#1c1c1a;${font};font-size:15px;line-height:1.5;${wrap}`
const soft = `color:#5f5e59;${font};font-size:13px;line-height:1.5;${wrap}`
const levelColours = { critical: '#d92d20', warning: '#b54708', info: '#175cd3', ok: '#067647', none: '#6f6e69' }

function htmlBlock(block: Block): Html {
  switch (block.kind) {
    case 'heading':
      return html`<h2 class="ink" style="${ink};font-size:16px;font-weight:600;margin:24px 0 12px">${block.text}</h2>`
    case 'text':
      return html`<p class="ink" style="${ink};margin:0 0 16px">${block.text}</p>`
    case 'item':
      return html`<div style="margin:0 0 16px"><a class="link" href="${block.href}" style="${ink};color:#175cd3;font-weight:600">${block.title}</a>${block.lines.map((row) => html`<div class="soft" style="${soft}">${row}</div>`)}</div>`
    case 'facts':
      return html`<table role="presentation" cellpadding="0" cellspacing="0" style="border-collapse:collapse;margin:0 0 16px;width:100%">${block.rows.map(([label, value]) => html`<tr><td class="soft" style="${soft};padding:3px 12px 3px 0;vertical-align:top;width:92px">${label}</td><td class="ink" style="${ink};font-size:14px;padding:3px 0;vertical-align:top">${value}</td></tr>`)}</table>`
    case 'code':
      return html`<div class="soft" style="${soft}">${block.label}</div><pre class="code" style="background:#f1f0ec;border-radius:6px;color:#1c1c1a;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;line-height:1.45;margin:4px 0 16px;padding:10px 12px;white-space:pre-wrap;${wrap}">${block.text}</pre>`
    case 'quote':
      return html`<blockquote class="ink rule" style="${ink};border-left:3px solid #d8d6cf;margin:0 0 16px;padding:2px 0 2px 12px">${block.lines.map((row) => html`${row}<br>`)}</blockquote>`
    case 'button':
      return html`<p style="margin:0 0 16px"><a class="button" href="${block.href}" style="background:#1c1c1a;border-radius:6px;color:#ffffff;display:inline-block;${font};font-size:15px;font-weight:600;line-height:1.4;padding:12px 18px;text-decoration:none">${block.label}</a></p>`
    case 'link':
      return html`<p style="margin:0 0 16px"><a class="link" href="${block.href}" style="${ink};color:#175cd3">${block.href}</a></p>`
  }
}

function htmlOf(mail: MailDocument): string {
  const { subject, titleless, level, blocks, footer, unsubscribe } = mail
  const title = titleless
    ? ''
    : html`<h1 class="ink" style="${ink};font-size:19px;font-weight:600;line-height:1.35;margin:0 0 16px">${subject}</h1>`
  const end = [
    ...footer.map((row) => html`<div>${row}</div>`),
    ...(unsubscribe
      ? [html`<div><a class="soft" href="${unsubscribe}" style="${soft}">Stop these mails</a></div>`]
      : []),
  ]
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${subject}</title><style>${raw(sheet)}</style></head>
<body class="page" style="background:#f5f4f0;margin:0;padding:0"><table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f5f4f0"><tr><td align="center" style="padding:16px 8px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px"><tr><td class="card" style="background:#ffffff;border:1px solid #e2e0d9;border-radius:8px;border-top:4px solid ${levelColours[level]};padding:24px 28px;text-align:left">
${title}${blocks.map(htmlBlock)}</td></tr>${end.length ? html`<tr><td class="soft end" style="${soft};padding:12px 29px;text-align:left">${end}</td></tr>` : ''}</table>
</td></tr></table></body></html>`
  // Only a promise among the values makes a promise of the whole. There is none.
  return String(page)
}

/** Returns the three parts of a mail. */
export const renderMail = (mail: MailDocument): { subject: string; text: string; html: string } => ({
  subject: mail.subject,
  text: plainOf(mail),
  html: htmlOf(mail),
})
