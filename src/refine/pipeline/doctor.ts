import type { BundleDiagnosis, EventDiagnosis, ReleaseDiagnosis } from '../../domain/doctor.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { Bundle } from '../../store/meta/artifacts/artifacts.ts'
import { diagnosePack, mapsMax, packOf } from '../doctor/bundle.ts'
import { diagnoseEvent } from '../doctor/event.ts'
import { type DoctorDeps, type DoctorProject, waitMs } from '../doctor/gather.ts'
import { diagnoseRelease, type ReleaseAsked } from '../doctor/release.ts'

/**
 * Says why frames are not mapped: what was looked at, the first thing that is wrong, and what mends it. Changes nothing.
 * `others` are projects of the same organization that whoever asks may see: files are looked for there, too.
 */
export type Doctor = {
  ofEvent(here: DoctorProject, event: NormalEvent, receivedMs: number): Promise<EventDiagnosis>
  ofBundle(here: DoctorProject, bundle: Bundle): Promise<BundleDiagnosis>
  /** Of what was uploaded for a release, and where `mayReadEvents` of its newest events. Throws STORE_UNAVAILABLE. */
  ofRelease(here: DoctorProject, asked: ReleaseAsked): Promise<ReleaseDiagnosis>
}

/** Makes the doctor. It answers one question at a time: maps of events go first, and it takes one thread of them at most. */
export function createDoctor(deps: DoctorDeps): Doctor {
  const state = { last: Promise.resolve<unknown>(undefined) }
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const mine = state.last.then(ask, ask)
    state.last = mine.catch(() => undefined)
    return mine
  }
  return {
    ofEvent: (here, event, receivedMs) => inTurn(() => diagnoseEvent(deps, here, event, receivedMs)),
    ofBundle: (here, bundle) => {
      const untilMs = () => deps.clock.now() + waitMs
      return inTurn(() =>
        diagnosePack(deps, here, packOf(deps, here.project.id, bundle), { untilMs: untilMs(), maps: mapsMax }),
      )
    },
    ofRelease: (here, asked) => inTurn(() => diagnoseRelease(deps, here, asked)),
  }
}
