import type { OpenAPIHono } from '@hono/zod-openapi'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
}

/** One call of the document. */
export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parts: readonly string[]
  readonly queries: readonly string[]
  readonly headers: readonly string[]
  /** The names of a body's fields; `null`: it takes none, as far as the document says. */
  readonly fields: readonly string[] | null
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Every call that the server says it has. */
export async function operationsOf(app: OpenAPIHono): Promise<readonly Operation[]> {
  const document = (await (await app.request('/openapi.json')).json()) as Document
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const named = (place: string) =>
        (described.parameters ?? []).filter(parameter => parameter.in === place).map(({ name }) => name)
      const schema = described.requestBody?.content['application/json']?.schema
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parts: named('path'),
        queries: named('query'),
        headers: named('header'),
        fields: schema ? Object.keys(resolved(schema, document).properties ?? {}) : null,
      }
    }),
  )
}

function resolved(schema: Schema, { components }: Document): Schema {
  if (schema.$ref === undefined) return schema
  const found = components.schemas[schema.$ref.replace('#/components/schemas/', '')]
  if (!found) throw new Error(`${schema.$ref} is not in the document`)
  return found
}
