/** Triage states of feedback. */
export const feedbackStates = ['new', 'resolved', 'spam'] as const
export type FeedbackState = (typeof feedbackStates)[number]
