import { callListener } from './call-listener.ts'
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
    // What it makes of the promise is its own; ours is waited for.
    Promise.resolve(returned).catch(() => {})
  })
  // A tracer that failed before it called has no say in whether it is done.
  return called ?? call()
}

/** What was done is done, whatever a tracer makes of it. */
function quietly(trace: () => unknown): void {
  try {
    trace()
  } catch (error) {
    process.emitWarning(`A tracer threw: ${describeError(error)}`, 'PalimpsestWarning')
  }
}

/** The same, whose own failures are told and change nothing else. */
export function quietLogger(logger: Logger): Logger {
  return {
    debug: (fields, message) => callListener(() => logger.debug(fields, message)),
    info: (fields, message) => callListener(() => logger.info(fields, message)),
    warn: (fields, message) => callListener(() => logger.warn(fields, message)),
    error: (fields, message) => callListener(() => logger.error(fields, message)),
  }
}

/** What pino and its like offer: fields first, then the message. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
