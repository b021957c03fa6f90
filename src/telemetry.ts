import { describeError, tellableError } from './errors.ts'
/** The part of OpenTelemetry's `Tracer` that is used, so that nobody needs it installed. */
export interface Tracer {
  startActiveSpan<Result>(
    name: string,
    options: { attributes?: Attributes },
    call: (span: Span) => Result,
  ): Result
}

interface Span {
  setAttributes(attributes: Attributes): unknown
  recordException(exception: Error): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

export type Attributes = Record<string, string | number | boolean | undefined>

/** OpenTelemetry's `SpanStatusCode.ERROR`. */
const ERROR = 2

/**
 * Runs a call inside a span of its own; without a tracer it just runs it. Attributes name sessions, models
 * and numbers, never what was said.
 */
export function traced<Result>(
  tracer: Tracer | null,
  { name, attributes }: { name: string; attributes: Attributes },
  call: () => Promise<Result>,
  describe: (result: Result) => Attributes,
): Promise<Result> {
  if (tracer === null) return call()
  return tracer.startActiveSpan(name, { attributes }, async span => {
    try {
      const result = await call()
      describeQuietly(span, () => describe(result))
      return result
    } catch (error) {
      span.recordException(tellableError(error))
      span.setStatus({ code: ERROR, message: error instanceof Error ? error.name : typeof error })
      throw error
    } finally {
      span.end()
    }
  })
}

/** What was done is done, whatever a tracer makes of it. */
function describeQuietly(span: Span, attributes: () => Attributes): void {
  try {
    span.setAttributes(attributes())
  } catch (error) {
    process.emitWarning(`A tracer threw: ${describeError(error)}`, 'PalimpsestWarning')
  }
}

/** What pino and its like offer: fields first, then the message. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
