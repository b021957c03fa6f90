import { callListener } from './call-listener.ts'
import { describeError, tellableError } from './errors.ts'

/** The used part of OpenTelemetry's `Tracer`, so that it does not have to be installed. */
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
 * Runs a call inside its own span. Without a tracer, it just runs the call. Attributes hold names of sessions
 * and models, and numbers; never what was said.
 */
export function traced<Result>(
  tracer: Tracer | null,
  { name, attributes }: { name: string; attributes: Attributes },
  call: () => Promise<Result>,
  describe: (result: Result) => Attributes,
): Promise<Result> {
  if (tracer === null) return call()
  let called: Promise<Result> | null = null
  const inSpan = async (span: Span): Promise<Result> => {
    try {
      const result = await call()
      quietly(() => span.setAttributes(describe(result)))
      return result
    } catch (error) {
      quietly(() => span.recordException(tellableError(error)))
      const message = error instanceof Error ? error.name : typeof error
      quietly(() => span.setStatus({ code: ERROR, message }))
      throw error
    } finally {
      quietly(() => span.end())
    }
  }
  quietly(() => {
    const returned: unknown = tracer.startActiveSpan(name, { attributes }, span => {
      called = inSpan(span)
      return called
    })
    // The tracer's own promise may fail. Only our call is awaited.
    Promise.resolve(returned).catch(() => {})
  })
  // If the tracer failed before it made the call, the call is made here.
  return called ?? call()
}

/** A failure of the tracer does not change what was done. */
function quietly(trace: () => unknown): void {
  try {
    trace()
  } catch (error) {
    process.emitWarning(`A tracer threw: ${describeError(error)}`, 'PalimpsestWarning')
  }
}

/** The same logger. Its failures become warnings and change nothing else. */
export function quietLogger(logger: Logger): Logger {
  return {
    debug: (fields, message) => callListener(() => logger.debug(fields, message)),
    info: (fields, message) => callListener(() => logger.info(fields, message)),
    warn: (fields, message) => callListener(() => logger.warn(fields, message)),
    error: (fields, message) => callListener(() => logger.error(fields, message)),
  }
}

/** The methods of pino and similar loggers: fields first, then the message. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
