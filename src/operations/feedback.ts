import type { Actor } from '../auth/auth.ts'
import type { Clock } from '../base/clock.ts'
import type { FeedbackState } from '../domain/feedback-states.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Sets the state of a feedback: new, resolved or spam. */
export async function setFeedbackState(
  { meta, clock }: { meta: MetaWith<'feedback.setFeedbackState'>; clock: Pick<Clock, 'now'> },
  actor: Actor,
  feedbackId: number,
  state: FeedbackState,
): Promise<void> {
  await meta.feedback.setFeedbackState(feedbackId, state, actor.person.id, clock.now())
}

/** Deletes a feedback with its screenshots. Throws BLOBS_UNAVAILABLE before anything is deleted. */
export async function deleteFeedback(
  { meta, blobs }: { meta: MetaWith<'feedback.deleteFeedback'>; blobs: Pick<BlobStore, 'delete' | 'ping'> },
  feedbackId: number,
): Promise<void> {
  await blobs.ping()
  for (const key of await meta.feedback.deleteFeedback(feedbackId)) await blobs.delete(key)
}
