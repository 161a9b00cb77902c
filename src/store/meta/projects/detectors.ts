import { MishapError } from '../../../base/errors.ts'
import {
  changedDetectors,
  type DetectorChange,
  defaultDetectors,
  faultsOf,
  type ProjectDetectors,
  readDetectors,
} from '../../../domain/detectors/detectors.ts'
import type { Store } from '../database/store.ts'

/** Which detectors run in a project, and their thresholds. */
export type DetectorSettingsStore = {
  /** Throws NOT_FOUND. */
  detectorSettings(projectId: number): Promise<ProjectDetectors>
  /** The projects whose settings differ from the defaults. */
  listDetectorSettings(): Promise<{ projectId: number; detectors: ProjectDetectors }[]>
}

/** The column of a project with changed detectors. Throws VALIDATION with fields. */
export function detectorsColumn(old: string, change: DetectorChange | undefined): string {
  if (change === undefined) return old
  const fields = faultsOf(change)
  const [detail] = Object.values(fields).flat()
  if (detail !== undefined) throw new MishapError('VALIDATION', { detail, fields })
  return changedDetectors(old, change)
}

/** Implements the detector settings of projects. */
export function detectorPart({ read, dialect: { builder } }: Store): DetectorSettingsStore {
  return {
    detectorSettings: async (projectId) => {
      const row = await read.get(builder.selectFrom('project').select('detectors').where('id', '=', projectId))
      if (!row) throw new MishapError('NOT_FOUND')
      return row.detectors === '{}' ? defaultDetectors : readDetectors(row.detectors)
    },
    listDetectorSettings: async () => {
      const rows = await read.all(
        builder.selectFrom('project').select(['id', 'detectors']).where('detectors', '!=', '{}').orderBy('id'),
      )
      return rows.map(({ id, detectors }) => ({ projectId: id, detectors: readDetectors(detectors) }))
    },
  }
}
