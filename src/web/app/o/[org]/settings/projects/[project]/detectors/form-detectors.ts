import { type DetectorChange, type DetectorId, detectors } from '../../../../../../../../domain/detectors/detectors.ts'
import { textOf } from '../../../../../../../client/form.ts'

/** Names of the fields of a detector. */
export const activeField = (id: DetectorId): string => `${id}.active`
export const thresholdField = (id: DetectorId, name: string): string => `detectors.${id}.${name}`

/** Reads the form. An unchecked box sends nothing. An empty number means the default. */
export function detectorsIn(data: FormData): DetectorChange {
  return Object.fromEntries(
    detectors.map(({ id, thresholds }) => [
      id,
      {
        active: data.get(activeField(id)) === 'on',
        thresholds: Object.fromEntries(
          thresholds.map(({ name, default: value }) => {
            const text = textOf(data, thresholdField(id, name)).trim()
            return [name, text === '' ? value : Number(text)]
          }),
        ),
      },
    ]),
  )
}
