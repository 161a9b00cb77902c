'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestLoggedRequest } from '../../../contract/request-log.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { bytesText } from '../../ui/relative.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { TableHead } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useTodo, Verdict } from './verdict.tsx'

type Item = RestLoggedRequest['items'][number]

/** Merges equal items into one line. */
function grouped(items: readonly Item[]): { item: Item; count: number }[] {
  const groups = Map.groupBy(items, (item) => `${item.type} ${item.outcome} ${item.reason}`)
  return [...groups.values()].flatMap((all) => {
    const bytes = all.reduce((sum, item) => sum + item.bytes, 0)
    return all[0] ? [{ item: { ...all[0], bytes }, count: all.length }] : []
  })
}

function Items({ request }: { request: RestLoggedRequest }) {
  const t = useTranslations('operation.ingest')
  const locale = useLocale()
  const todo = useTodo()
  return (
    <>
      {request.items.length === 0 ? (
        <p className="text-ink-3">{todo(request.reason, request.todo) || t('empty')}</p>
      ) : null}
      <ul>
        {grouped(request.items).map(({ item, count }) => (
          <li key={`${item.type}:${item.outcome}:${item.reason}`} className="flex flex-wrap items-baseline gap-x-2">
            <code>{item.type || request.route}</code>
            {count > 1 ? <span className="text-ink-2">×{count}</span> : null}
            <span className="text-ink-3">{bytesText(item.bytes, locale)}</span>
            <Verdict outcome={item.outcome} />
            {item.reason && item.reason !== 'ok' ? <code className="text-ink-2">{item.reason}</code> : null}
            {item.reason && item.reason !== 'ok' ? (
              <span className="basis-full text-small text-ink-3">{todo(item.reason, item.todo)}</span>
            ) : null}
          </li>
        ))}
      </ul>
      {request.more > 0 ? <p className="text-small text-ink-3">{t('more', { count: request.more })}</p> : null}
      {request.eventId ? (
        <p className="text-small text-ink-3">
          {t('event')}{' '}
          {request.items.some((item) => item.outcome === 'stored') ? (
            <Link className="link" href={`/e/${request.eventId}`}>
              <code>{request.eventId}</code>
            </Link>
          ) : (
            <code>{request.eventId}</code>
          )}
        </p>
      ) : null}
    </>
  )
}

/** Requests to ingest: time, SDK, response, and the outcome of each item. `keys`: key labels by id. */
export function Requests({
  requests,
  keys,
}: {
  requests: readonly RestLoggedRequest[]
  keys?: ReadonlyMap<string, string>
}) {
  const t = useTranslations('operation.ingest')
  const locale = useLocale()
  const columns = [
    { text: t('time') },
    ...(keys ? [{ text: t('key') }] : []),
    { text: t('sdk') },
    { text: t('size'), number: true },
    { text: t('answer') },
    { text: t('items') },
  ]
  return (
    <ScrollBox label={t('items')}>
      <table className="table requests">
        <TableHead columns={columns} />
        <tbody>
          {requests.map((request, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two requests in one millisecond can be equal
            <tr key={`${request.receivedAt}:${index}`} className="align-top">
              <td className="whitespace-nowrap">
                <Time at={request.receivedAt} />
              </td>
              {keys ? (
                <td>
                  <PlainText text={keys.get(request.key ?? '') ?? ''} charactersMax={60} />
                </td>
              ) : null}
              <td className="break-words text-ink-2">
                {request.route === 'again' ? t('again') : <PlainText text={request.sdk} charactersMax={60} />}
              </td>
              <td className="number whitespace-nowrap">{bytesText(request.bytes, locale)}</td>
              <td>
                <code className={request.status >= 400 ? 'text-error' : ''}>{request.status}</code>{' '}
                {request.code === 'OK' ? null : <code className="break-words text-small">{request.code}</code>}
              </td>
              <td className="min-w-[260px]">
                <Items request={request} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
