import { describe, expect, it } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { deferringTransport, type Transport } from './reporter-transport.ts'

type Envelope = Parameters<Transport['send']>[0]
type Kind = Envelope[1][number][0]['type']
const envelope = (...types: Kind[]) => [{}, types.map((type) => [{ type }, {}])] as unknown as Envelope

function page() {
  const clock = testClock(0)
  const sent: [number, string][] = []
  const state = { hidden: false, hide: () => {}, flushed: 0, failing: false }
  const inner: Transport = {
    send: async (entry) => {
      sent.push([clock.now(), entry[1].map((item) => item[0].type).join()])
      if (state.failing) throw new Error('network')
      return { statusCode: 200 }
    },
    flush: async () => {
      state.flushed += 1
      return true
    },
  }
  const transport = deferringTransport(inner, {
    whenIdle: (run) => clock.after(3000, run),
    isHidden: () => state.hidden,
    onHide: (run) => {
      state.hide = run
    },
  })
  return { clock, sent, state, transport }
}

describe('patientTransport', () => {
  it.each<[string, Kind[], boolean]>([
    ['a transaction', ['transaction'], true],
    ['spans', ['span'], true],
    ['a client report', ['client_report'], true],
    ['an error', ['event'], false],
    ['an error with its attachment', ['event', 'attachment'], false],
    ['an error with a client report', ['client_report', 'event'], false],
    ['what a person wrote', ['feedback'], false],
  ])('%s (%s) waits: %s', (_name, types, waits) => {
    const { clock, sent, transport } = page()
    void transport.send(envelope(...types))
    expect(sent).toHaveLength(waits ? 0 : 1)
    clock.advance(3000)
    expect(sent).toEqual([[waits ? 3000 : 0, types.join()]])
  })

  it('sends what waited in its order and hands the answer on', async () => {
    const { clock, sent, transport } = page()
    const answers = [transport.send(envelope('transaction')), transport.send(envelope('client_report'))]
    clock.advance(2999)
    expect(sent).toEqual([])
    clock.advance(1)
    expect(sent.map(([, type]) => type)).toEqual(['transaction', 'client_report'])
    expect(await Promise.all(answers)).toEqual([{ statusCode: 200 }, { statusCode: 200 }])
    void transport.send(envelope('transaction'))
    expect(sent).toHaveLength(2)
    clock.advance(3000)
    expect(sent).toHaveLength(3)
  })

  it('hands a failure on', async () => {
    const { clock, state, transport } = page()
    state.failing = true
    const answer = Promise.resolve(transport.send(envelope('transaction')))
    const failed = expect(answer).rejects.toThrow('network')
    clock.advance(3000)
    await failed
  })

  it('sends all at once when the page is left, and nothing waits in a hidden page', () => {
    const { clock, sent, state, transport } = page()
    void transport.send(envelope('transaction'))
    state.hidden = true
    state.hide()
    void transport.send(envelope('client_report'))
    expect(sent).toEqual([
      [0, 'transaction'],
      [0, 'client_report'],
    ])
    clock.advance(60_000)
    expect(sent).toHaveLength(2)
  })

  it('flushes what waits before the inner transport', async () => {
    const { sent, state, transport } = page()
    void transport.send(envelope('transaction'))
    expect(await transport.flush(100)).toBe(true)
    expect([sent.length, state.flushed]).toEqual([1, 1])
  })

  it('does not collect without a bound', () => {
    const { sent, transport } = page()
    for (let i = 0; i < 31; i++) void transport.send(envelope('transaction'))
    expect(sent).toHaveLength(31)
  })
})
