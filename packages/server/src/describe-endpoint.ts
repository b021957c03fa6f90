import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { type Endpoint, JSON_TYPE, NO_FIELDS } from './endpoint.ts'

/** The one answer that has no body. */
const NOT_MODIFIED = '304'

const ERROR = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
  })
  .openapi('Error')

/** Adds a call to the app's OpenAPI document. */
export function describeEndpoint(app: OpenAPIHono, endpoint: Endpoint): void {
  const { method, path, summary, query, body, headers, answers, answerType } = endpoint
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, z.string()])
  const headerFields = Object.entries(headers).map(([name, description]) => [
    name,
    z.string().optional().openapi({ description }),
  ])
  app.openAPIRegistry.registerPath({
    method,
    path,
    summary,
    request: {
      ...(parts.length > 0 && { params: z.object(Object.fromEntries(parts)) }),
      query,
      ...(headerFields.length > 0 && { headers: z.object(Object.fromEntries(headerFields)) }),
      ...(body && body !== NO_FIELDS && { body: { content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, description]) => [
          status,
          status === NOT_MODIFIED
            ? { description }
            : { description, content: { [answerType]: { schema: answerSchema(answerType) } } },
        ]),
      ),
      default: { description: 'What is wrong', content: { 'application/json': { schema: ERROR } } },
    },
  })
}

function answerSchema(type: string) {
  return type === JSON_TYPE ? z.looseObject({}) : z.string()
}
