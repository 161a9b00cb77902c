/** The path of a release's page. */
export const releasePath = (organization: string, version: string): string =>
  `/o/${organization}/releases/${encodeURIComponent(version)}`
