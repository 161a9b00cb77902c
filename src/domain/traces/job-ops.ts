/**
 * Segments that are no jobs, by the first part of their op (`http` of `http.server`): page loads and navigations,
 * requests, screens of apps, and lone spans without a request around them. Everything else is a job: queues, scheduled
 * tasks, functions, and segments without an op.
 */
export const noJobOps = [
  'pageload',
  'navigation',
  'http',
  'rpc',
  'grpc',
  'graphql',
  'websocket',
  'middleware',
  'ui',
  'app',
  'db',
  'cache',
  'browser',
  'resource',
  'mark',
  'measure',
] as const

/** Whether a segment is a run of a job. */
export const isJobOp = (op: string): boolean => !noJobOps.some((family) => family === op.split('.')[0])
