import { cookies, headers } from 'next/headers'
import { getRequestConfig } from 'next-intl/server'
import { localeOf } from './locale.ts'
import alertsDe from './messages/alerts.de.json'
import alertsEn from './messages/alerts.en.json'
import boardsDe from './messages/boards.de.json'
import boardsEn from './messages/boards.en.json'
import channelsDe from './messages/channels.de.json'
import channelsEn from './messages/channels.en.json'
import chartsDe from './messages/charts.de.json'
import chartsEn from './messages/charts.en.json'
import compareDe from './messages/compare.de.json'
import compareEn from './messages/compare.en.json'
import de from './messages/de.json'
import detectorsDe from './messages/detectors.de.json'
import detectorsEn from './messages/detectors.en.json'
import diagnosticsDe from './messages/diagnostics.de.json'
import diagnosticsEn from './messages/diagnostics.en.json'
import doctorDe from './messages/doctor.de.json'
import doctorEn from './messages/doctor.en.json'
import en from './messages/en.json'
import evidenceDe from './messages/evidence.de.json'
import evidenceEn from './messages/evidence.en.json'
import exploreDe from './messages/explore.de.json'
import exploreEn from './messages/explore.en.json'
import failuresDe from './messages/failures.de.json'
import failuresEn from './messages/failures.en.json'
import filtersDe from './messages/filters.de.json'
import filtersEn from './messages/filters.en.json'
import frameDe from './messages/frame.de.json'
import frameEn from './messages/frame.en.json'
import groupingDe from './messages/grouping.de.json'
import groupingEn from './messages/grouping.en.json'
import incidentsDe from './messages/incidents.de.json'
import incidentsEn from './messages/incidents.en.json'
import integrationsDe from './messages/integrations.de.json'
import integrationsEn from './messages/integrations.en.json'
import issuepageDe from './messages/issuepage.de.json'
import issuepageEn from './messages/issuepage.en.json'
import issuesDe from './messages/issues.de.json'
import issuesEn from './messages/issues.en.json'
import logsDe from './messages/logs.de.json'
import logsEn from './messages/logs.en.json'
import metricsDe from './messages/metrics.de.json'
import metricsEn from './messages/metrics.en.json'
import noiseDe from './messages/noise.de.json'
import noiseEn from './messages/noise.en.json'
import notificationsDe from './messages/notifications.de.json'
import notificationsEn from './messages/notifications.en.json'
import overviewDe from './messages/overview.de.json'
import overviewEn from './messages/overview.en.json'
import partsDe from './messages/parts.de.json'
import partsEn from './messages/parts.en.json'
import peopleDe from './messages/people.de.json'
import peopleEn from './messages/people.en.json'
import performanceDe from './messages/performance.de.json'
import performanceEn from './messages/performance.en.json'
import personalDe from './messages/personal.de.json'
import personalEn from './messages/personal.en.json'
import releasesDe from './messages/releases.de.json'
import releasesEn from './messages/releases.en.json'
import rowsDe from './messages/rows.de.json'
import rowsEn from './messages/rows.en.json'
import searchDe from './messages/search.de.json'
import searchEn from './messages/search.en.json'
import securityDe from './messages/security.de.json'
import securityEn from './messages/security.en.json'
import sourcesDe from './messages/sources.de.json'
import sourcesEn from './messages/sources.en.json'
import spansDe from './messages/spans.de.json'
import spansEn from './messages/spans.en.json'
import operationDe from './messages/status.de.json'
import operationEn from './messages/status.en.json'
import traceDe from './messages/trace.de.json'
import traceEn from './messages/trace.en.json'
import tracesDe from './messages/traces.de.json'
import tracesEn from './messages/traces.en.json'
import triageDe from './messages/triage.de.json'
import triageEn from './messages/triage.en.json'
import { zoneOf } from './zone.ts'

const catalogues = {
  en: {
    ...en,
    alerts: alertsEn,
    boards: boardsEn,
    channels: channelsEn,
    charts: chartsEn,
    compare: compareEn,
    detectors: detectorsEn,
    doctor: doctorEn,
    evidence: evidenceEn,
    explore: exploreEn,
    grouping: groupingEn,
    failures: failuresEn,
    filters: filtersEn,
    frame: frameEn,
    integrations: integrationsEn,
    issuepage: issuepageEn,
    issues: issuesEn,
    logs: logsEn,
    noise: noiseEn,
    incidents: incidentsEn,
    notifications: notificationsEn,
    personal: personalEn,
    operation: operationEn,
    overview: overviewEn,
    parts: partsEn,
    people: peopleEn,
    performance: performanceEn,
    metrics: metricsEn,
    releases: releasesEn,
    rows: rowsEn,
    search: searchEn,
    security: securityEn,
    diagnostics: diagnosticsEn,
    sources: sourcesEn,
    trace: traceEn,
    spans: spansEn,
    traces: tracesEn,
    triage: triageEn,
  },
  de: {
    ...de,
    alerts: alertsDe,
    boards: boardsDe,
    channels: channelsDe,
    charts: chartsDe,
    compare: compareDe,
    detectors: detectorsDe,
    doctor: doctorDe,
    evidence: evidenceDe,
    explore: exploreDe,
    grouping: groupingDe,
    failures: failuresDe,
    filters: filtersDe,
    frame: frameDe,
    integrations: integrationsDe,
    issuepage: issuepageDe,
    issues: issuesDe,
    logs: logsDe,
    noise: noiseDe,
    incidents: incidentsDe,
    notifications: notificationsDe,
    personal: personalDe,
    operation: operationDe,
    overview: overviewDe,
    parts: partsDe,
    people: peopleDe,
    performance: performanceDe,
    metrics: metricsDe,
    releases: releasesDe,
    rows: rowsDe,
    search: searchDe,
    security: securityDe,
    diagnostics: diagnosticsDe,
    sources: sourcesDe,
    trace: traceDe,
    spans: spansDe,
    traces: tracesDe,
    triage: triageDe,
  },
}

/**
 * Locale and time zone of a request. The locale: the cookie, then the browser's languages, then English. The zone: UTC
 * if the person chose it, then the browser's zone, then UTC. Called once per request.
 */
export default getRequestConfig(async () => {
  const jar = await cookies()
  const locale = localeOf(jar.get('locale')?.value, (await headers()).get('accept-language'))
  return {
    locale,
    messages: catalogues[locale],
    timeZone: zoneOf(jar.get('times')?.value, jar.get('zone')?.value),
  }
})
