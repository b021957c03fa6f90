import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, it } from 'vitest'
import { count, createPalimpsest, type Logger } from '../packages/palimpsest/src/index.ts'
import { sqlitePlace } from './stores.ts'

const SECRET = 'the secret is 4711'

it('makes spans around appends, contexts and folds, and logs folds, without a word of what was said', async () => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const lines: string[] = []
  const note = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  const logger: Logger = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  }
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: count({ threshold: 6, keepLast: 2 }),
    tracer: provider.getTracer('test'),
    logger,
  })
  const chat = palimpsest.session('chat-1')
  for (let index = 0; index < 8; index++) await chat.append({ role: 'user', content: `${SECRET} ${index}` })
  await palimpsest.settled()
  await chat.context({ model: 'some-model', outputReserve: 100 })
  await expect(chat.context({ budget: 20 })).rejects.toMatchObject({ code: 'context_overflow' })
  await palimpsest.close()
  await place.remove()

  const spans = exporter.getFinishedSpans()
  const named = (name: string) => spans.filter(span => span.name === name)
  expect(named('palimpsest.append')).toHaveLength(8)
  expect(named('palimpsest.append')[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'append',
    'gen_ai.conversation.id': 'chat-1',
    'palimpsest.append.messages': 1,
  })
  const fold = named('palimpsest.fold').find(span => span.attributes['palimpsest.fold.outcome'] === 'applied')
  expect(fold?.attributes).toMatchObject({
    'gen_ai.conversation.id': 'chat-1',
    'palimpsest.fold.reason': 'count',
    'palimpsest.fold.from_seq': 1,
  })
  const [context, failed] = named('palimpsest.context')
  expect(context?.attributes).toMatchObject({ 'gen_ai.request.model': 'some-model' })
  expect(failed?.status.code).toBe(2)
  expect(lines.some(line => line.startsWith('info palimpsest: fold applied'))).toBe(true)
  const all = JSON.stringify([spans.map(({ attributes, events }) => ({ attributes, events })), lines])
  expect(all).not.toContain('4711')
})

it('needs neither: the global tracer of OpenTelemetry fits as it is', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    tracer: trace.getTracer('palimpsest'),
  })
  await palimpsest.session('a').append({ role: 'user', content: 'hi' })
  await palimpsest.close()
  await place.remove()
})
