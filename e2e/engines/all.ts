/**
 * Whether the long tests of external stores run: kills in turn, outages, backups between kinds, moves. They take 15
 * minutes, so they need MISHAP_E2E_ENGINES=all (CONTRIBUTING.md). npm test runs a core on each store.
 */
export const runsAll = process.env.MISHAP_E2E_ENGINES === 'all'
