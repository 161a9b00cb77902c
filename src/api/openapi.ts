import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { restProblem } from '../contract/errors.ts'
import type { Route } from './route.ts'
import { routes } from './routes.ts'

type Json = Record<string, unknown>

/** Named schemas, each once per file. */
type Shapes = Record<string, unknown>

/** Returns a schema that references its named parts in `shapes`. */
function schemaOf(schema: z.ZodType, shapes: Shapes): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).replaceAll(
    '"#/$defs/',
    '"#/components/schemas/',
  )
  const {
    $schema: _dialect,
    $defs,
    id,
    ...generated
  } = JSON.parse(text) as Json & { $defs?: Record<string, Json>; id?: string }
  for (const [name, { id: _id, ...shape }] of Object.entries($defs ?? {})) shapes[name] = shape
  if (id === undefined) return generated
  shapes[id] = generated
  return { $ref: `#/components/schemas/${id}` }
}

function parametersOf(route: Route, shapes: Shapes): Json[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const shape = schemaOf(route.query, shapes) as { properties?: Record<string, Json>; required?: string[] }
  const inQuery = Object.entries(shape.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description ? { description } : {}),
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
  }))
  return [...inPath, ...inQuery]
}

/** Headers of paged answers. */
const pageHeaders: Json = {
  Link: { description: 'Both directions; results="false" ends a walk.', schema: { type: 'string' } },
  'X-Walk': {
    description: 'docs/rest.md describes how to follow the links.',
    schema: { type: 'string', enum: ['stable', 'may-skip', 'may-repeat'] },
  },
}

function operationOf(route: Route, shapes: Shapes): Json {
  const error = {
    description: 'Error: detail, code and causes; field errors answer {field: [sentence]}.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
  const content =
    route.produces === undefined || route.produces === 'application/json'
      ? { 'application/json': { schema: schemaOf(route.response, shapes) } }
      : { [route.produces]: { schema: { type: 'string' } } }
  const parameters = parametersOf(route, shapes)
  return {
    operationId: route.operationId,
    summary: route.summary,
    'x-action': route.action,
    ...(parameters.length ? { parameters } : {}),
    ...(route.body
      ? { requestBody: { content: { 'application/json': { schema: schemaOf(route.body, shapes) } } } }
      : {}),
    responses: {
      [route.status]:
        route.status === 204
          ? { description: 'Done.' }
          : { description: 'OK', ...('cursor' in route.query.shape ? { headers: pageHeaders } : {}), content },
      default: error,
    },
    security: [{ token: [] }, { session: [] }],
  }
}

/** Returns the OpenAPI 3.1 description of all routes. */
function openapi(): object {
  const paths: Record<string, Json> = {}
  const shapes: Shapes = {}
  shapes.Problem = schemaOf(restProblem, shapes)
  for (const route of routes) {
    const path = `/api/0${route.path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '')}/`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, shapes) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mishap',
      version: '0',
      description: 'REST API of Mishap. Every path works with and without a trailing slash.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    components: {
      schemas: Object.fromEntries(Object.entries(shapes).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
      },
    },
    paths,
  }
}

/** Returns the text of docs/openapi.json. */
export const openapiText = (): string => `${JSON.stringify(openapi(), null, 1)}\n`

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('../../docs/openapi.json', import.meta.url), openapiText())
