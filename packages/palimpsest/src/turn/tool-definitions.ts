/** The fields of an SDK tool that decide its size. */
interface ToolLike {
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly args?: unknown
}

/** Stands for a schema that cannot be read; it takes about as much as a small one. */
const UNKNOWN_SCHEMA = { type: 'object', properties: { unknown: { type: 'string', description: 'unknown' } } }

/** The tools as the model is told of them, to measure what they take of the window. */
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

/**
 * A schema of the SDK carries its JSON schema. Others follow the Standard JSON Schema. A function returns
 * either kind.
 */
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
