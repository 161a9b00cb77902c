// Loaded into the processes of a product (NODE_OPTIONS=--import). The product's own code stays as it is.
import { promises as dns, type LookupAddress } from 'node:dns'
import { readFileSync } from 'node:fs'
import https, { type RequestOptions } from 'node:https'

const { E2E_CLOCK_FILE = '', E2E_SLACK_PORT = '' } = process.env

// The clock can be set forward, as on a machine that slept: rules have windows of minutes, and floods last for ten.
const realNow = Date.now
const clock = { aheadMs: 0, readMs: 0 }
// Read by whoever asks for the time: on a busy machine a timer came 200 ms late, and events fell into the minute before.
const now = () => {
  const realMs = realNow()
  if (Math.abs(realMs - clock.readMs) >= 20) {
    const text = readFileSync(E2E_CLOCK_FILE, 'utf8')
    // It is empty for a moment while the test writes it.
    if (text !== '') Object.assign(clock, { aheadMs: Number(text), readMs: realMs })
  }
  return realMs + clock.aheadMs
}
if (E2E_CLOCK_FILE !== '') Date.now = now

// Slack's names lead to a local server. The certificate is still checked against the name.
const isSlack = (name: unknown): boolean => name === 'slack.com' || name === 'hooks.slack.com'
if (E2E_SLACK_PORT !== '') {
  const lookup = dns.lookup as (name: string, options: object) => Promise<LookupAddress[]>
  const led = async (name: string, options: object) =>
    isSlack(name) ? [{ address: '127.0.0.1', family: 4 }] : lookup(name, options)
  dns.lookup = led as typeof dns.lookup
  const request = https.request as (options: RequestOptions) => ReturnType<typeof https.request>
  https.request = ((options: RequestOptions) =>
    request(
      isSlack(options.servername) ? { ...options, port: E2E_SLACK_PORT } : options,
    )) as unknown as typeof https.request
}
