'use client'
import './error-links.css'
import { useTranslations } from 'next-intl'
import type { RestEvent } from '../../../contract/events.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Certainty } from './certainty.tsx'

/** All digests of an event, each with its source and whether it certainly belongs to the event. */
export function DigestList({ digests }: { digests: RestEvent['digests'] }) {
  const t = useTranslations('failures')
  if (digests.length === 0) return null
  return (
    <Section id="digests" title={t('digests', { count: digests.length })}>
      <table className="table digest-list">
        <thead>
          <tr>
            <th scope="col">{t('digest')}</th>
            <th scope="col">{t('foundIn')}</th>
            <th scope="col">{t('sureness')}</th>
          </tr>
        </thead>
        <tbody>
          {digests.map(({ value, found, sure }) => (
            <tr key={`${value} ${found}`}>
              <td>
                <Link className="link" href={`/d/${encodeURIComponent(value)}`}>
                  <code>
                    <PlainText text={value} charactersMax={200} />
                  </code>
                </Link>
              </td>
              <td>
                <code className="text-ink-2">
                  <PlainText text={found} charactersMax={200} />
                </code>
              </td>
              <td>
                <Certainty sure={sure} why={t(sure ? 'sureWhy' : 'notSureWhy')} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}
