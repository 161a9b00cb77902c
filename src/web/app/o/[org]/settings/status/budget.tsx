import { useLocale, useTranslations } from 'next-intl'
import type { RestStatus } from '../../../../../../contract/status.ts'
import { bytesText } from '../../../../../ui/relative.ts'
import { ScrollBox } from '../../../../../ui/scroll-box.tsx'
import { Section, TableHead } from '../../../../../ui/section.tsx'
import { SeverityShape } from '../../../../../ui/severity.tsx'
import { Time } from '../../../../../ui/time.tsx'

type Disk = RestStatus['disk']

/** Stored bytes by kind, compared with the disk budget. */
function Stored({ budget }: { budget: Disk['budget'] }) {
  const t = useTranslations('operation.budget')
  const locale = useLocale()
  if (!budget) return <p className="text-ink-2">{t('away')}</p>
  const { budgetBytes, storedBytes, eventBytes, spanBytes, logBytes, metricBytes } = budget
  const { blobBytes, databaseBytes, copyBytes } = budget
  const stored = bytesText(storedBytes, locale)
  const isOver = budgetBytes !== null && storedBytes > budgetBytes
  const kinds = {
    events: bytesText(eventBytes, locale),
    spans: bytesText(spanBytes, locale),
    logs: bytesText(logBytes, locale),
    metrics: bytesText(metricBytes, locale),
    blobs: bytesText(blobBytes, locale),
    database: bytesText(databaseBytes, locale),
  }
  return (
    <p>
      {isOver ? <SeverityShape level="warning" label="" sizePx={8} /> : null}{' '}
      <b className={isOver ? 'text-error' : 'text-strong'}>
        {budgetBytes === null ? t('noBound', { stored }) : t('of', { stored, budget: bytesText(budgetBytes, locale) })}
      </b>{' '}
      <span className="text-small text-ink-3">{t('kinds', kinds)}</span>{' '}
      {copyBytes > 0 ? (
        <span className="text-small text-ink-3">{t('copies', { copies: bytesText(copyBytes, locale) })}</span>
      ) : null}
    </p>
  )
}

function Run({ run }: { run: Disk['thinned'][number] }) {
  const t = useTranslations('operation.budget')
  const locale = useLocale()
  const count = new Intl.NumberFormat(useLocale())
  const { startedAt, bytesBefore, bytesAfter, budgetBytes, reached, events, attachments, spans } = run
  return (
    <tr className="align-top">
      <td className="whitespace-nowrap">
        <Time at={startedAt} />
      </td>
      <td className="number">{count.format(events)}</td>
      <td className="number">{count.format(attachments)}</td>
      <td className="number">{count.format(spans)}</td>
      <td className="number whitespace-nowrap">
        {bytesAfter === null ? '' : bytesText(Math.max(0, bytesBefore - bytesAfter), locale)}
      </td>
      <td className="break-words">
        {t('whyText', { before: bytesText(bytesBefore, locale), budget: bytesText(budgetBytes, locale) })}{' '}
        {bytesAfter === null ? t('running') : reached ? null : <span className="text-error">{t('notReached')}</span>}
      </td>
    </tr>
  )
}

/** The disk budget, and the rows that downsampling removed to meet it. */
export function Budget({ disk }: { disk: Disk }) {
  const t = useTranslations('operation.budget')
  return (
    <Section title={t('title')} note={t('note')}>
      <Stored budget={disk.budget} />
      {disk.thinned.length === 0 ? (
        <p className="mt-2 text-ink-2">{t('never')}</p>
      ) : (
        <>
          <ScrollBox label={t('title')}>
            <table className="table mt-2">
              <TableHead
                columns={[
                  { text: t('when') },
                  { text: t('events'), number: true },
                  { text: t('attachments'), number: true },
                  { text: t('spans'), number: true },
                  { text: t('freed'), number: true },
                  { text: t('why') },
                ]}
              />
              <tbody>
                {disk.thinned.map((run) => (
                  <Run key={run.startedAt} run={run} />
                ))}
              </tbody>
            </table>
          </ScrollBox>
          <p className="mt-2 text-small text-ink-3">{t('keeps')}</p>
        </>
      )}
    </Section>
  )
}
