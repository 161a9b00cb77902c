/** What a team says of a piece of feedback. */
export const feedbackStates = ['new', 'resolved', 'spam'] as const
export type FeedbackState = (typeof feedbackStates)[number]
