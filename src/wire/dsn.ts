/** Returns a key's DSN: `http://KEY@host:port/PROJECT`. A path of the instance's address precedes the project. */
export function dsnOf(url: string, { publicKey, projectId }: { publicKey: string; projectId: number }): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${publicKey}@${host}${pathname.replace(/\/$/, '')}/${projectId}`
}
