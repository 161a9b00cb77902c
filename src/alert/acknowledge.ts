import type { Clock } from '../base/clock.ts'
import type { Incident } from '../store/meta/alerts/incidents.ts'
import type { Organization } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** How long the link of a message works. */
const acknowledgeMs = 86_400_000
const purpose = 'acknowledge'
const tokenCharactersMax = 1000

type Sealing = { seal(text: string): string }
type Opening = { open(sealed: string): string }

/**
 * Returns the link by which whoever reads a message acknowledges its incident. The token is sealed, so nobody can make
 * or change one. It names its purpose, so no other sealed text passes for it. It holds the delivery, for the history.
 */
export function acknowledgeLink(
  { seal, url }: Sealing & { url: string },
  delivery: { id: number; organizationId: number; incidentId: number; createdMs: number },
): string {
  const { id, organizationId, incidentId, createdMs } = delivery
  const token = seal(JSON.stringify([purpose, organizationId, incidentId, id, createdMs + acknowledgeMs]))
  return `${url}/acknowledge?token=${encodeURIComponent(token)}`
}

/** What a link is about. `expired`: it was valid once. `ended`: nothing is left to acknowledge. */
type Acknowledgement =
  | { state: 'invalid' | 'expired' }
  | { state: 'open' | 'acknowledged' | 'ended'; organization: Organization; incident: Incident; deliveryId: number }

/** Dependencies of the lookup of a link. */
export type Acknowledges = {
  meta: MetaWith<'incidents.incidentById' | 'organizations.organizationById'>
  clock: Pick<Clock, 'now'>
  seal: Opening
}

/** Returns the numbers of a token; undefined for a forged, changed or foreign token. */
function numbersOf({ open }: Opening, token: string): number[] | undefined {
  if (token === '' || token.length > tokenCharactersMax) return undefined
  try {
    const [name, ...numbers] = JSON.parse(open(token)) as unknown[]
    const whole = numbers.filter((value): value is number => Number.isSafeInteger(value))
    return name === purpose && whole.length === 4 && numbers.length === 4 ? whole : undefined
  } catch {
    return undefined
  }
}

/** Returns what a link acknowledges. Changes nothing, so programs that open links by themselves have no effect. */
export async function acknowledgementOf({ meta, clock, seal }: Acknowledges, token: string): Promise<Acknowledgement> {
  const numbers = numbersOf(seal, token)
  if (!numbers) return { state: 'invalid' }
  const [organizationId = 0, incidentId = 0, deliveryId = 0, expiresMs = 0] = numbers
  if (expiresMs <= clock.now()) return { state: 'expired' }
  const incident = await meta.incidents.incidentById(incidentId)
  const organization = await meta.organizations.organizationById(organizationId)
  if (!incident || !organization || incident.organizationId !== organization.id) return { state: 'invalid' }
  const state = incident.endedMs !== null ? 'ended' : incident.state === 'acknowledged' ? 'acknowledged' : 'open'
  return { state, organization, incident, deliveryId }
}
