import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../base/clock.ts'
import type { Channel } from '../store/meta/issues/alerts.ts'
import type { Organization } from '../store/meta/meta.ts'
import type { MetaStore, MetaWith } from '../store/meta/meta-store.ts'
import { html, line } from './message/message.ts'
import { recipientsIn } from './recipients.ts'
import type { Mail } from './send/mailer.ts'

const hourMs = 3_600_000
/** A confirmation link is valid for 7 days, like an invitation. */
export const confirmationMs = 7 * 24 * hourMs
/** Maximum confirmation mails per hour, per address and per organization. Strangers must not be flooded. */
export const mailsPerAddressMax = 3
export const mailsPerOrganizationMax = 50
const namesMax = 10_000

type ConfirmationDeps = {
  clock: Clock
  meta: MetaStore
  url: string
  open(sealed: string): string
  smtp(): Promise<unknown>
}
type Send = (mail: Omit<Mail, 'messageId'>) => Promise<string | undefined>

/** Builds the mail that asks an address to confirm a channel. */
function confirmationMail(details: {
  to: string
  organization: Organization
  url: string
  link: string
}): Omit<Mail, 'messageId'> {
  const where = line(details.organization.name, 64)
  const first = `${where} on Mishap (${details.url}) wants to send notifications of errors to ${details.to}. Confirm that you want them:`
  const last = 'The link works for 7 days. If you did not expect this mail, ignore it: you will get no notifications.'
  const paragraph = (inner: string) => `<p style="font:14px/1.5 sans-serif;margin:0 0 16px">${inner}</p>`
  return {
    to: details.to,
    subject: `Confirm notifications of ${where} on Mishap`,
    text: `${first}\n\n${details.link}\n\n${last}\n`,
    html: [
      paragraph(html(first)),
      paragraph(`<a href="${html(details.link)}">${html(details.link)}</a>`),
      paragraph(html(last)),
    ].join('\n'),
  }
}

/** Lets `most` calls through per name and hour. Drops the least recently used names. */
function createHourly(clock: Clock, most: number): (name: string) => boolean {
  const counts = new LRUCache<string, { count: number; endsMs: number }>({ max: namesMax })
  return (name) => {
    const found = counts.get(name)
    const counter = found && found.endsMs > clock.now() ? found : { count: 0, endsMs: clock.now() + hourMs }
    counter.count += 1
    counts.set(name, counter)
    return counter.count <= most
  }
}

/**
 * Creates the function that sends confirmation mails to a channel's addresses outside the organization: those not asked
 * yet, or only `only`. Never throws: failures are stored with the address. Does nothing without a mail server.
 */
export function createConfirmations(
  deps: ConfirmationDeps,
  send: Send,
): (channel: Channel, only?: string) => Promise<void> {
  const { clock, meta, url } = deps
  const mayAddress = createHourly(clock, mailsPerAddressMax)
  const mayOrganization = createHourly(clock, mailsPerOrganizationMax)
  const requestOne = async (channel: Channel, organization: Organization, address: string): Promise<void> => {
    if (!mayAddress(address.toLowerCase()) || !mayOrganization(String(organization.id)))
      return meta.alerts.recordMailError(
        channel.id,
        address,
        'Too many confirmation mails were sent. Try again in an hour.',
      )
    const secret = randomBytes(32).toString('base64url')
    const link = `${url}/confirm-address?secret=${secret}`
    const failure = await send(confirmationMail({ to: address, organization, url, link }))
    // The channel can be deleted by now.
    if (!(await meta.alerts.channelById(channel.id))) return
    if (failure !== undefined) return meta.alerts.recordMailError(channel.id, address, failure)
    const nowMs = clock.now()
    await meta.alerts.recordConfirmationMail({
      channelId: channel.id,
      address,
      secret,
      nowMs,
      expiresMs: nowMs + confirmationMs,
    })
  }
  return async (channel, only) => {
    const organization = await meta.organizations.organizationById(channel.organizationId)
    if (!organization || !(await deps.smtp())) return
    const waiting = (await recipientsIn(deps, channel)).filter(
      (recipient) =>
        recipient.state === 'unconfirmed' &&
        (only === undefined ? recipient.askedMs === null : recipient.address === only),
    )
    await Promise.all(waiting.map((recipient) => requestOne(channel, organization, recipient.address)))
  }
}

/** Dependencies of the lookup of a mailed link. */
export type Confirms = {
  meta: MetaWith<'alerts.addressBySecret' | 'alerts.channelById' | 'organizations.organizationById'>
  clock: Pick<Clock, 'now'>
}

/** Returns the organization and address of a link; undefined if the link is no longer valid. */
export async function confirmationOf(
  { meta, clock }: Confirms,
  secret: string,
): Promise<{ organization: Organization; address: string; isConfirmed: boolean } | undefined> {
  // Secrets have 43 characters. Do not hash other texts.
  const found = /^[\w-]{43}$/.test(secret) ? await meta.alerts.addressBySecret(secret, clock.now()) : undefined
  const channel = found && (await meta.alerts.channelById(found.channelId))
  const organization = channel && (await meta.organizations.organizationById(channel.organizationId))
  if (!found || !organization) return undefined
  return { organization, address: found.address, isConfirmed: found.confirmedMs !== null }
}
