import { cookies, headers } from 'next/headers'
import { getRequestConfig } from 'next-intl/server'
import { localeOf } from './locale.ts'
import de from './messages/de.json'
import diagnosticsDe from './messages/diagnostics.de.json'
import diagnosticsEn from './messages/diagnostics.en.json'
import doctorDe from './messages/doctor.de.json'
import doctorEn from './messages/doctor.en.json'
import en from './messages/en.json'
import failuresDe from './messages/failures.de.json'
import failuresEn from './messages/failures.en.json'
import filtersDe from './messages/filters.de.json'
import filtersEn from './messages/filters.en.json'
import groupingDe from './messages/grouping.de.json'
import groupingEn from './messages/grouping.en.json'
import issuesDe from './messages/issues.de.json'
import issuesEn from './messages/issues.en.json'
import noiseDe from './messages/noise.de.json'
import noiseEn from './messages/noise.en.json'
import notificationsDe from './messages/notifications.de.json'
import notificationsEn from './messages/notifications.en.json'
import partsDe from './messages/parts.de.json'
import partsEn from './messages/parts.en.json'
import peopleDe from './messages/people.de.json'
import peopleEn from './messages/people.en.json'
import releasesDe from './messages/releases.de.json'
import releasesEn from './messages/releases.en.json'
import searchDe from './messages/search.de.json'
import searchEn from './messages/search.en.json'
import securityDe from './messages/security.de.json'
import securityEn from './messages/security.en.json'
import sourcesDe from './messages/sources.de.json'
import sourcesEn from './messages/sources.en.json'
import operationDe from './messages/status.de.json'
import operationEn from './messages/status.en.json'
import tracesDe from './messages/traces.de.json'
import tracesEn from './messages/traces.en.json'
import triageDe from './messages/triage.de.json'
import triageEn from './messages/triage.en.json'

const catalogues = {
  en: {
    ...en,
    doctor: doctorEn,
    grouping: groupingEn,
    failures: failuresEn,
    filters: filtersEn,
    issues: issuesEn,
    noise: noiseEn,
    notifications: notificationsEn,
    operation: operationEn,
    parts: partsEn,
    people: peopleEn,
    releases: releasesEn,
    search: searchEn,
    security: securityEn,
    diagnostics: diagnosticsEn,
    sources: sourcesEn,
    traces: tracesEn,
    triage: triageEn,
  },
  de: {
    ...de,
    doctor: doctorDe,
    grouping: groupingDe,
    failures: failuresDe,
    filters: filtersDe,
    issues: issuesDe,
    noise: noiseDe,
    notifications: notificationsDe,
    operation: operationDe,
    parts: partsDe,
    people: peopleDe,
    releases: releasesDe,
    search: searchDe,
    security: securityDe,
    diagnostics: diagnosticsDe,
    sources: sourcesDe,
    traces: tracesDe,
    triage: triageDe,
  },
}

/** The locale of a request: the cookie, then the browser's languages, then English. Called once per request. */
export default getRequestConfig(async () => {
  const locale = localeOf((await cookies()).get('locale')?.value, (await headers()).get('accept-language'))
  return { locale, messages: catalogues[locale], timeZone: 'UTC' }
})
