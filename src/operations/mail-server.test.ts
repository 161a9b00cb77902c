import { describe, expect, test } from 'vitest'
import { smtpOf } from '../alert/smtp.ts'
import { clearMailServer, type SmtpText, setMailServer } from './mail-server.ts'
import { endOf } from './rig.cases.ts'

describe('mail server', () => {
  const rig = () => {
    const values = new Map<string, string>()
    const meta = {
      values: {
        getValue: async (name: string) => values.get(name),
        setValue: async (name: string, text: string) => void values.set(name, text),
      },
    }
    const seal = { seal: (text: string) => `s${text}`, open: (text: string) => text.slice(1) }
    return { values, meta, seal }
  }
  const text: SmtpText = {
    host: 'mail.test',
    port: 587,
    security: 'starttls',
    user: 'me',
    password: 'pw',
    from: 'Mishap <m@x.test>',
  }

  test('is kept, changed without its password, and taken away', async () => {
    const room = rig()
    expect(await smtpOf(room)).toBeUndefined()
    await setMailServer(room, text)
    expect(await smtpOf(room)).toEqual(text)
    await setMailServer(room, { ...text, password: undefined, port: 465, security: 'tls' })
    expect(await smtpOf(room)).toMatchObject({ port: 465, password: 'pw' })
    await setMailServer(room, { ...text, password: undefined, host: 'other.test' })
    expect(await smtpOf(room)).toMatchObject({ host: 'other.test', password: '' })
    await clearMailServer(room)
    expect(await smtpOf(room)).toBeUndefined()
    room.values.set('smtp', 'broken')
    expect(await smtpOf(room)).toBeUndefined()
  })

  test.each<[Partial<SmtpText>, string[]]>([
    [{ host: '' }, ['host']],
    [{ host: 'a b' }, ['host']],
    [{ port: 0 }, ['port']],
    [{ port: 1.5 }, ['port']],
    [{ security: 'ssl' }, ['security']],
    [{ from: 'nobody' }, ['from']],
    [{ from: 'a@x.test\r\nBcc: b@x.test' }, ['from']],
    [{ host: '', port: 99_999, from: '', user: 'x'.repeat(255) }, ['from', 'host', 'port', 'user']],
  ])('refuses %j', async (change, fields) => {
    expect(await endOf(() => setMailServer(rig(), { ...text, ...change }))).toEqual(['VALIDATION', fields])
  })
})
