import { getTranslations } from 'next-intl/server'
import { tombstonesOf } from '../../../../../../../../query/issues/tombstones.ts'
import { app } from '../../../../../../../handle.ts'
import { ScrollBox } from '../../../../../../../ui/scroll-box.tsx'
import { EmptyState } from '../../../../../../../ui/states.tsx'
import { type SettingsContext, settingsPage, settingsTitle } from '../settings-page.tsx'
import { TombstoneRow } from './tombstone-row.tsx'

/** The project's tombstones: issues that were deleted with their future events. */
async function Tombstones({ here: { actor, organization, project }, place }: SettingsContext) {
  const t = await getTranslations('triage.tombstones')
  const { auth, meta } = app()
  const mayWrite = (await auth.may(actor, 'issue:delete', { organization, project })) === 'yes'
  const found = await tombstonesOf(meta, project.id)
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('note') : t('notAllowed')}</p>
      {found.length === 0 ? (
        <EmptyState title={t('none')} />
      ) : (
        <ScrollBox label={t('title')}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{t('issue')}</th>
                <th scope="col" className="number">
                  {t('fingerprints')}
                </th>
                <th scope="col">{t('deleted')}</th>
                <th scope="col">
                  <span className="visually-hidden">{t('actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.map((tombstone) => (
                <TombstoneRow key={tombstone.id} place={place} tombstone={tombstone} mayWrite={mayWrite} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </>
  )
}

export const generateMetadata = settingsTitle('tombstones')

export default settingsPage('tombstones', [{ id: 'tombstones', Component: Tombstones }])
