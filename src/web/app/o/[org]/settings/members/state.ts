import { noState } from '../../../../../client/form.ts'
import type { InviteState } from './actions.ts'

/** Where every form of the page begins. */
export const startState: InviteState = { ...noState, link: null, mailError: null }
