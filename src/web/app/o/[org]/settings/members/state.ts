import { noState } from '../../../../../client/form.ts'
import type { InviteState } from './actions.ts'

/** The initial state of the page's forms. */
export const startState: InviteState = { ...noState, link: null, mailError: null }
