import './setup-steps.css'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { PlatformSetup } from '../../../../../../platforms/snippet.ts'
import { FileTabs } from './file-tabs.tsx'
import { Snippets } from './snippets.tsx'

/** A step: its number, its title, what it holds. One step is open at a time, also without scripts. */
function Step({ number, title, note, open, children }: StepProps) {
  return (
    <li>
      <details className="setup-step" name="setup-step" open={open}>
        <summary>
          <span className="setup-number" aria-hidden>
            {number}
          </span>
          <h2>{title}</h2>
          <span className="text-small text-ink-3">{note}</span>
        </summary>
        <div className="setup-body">{children}</div>
      </details>
    </li>
  )
}
type StepProps = { number: number; title: string; note: string; open?: boolean; children: ReactNode }

/** The five steps of a platform. `optional` comes last: digests. */
export function SetupSteps({ setup, commits, optional, asksOptional }: SetupStepsProps) {
  const t = useTranslations('setupSteps')
  return (
    <ol className="setup-steps">
      <Step number={1} title={t('install')} note={t('installNote')} open={!asksOptional}>
        <Snippets parts={[setup.install]} />
      </Step>
      <Step number={2} title={t('files')} note={t('filesNote', { count: setup.files.length })}>
        <p className="mb-3 text-ink-2">{t('keyNote')}</p>
        <FileTabs parts={setup.files} />
      </Step>
      <Step number={3} title={t(`readable.${setup.readable}`)} note={t(`readableNote.${setup.readable}`)}>
        <p className="mb-3 max-w-[72ch] text-ink-2">{t(`readableWhy.${setup.readable}`)}</p>
        <Snippets parts={setup.release} />
      </Step>
      <Step number={4} title={t('test')} note={t('testNote')}>
        <p className="mb-3 max-w-[72ch] text-ink-2">{t('testWhy')}</p>
        <Snippets parts={[setup.test]} />
      </Step>
      <Step number={5} title={t('optional')} note={t('optionalNote')} open={asksOptional}>
        <h3 className="mb-1">{t('commits')}</h3>
        <p className="mb-3 max-w-[72ch] text-ink-2">{t('commitsWhy')}</p>
        <Snippets parts={[commits]} />
        {optional}
      </Step>
    </ol>
  )
}
type SetupStepsProps = {
  setup: PlatformSetup
  /** Sends commits and deploys. */
  commits: PlatformSetup['install']
  optional: ReactNode
  /** Whether the last step is open at first, not the first step. */
  asksOptional: boolean
}
