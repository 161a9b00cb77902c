'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestTag } from '../../../contract/issues.ts'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { sharesOf } from './shares.ts'
import { cutMiddle } from './tag-order.ts'
import { type TagHrefs, TagValue } from './tag-value.tsx'
import { Share } from './tags.tsx'

const countriesMax = 3
const usersMax = 5

/** The country of a code in the reader's language; the code itself if it is none. */
function countryName(locale: string, code: string): string {
  if (!/^[A-Za-z]{2}$/.test(code)) return code
  return new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' }).of(code.toUpperCase()) ?? code
}

/** Who has the error: countries if they are known, and the users with the most events. */
export function AffectedUsers({ users, tags, hrefs }: { users: number; tags: readonly RestTag[]; hrefs: TagHrefs }) {
  const t = useTranslations('parts.users')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale)
  const people = tags.find((tag) => tag.key === 'user')
  const countries = tags.find((tag) => tag.key === 'geo.country_code')
  const top = people?.topValues.slice(0, usersMax) ?? []
  return (
    <Section id="affected-users" title={t('title')} note={number.format(users)}>
      {countries ? (
        <ul className="tag-share-list">
          {sharesOf(countries.topValues.slice(0, countriesMax), countries.totalValues).map((share) => (
            <li key={share.value}>
              <TagValue tag="geo.country_code" value={share.value} hrefs={hrefs}>
                <PlainText text={countryName(locale, share.value)} charactersMax={40} />
              </TagValue>
              <Share percent={share.percent} text={number.format(share.count)} />
            </li>
          ))}
        </ul>
      ) : null}
      <ul className="user-list">
        {top.map((user) => (
          <li key={user.value}>
            <TagValue tag="user" value={user.value} hrefs={hrefs}>
              <PlainText text={cutMiddle(user.value.replace(/^(?:id|email|username|ip):/, ''), 32)} />
            </TagValue>
            <span className="share-text">{t('events', { count: user.count })}</span>
          </li>
        ))}
      </ul>
      {people && people.uniqueValues > top.length ? (
        <p className="part-note">{t('others', { count: people.uniqueValues - top.length })}</p>
      ) : null}
    </Section>
  )
}
