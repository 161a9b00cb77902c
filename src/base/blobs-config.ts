/** A bucket with the S3 interface and a place in it. */
export type BlobsConfig = {
  bucket: string
  /** Path that each key begins with, without slashes at its ends; '' for the whole bucket. */
  prefix: string
  /** Origin of the server, without a trailing slash. */
  endpoint: string
  region: string
}

/** Keys of a bucket. They are never logged, shown or passed in arguments. */
export type BlobCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

const bucketPattern = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/
/** The characters of keys, so that a prefix needs no encoding. */
const prefixPattern = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}){0,4})?$/
const endpointPattern = /^https?:\/\/[^/?#@\\\s]+\/?$/
const blobParameters = new Set(['endpoint', 'region', 'accessKeyId', 'secretAccessKey', 'sessionToken'])

/** Parses MISHAP_BLOBS; undefined for an invalid text. The keys are undefined if the text does not contain both. */
export function blobsOf(text: string): { place: BlobsConfig; credentials: BlobCredentials | undefined } | undefined {
  const [, bucket = '', path = '', query = ''] = /^s3:\/\/([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text) ?? []
  const prefix = path.replace(/\/$/, '')
  // Keys of AWS contain plus signs, which a query would turn into spaces.
  const values = new Map(new URLSearchParams(query.replaceAll('+', '%2B')))
  const region = values.get('region') || 'us-east-1'
  const endpoint = values.get('endpoint') || `https://s3.${region}.amazonaws.com`
  const isValid =
    bucketPattern.test(bucket) &&
    prefixPattern.test(prefix) &&
    [...values.keys()].every((name) => blobParameters.has(name)) &&
    /^[\w-]{1,64}$/.test(region) &&
    endpointPattern.test(endpoint) &&
    URL.canParse(endpoint)
  const [accessKeyId, secretAccessKey] = [values.get('accessKeyId') ?? '', values.get('secretAccessKey') ?? '']
  if (!isValid || (accessKeyId === '') !== (secretAccessKey === '')) return undefined
  const place = { bucket, prefix, endpoint: new URL(endpoint).origin, region }
  const sessionToken = values.get('sessionToken')
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
  return { place, credentials: accessKeyId === '' ? undefined : credentials }
}

/**
 * Returns the keys of the bucket: from MISHAP_BLOBS, else from the AWS_* variables. Undefined if neither has them. They
 * are not part of Config, because process main passes that in arguments, which other users of the machine can read.
 */
export function blobCredentials(env: Record<string, string | undefined>): BlobCredentials | undefined {
  const own = blobsOf(env['MISHAP_BLOBS'] ?? '')?.credentials
  if (own) return own
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
}
