import { useLocale, useTranslations } from 'next-intl'
import type { RestFeedback } from '../../../contract/feedback.ts'
import { withBase } from '../../base-path.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { bytesText } from '../../ui/relative.ts'
import { Time } from '../../ui/time.tsx'

/** One feedback message as text: author, time, page, message, screenshots. */
export function FeedbackText({ organization, feedback }: { organization: string; feedback: RestFeedback }) {
  const t = useTranslations('people')
  const locale = useLocale()
  const files = `/api/0/projects/${organization}/${feedback.project.slug}/events/${feedback.feedbackID}/attachments`
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <b>
          <PlainText text={feedback.name || t('anonymous')} charactersMax={128} />
        </b>
        {feedback.email ? (
          <span className="text-ink-2">
            <PlainText text={feedback.email} charactersMax={254} />
          </span>
        ) : null}
        <Time at={feedback.dateCreated} className="text-ink-3" />
      </div>
      <p className="activity-text">
        <PlainText text={feedback.message} charactersMax={4096} />
      </p>
      {feedback.url ? (
        <p className="text-small text-ink-3 break-all">
          {/* The sender chose this URL, so it is not a link. */}
          <PlainText text={t('onPage', { url: feedback.url })} charactersMax={2100} />
        </p>
      ) : null}
      {feedback.attachments.map((attachment) => (
        <p key={attachment.id} className="text-small">
          <a className="link" download href={withBase(`${files}/${attachment.id}/?download=1`)}>
            <PlainText text={attachment.name} charactersMax={200} />
          </a>{' '}
          <span className="text-ink-3">{bytesText(attachment.size, locale)}</span>
        </p>
      ))}
    </div>
  )
}
