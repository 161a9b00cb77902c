import { useLocale, useTranslations } from 'next-intl'
import type { RestRoutePage, RestTimePart } from '../../../contract/explore/performance.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { StatementLink } from './statement-link.tsx'
import { performanceWords } from './words.ts'

/** The longest end of a part: the width of the waterfall. */
const endOf = ({ offsetMs, meanMs }: RestTimePart) => offsetMs + meanMs

/** An aggregated waterfall: what the newest segments spent their time on, each part at its mean place. */
export function TimeParts({ page, base, kept }: { page: RestRoutePage; base: string; kept: string }) {
  const { time, project } = page
  const t = useTranslations('performance.time')
  const words = performanceWords(useLocale())
  const most = Math.max(1, ...time.parts.map(endOf))
  return (
    <section aria-labelledby="performance-time">
      <div className="performance-title performance-head">
        <h2 id="performance-time">{t('title')}</h2>
        {time.parts.length > 0 ? <span className="performance-note">{t('of', { count: time.segments })}</span> : null}
      </div>
      {time.parts.length === 0 ? (
        <p className="performance-none">{t('none')}</p>
      ) : (
        <div className="performance-table-box">
          <table className="performance-table">
            <thead>
              <tr>
                <th scope="col">{t('part')}</th>
                <th scope="col" className="performance-wide">
                  {t('place')}
                </th>
                <th scope="col" className="number">
                  {t('times')}
                </th>
                <th scope="col" className="number performance-wide">
                  {t('mean')}
                </th>
                <th scope="col" className="number">
                  {t('share')}
                </th>
              </tr>
            </thead>
            <tbody>
              {time.parts.map((part) => (
                <tr key={`${part.category} ${part.statement}`}>
                  <th scope="row">
                    <span className="performance-name" title={part.statement}>
                      <span className="performance-op">
                        <PlainText text={part.category || part.op} charactersMax={20} />
                      </span>
                      <StatementLink
                        base={base}
                        kept={kept}
                        project={project.slug}
                        category={part.category}
                        statement={part.statement}
                      >
                        <code>
                          <PlainText text={part.statement || t('unnamed')} charactersMax={300} />
                        </code>
                      </StatementLink>
                    </span>
                  </th>
                  <td className="performance-wide">
                    <span
                      className="performance-waterfall"
                      title={t('after', { offset: words.duration(part.offsetMs) })}
                    >
                      <span
                        data-category={part.category}
                        style={{
                          left: `${(Math.max(0, part.offsetMs) / most) * 100}%`,
                          width: `${(part.meanMs / most) * 100}%`,
                        }}
                      />
                    </span>
                  </td>
                  <td className="number" title={t('inShare', { share: words.share(part.segments) })}>
                    {words.lift(part.perSegment)} ×
                  </td>
                  <td className="number performance-wide text-ink-2">{words.duration(part.meanMs)}</td>
                  <td className="number">
                    <b>{words.share(part.share)}</b>
                  </td>
                </tr>
              ))}
              <tr>
                <th scope="row" className="text-ink-3">
                  {t('outside')}
                </th>
                <td className="performance-wide" />
                <td />
                <td className="performance-wide" />
                <td className="number">{words.share(time.outside)}</td>
              </tr>
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
