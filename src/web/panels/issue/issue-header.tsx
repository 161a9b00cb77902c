'use client'
import { useTranslations } from 'next-intl'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { ReactWords } from '../diagnostics/react-words.tsx'
import type { IssueContext } from '../panel.ts'
import { IssueActions } from './issue-actions.tsx'
import { IssueCrumbs } from './issue-crumbs.tsx'
import { headOf } from './issue-head.ts'

/** Longer messages are cut. The stack shows all of them. */
const messageMax = 2000

/** The way back, the title on one line, and buttons to change the issue. */
export function IssueHeader(props: IssueContext) {
  const { detail, event } = props
  const page = useTranslations('issuepage')
  const level = useTranslations('level')
  const { type, value } = headOf(detail)
  const message = value.slice(0, messageMax)
  return (
    <header className="issue-header">
      <IssueCrumbs {...props} />
      <div className="issue-title">
        <SeverityShape level={detail.level} label={level(detail.level)} sizePx={11} />
        <div className="issue-headline">
          <h1 title={type.slice(0, messageMax)}>
            <PlainText text={type} charactersMax={300} />
          </h1>
          {message ? (
            <>
              <p className="issue-message" title={message}>
                <PlainText text={message} charactersMax={messageMax} />
              </p>
              <span className="issue-copy">
                <CopyButton text={`${type}: ${value}`} label={page('copyMessage')} iconOnly />
              </span>
            </>
          ) : null}
        </div>
        <IssueActions {...props} />
        <RowEnd />
      </div>
      {event?.signs?.react ? <ReactWords react={event.signs.react} title={detail.title} /> : null}
    </header>
  )
}
