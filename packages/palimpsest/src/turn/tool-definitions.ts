/** A tool as the SDK takes it, as far as its size goes. */
interface ToolLike {
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly args?: unknown
}

/** Where a schema cannot be read: about what a small one takes. */
const UNKNOWN_SCHEMA = { type: 'object', properties: { unknown: { type: 'string', description: 'unknown' } } }

/** The tools as the model is told of them: what they take of the window. */
export function toolDefinitions(tools: Readonly<Record<string, unknown>>): readonly object[] {
  return Object.entries(tools).map(([name, tool]) => {
    const { description, inputSchema, args } = (tool ?? {}) as ToolLike
    return {
      name,
      ...(typeof description === 'string' && { description }),
      ...(inputSchema !== undefined && { parameters: jsonSchemaOf(inputSchema) }),
      ...(args !== undefined && { args }),
    }
  })
}

/** The SDK's own schemas carry theirs; others say it by the Standard JSON Schema; some are functions of either. */
function jsonSchemaOf(schema: unknown): unknown {
  try {
    const given = typeof schema === 'function' ? (schema as () => unknown)() : schema
    const { jsonSchema, '~standard': standard } = given as {
      jsonSchema?: unknown
      '~standard'?: { jsonSchema?: { input?: (options: object) => unknown } }
    }
    if (isPlain(jsonSchema)) return jsonSchema
    const converted = standard?.jsonSchema?.input?.({ target: 'draft-07' })
    return isPlain(converted) ? converted : UNKNOWN_SCHEMA
  } catch {
    return UNKNOWN_SCHEMA
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('then' in value)
}
