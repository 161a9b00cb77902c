import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { alertReasonCode, alertReasonCodes, alertReasons } from '../../../domain/alerts/alert-reasons.ts'
import alertsDe from '../../messages/alerts.de.json'
import alertsEn from '../../messages/alerts.en.json'
import de from '../../messages/de.json'
import incidents from '../../messages/incidents.de.json'
import { NowProvider } from '../../ui/time.tsx'
import { IncidentMessages } from './messages.tsx'

const shown = (error: string) =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="de" timeZone="UTC" messages={{ ...de, incidents, alerts: alertsDe }}>
      <NowProvider startMs={0}>
        <IncidentMessages
          messages={[
            {
              id: '1',
              receiver: 'Ops',
              change: 'start',
              status: 'suppressed',
              error,
              errorCode: alertReasonCode(error) ?? null,
              dateCreated: '2026-11-23T00:00:00.000Z',
            },
          ]}
        />
      </NowProvider>
    </NextIntlClientProvider>,
  )

test.each([
  [alertReasons.channel_off, 'Nichts wurde gesendet: Der Kanal ist ausgeschaltet.'],
  [alertReasons.address_timeout, 'Die Adresse hat nicht rechtzeitig geantwortet.'],
  ['Muted: Deploys', 'Stummgeschaltet: Deploys'],
  ['The service answered 500: gone.', 'The service answered 500: gone.'],
])('a German reader gets "%s" as "%s"', (error, expected) => {
  expect(shown(error)).toContain(expected)
})

test('each code has its sentence in English, and a German one', () => {
  expect(alertsEn.reasons).toEqual({ ...alertReasons, muted: 'Muted: {mute}' })
  expect(Object.keys(alertsDe.reasons)).toEqual([...alertReasonCodes])
})
