import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Route } from './route.ts'
import { routes } from './routes.ts'
import { problem } from './schemas.ts'

type Json = Record<string, unknown>

/** A schema without the parts that OpenAPI keeps once for the whole file. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return made
}

function parametersOf(route: Route): Json[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const shape = schemaOf(route.query, 'input') as { properties?: Record<string, Json>; required?: string[] }
  const inQuery = Object.entries(shape.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name, in: 'query', required: false, ...(description ? { description } : {}), schema, ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
  }))
  return [...inPath, ...inQuery]
}

function operationOf(route: Route): Json {
  const error = { description: 'Error: detail, code and causes; field errors answer {field: [sentence]}.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } } }
  const content = route.produces === undefined || route.produces === 'application/json' ? { 'application/json': { schema: schemaOf(route.response, 'input') } } : { [route.produces]: { schema: { type: 'string' } } }
  const parameters = parametersOf(route)
  return {
    operationId: route.operationId,
    summary: route.summary,
    'x-action': route.action,
    ...(parameters.length ? { parameters } : {}),
    ...(route.body ? { requestBody: { content: { 'application/json': { schema: schemaOf(route.body, 'input') } } } } : {}),
    responses: { [route.status]: route.status === 204 ? { description: 'Done.' } : { description: 'OK', content }, default: error },
    security: [{ token: [] }, { session: [] }],
  }
}

/** The OpenAPI 3.1 description of every route. */
export function openapi(): object {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = `/api/0${route.path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '')}/`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Mishap', version: '0', description: 'REST API of Mishap. Every path answers with and without the slash at its end.', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    components: {
      schemas: { Problem: schemaOf(problem, 'input') },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session: { type: 'apiKey', in: 'cookie', name: 'session' } },
    },
    paths,
  }
}

/** The text of docs/openapi.json. */
export const openapiText = (): string => `${JSON.stringify(openapi(), null, 1)}\n`

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(new URL('../../docs/openapi.json', import.meta.url), openapiText())
