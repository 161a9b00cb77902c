/** The DSN of a key under the instance's address: `http://KEY@host:port/PROJECT`; a path of the address stands before the project. */
export function dsnOf(url: string, { publicKey, projectId }: { publicKey: string; projectId: number }): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${publicKey}@${host}${pathname.replace(/\/$/, '')}/${projectId}`
}
