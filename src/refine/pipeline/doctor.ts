import type { BundleDiagnosis, EventDiagnosis, ReleaseDiagnosis } from '../../domain/doctor.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { Bundle } from '../../store/meta/artifacts/artifacts.ts'
import { diagnosePack, mapsMax, packOf } from '../doctor/bundle.ts'
import { diagnoseEvent } from '../doctor/event.ts'
import { type DoctorDeps, type DoctorProject, waitMs } from '../doctor/gather.ts'
import { diagnoseRelease, type ReleaseRequest } from '../doctor/release.ts'

/**
 * Diagnoses why frames are not mapped: which files were checked, the first fault, and its remedy. Changes nothing.
 * `others` are projects of the same organization that the user can see. They are searched for the files, too.
 */
export type Doctor = {
  ofEvent(here: DoctorProject, event: NormalEvent, receivedMs: number): Promise<EventDiagnosis>
  ofBundle(here: DoctorProject, bundle: Bundle): Promise<BundleDiagnosis>
  /** Diagnoses the uploads of a release and, with `mayReadEvents`, its newest events. Throws STORE_UNAVAILABLE. */
  ofRelease(here: DoctorProject, asked: ReleaseRequest): Promise<ReleaseDiagnosis>
}

/** Makes the doctor. It runs one diagnosis at a time on at most one map thread, because maps for events go first. */
export function createDoctor(deps: DoctorDeps): Doctor {
  const state = { last: Promise.resolve<unknown>(undefined) }
  const inOrder = <T>(run: () => Promise<T>): Promise<T> => {
    const mine = state.last.then(run, run)
    state.last = mine.catch(() => undefined)
    return mine
  }
  return {
    ofEvent: (here, event, receivedMs) => inOrder(() => diagnoseEvent(deps, here, event, receivedMs)),
    ofBundle: (here, bundle) => {
      const untilMs = () => deps.clock.now() + waitMs
      return inOrder(async () =>
        diagnosePack(deps, here, await packOf(deps, here.project.id, bundle), { untilMs: untilMs(), maps: mapsMax }),
      )
    },
    ofRelease: (here, asked) => inOrder(() => diagnoseRelease(deps, here, asked)),
  }
}
