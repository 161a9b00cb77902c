import { elementOf, type S3Client } from './client.ts'

type Listed = { key: string; bytes: number; changedMs: number }
type OpenUpload = { key: string; uploadId: string; begunMs: number }

const partsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, text = '']) => text)

/** Returns the key without the prefix of this store. */
const ownKey = ({ config }: S3Client, key: string): string =>
  config.prefix === '' ? key : key.slice(config.prefix.length + 1)

/** Begins of keys as the server knows them. */
const fullPrefix = ({ config }: S3Client, prefix: string): string =>
  config.prefix === '' ? prefix : `${config.prefix}/${prefix}`

/** Lists the objects whose keys begin with `prefix`, 1,000 per request. Throws S3Fault. */
export async function* listObjects(client: S3Client, prefix: string): AsyncGenerator<Listed> {
  for (let token: string | undefined; ; ) {
    const query = { 'list-type': '2', prefix: fullPrefix(client, prefix) }
    const answer = await client.call({
      method: 'GET',
      query: token === undefined ? query : { ...query, 'continuation-token': token },
    })
    if (answer.status !== 200) throw client.faultOf(answer)
    for (const part of partsOf(answer.text, 'Contents'))
      yield {
        key: ownKey(client, elementOf(part, 'Key')),
        bytes: Number(elementOf(part, 'Size')),
        changedMs: Date.parse(elementOf(part, 'LastModified')),
      }
    if (elementOf(answer.text, 'IsTruncated') !== 'true') return
    token = elementOf(answer.text, 'NextContinuationToken')
  }
}

/** Lists the uploads in parts that are not complete. Throws S3Fault. */
export async function listUploads(client: S3Client): Promise<OpenUpload[]> {
  const found: OpenUpload[] = []
  for (let markers: Record<string, string> = {}; ; ) {
    const query = { uploads: '', prefix: fullPrefix(client, ''), ...markers }
    const answer = await client.call({ method: 'GET', query })
    if (answer.status !== 200) throw client.faultOf(answer)
    for (const part of partsOf(answer.text, 'Upload'))
      found.push({
        key: ownKey(client, elementOf(part, 'Key')),
        uploadId: elementOf(part, 'UploadId'),
        begunMs: Date.parse(elementOf(part, 'Initiated')),
      })
    if (elementOf(answer.text, 'IsTruncated') !== 'true') return found
    markers = {
      'key-marker': elementOf(answer.text, 'NextKeyMarker'),
      'upload-id-marker': elementOf(answer.text, 'NextUploadIdMarker'),
    }
  }
}
