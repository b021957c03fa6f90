import { afterEach, describe, expect, test, vi } from 'vitest'
import type { FoldOutcome } from '../../packages/palimpsest/src/compaction/index.ts'
import type { Layer } from '../../packages/palimpsest/src/config/index.ts'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { type OpenedApp, openApp } from '../../packages/server/src/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'
import { talk } from './client.ts'
import { parsePrometheus, total } from './prometheus-text.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

function newPlace(): StorePlace {
  const place = sqlitePlace()
  cleanUp.push(() => place.remove())
  return place
}

async function open(
  place: StorePlace,
  options: { namespace?: string; environment?: Layer } = {},
): Promise<OpenedApp> {
  const opened = await openApp({ store: await place.open(), version: '1.2.3', ...options })
  cleanUp.push(() => opened.close())
  return opened
}

async function figuresOf({ app }: OpenedApp) {
  const response = await app.request('/metrics')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parsePrometheus(await response.text())
}

function post({ app }: OpenedApp, path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return Promise.resolve(app.request(path, { method: 'POST', headers, body: JSON.stringify(body) }))
}

const SUMMARY = JSON.stringify({
  summary: 'They spoke at length of lemons for Porto, and of nothing else.',
  events: [],
  details: [],
})

const FOLDS = { policy: 'count', threshold: 10, keepLast: 2, model: 'openai-compatible:x' }

const MESSAGES = '/v1/sessions/{id}/messages'

describe('the metrics', () => {
  test('are in the format of Prometheus, the version and the process included', async () => {
    const figures = await figuresOf(await open(newPlace()))
    expect(figures.get('palimpsest_build_info')?.samples).toEqual([
      { name: 'palimpsest_build_info', labels: { version: '1.2.3' }, value: 1 },
    ])
    expect(total(figures, 'process_resident_memory_bytes')).toBeGreaterThan(1e7)
    expect(total(figures, 'process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000)
    expect(total(figures, 'nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0)
    expect(total(figures, 'palimpsest_messages_appended_total', { result: 'new' })).toBe(0)
  })

  test('count requests by route and status, with their time', async () => {
    const opened = await open(newPlace())
    for (let round = 0; round < 3; round += 1)
      await post(opened, `/v1/sessions/s${round}/messages`, talk(1)[0])
    await post(opened, '/v1/sessions/s/messages', { role: 'nobody' })
    await opened.app.request('/v1/sessions/missing')
    const figures = await figuresOf(opened)
    const requests = (labels: Record<string, string>) =>
      total(figures, 'palimpsest_http_requests_total', labels)
    expect(requests({ method: 'POST', route: MESSAGES, status: '201' })).toBe(3)
    expect(requests({ method: 'POST', route: MESSAGES, status: '422' })).toBe(1)
    expect(requests({ method: 'GET', route: '/v1/sessions/{id}', status: '404' })).toBe(1)
    const seconds = { method: 'POST', route: MESSAGES }
    expect(total(figures, 'palimpsest_http_request_duration_seconds_count', seconds)).toBe(4)
    expect(total(figures, 'palimpsest_http_request_duration_seconds_sum', seconds)).toBeGreaterThan(0)
    expect(requests({ route: '/metrics' })).toBe(0)
    expect(total(await figuresOf(opened), 'palimpsest_http_requests_total', { route: '/metrics' })).toBe(1)
  })

  test('count messages that are new, and those that came again', async () => {
    const opened = await open(newPlace())
    const messages = talk(5).map((message, index) => ({ ...message, externalId: `m-${index}` }))
    await post(opened, '/v1/sessions/s/messages', { messages })
    await post(opened, '/v1/sessions/s/messages', { messages: [...messages.slice(0, 3), ...talk(2)] })
    await post(opened, '/v1/sessions/s/messages', { messages: [...talk(2), { role: 'nobody' }] })
    const figures = await figuresOf(opened)
    expect(total(figures, 'palimpsest_messages_appended_total', { result: 'new' })).toBe(7)
    expect(total(figures, 'palimpsest_messages_appended_total', { result: 'duplicate' })).toBe(3)
  })

  test('count folds by outcome, the tokens that they save and what the summariser took', async () => {
    await using model = await startModelServer({ reply: SUMMARY })
    const opened = await open(newPlace(), { environment: { ...FOLDS, modelBaseUrl: model.url } })
    const fold = async (expected: 'applied' | 'failed'): Promise<FoldOutcome> => {
      await post(opened, '/v1/sessions/s/messages', { messages: talk(12, 30) })
      await vi.waitFor(async () =>
        expect(total(await figuresOf(opened), 'palimpsest_folds_total', { outcome: expected })).toBe(1),
      )
      const session = await (await opened.app.request('/v1/sessions/s')).json()
      return (session as { lastOutcome: FoldOutcome }).lastOutcome
    }
    const applied = await fold('applied')
    model.setReply({ status: 401, body: 'canary-4711: no such key' })
    const failed = await fold('failed')

    const text = await (await opened.app.request('/metrics')).text()
    expect(text).not.toContain('canary')
    const figures = parsePrometheus(text)
    const folds = (labels: Record<string, string>) => total(figures, 'palimpsest_folds_total', labels)
    expect(folds({ outcome: 'applied', type: 'lite', reason: 'count' })).toBe(1)
    expect(folds({ outcome: 'failed', type: 'lite', reason: 'unauthorized' })).toBe(1)
    expect(total(figures, 'palimpsest_fold_duration_seconds_count')).toBe(2)
    const { tokensBefore, tokensAfter } = applied
    expect(total(figures, 'palimpsest_fold_tokens_before_total')).toBe(tokensBefore)
    expect(total(figures, 'palimpsest_fold_tokens_after_total')).toBe(tokensAfter)
    expect(total(figures, 'palimpsest_tokens_saved_total')).toBe(tokensBefore - tokensAfter)
    const used = (name: 'calls' | 'inputTokens' | 'outputTokens') =>
      (applied.usage?.[name] ?? 0) + (failed.usage?.[name] ?? 0)
    expect(used('inputTokens')).toBeGreaterThan(0)
    expect(total(figures, 'palimpsest_summarizer_calls_total', { purpose: 'fold' })).toBe(used('calls'))
    const tokens = (kind: string) =>
      total(figures, 'palimpsest_summarizer_tokens_total', { purpose: 'fold', kind })
    expect(tokens('input')).toBe(used('inputTokens'))
    expect(tokens('output')).toBe(used('outputTokens'))
  })

  test('count what was done without the model, to spend no more, by settings that change while it runs', async () => {
    await using model = await startModelServer({ reply: SUMMARY })
    const opened = await open(newPlace(), { environment: { ...FOLDS, modelBaseUrl: model.url } })
    const change = async (settings: Layer) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(settings)
      const response = await opened.app.request('/v1/settings', { method: 'PUT', headers, body })
      expect(response.status).toBe(200)
    }
    const fold = async (session: string) => {
      await post(opened, `/v1/sessions/${session}/messages`, { messages: talk(8, 30) })
      const response = await post(opened, `/v1/sessions/${session}/compact`, { force: true })
      return (await response.json()) as FoldOutcome
    }
    await change({ summaryCallsPerHour: 1 })
    expect(await fold('a')).not.toHaveProperty('spendGuard')
    expect(await fold('b')).toMatchObject({
      ...{ outcome: 'applied', spendGuard: { scope: 'namespace', unit: 'calls', used: 1, limit: 1 } },
      warnings: [expect.stringMatching(/^spend_guard: 1 of 1 calls an hour .* before \d{4}-/)],
    })
    const figures = await figuresOf(opened)
    const labels = { purpose: 'fold', scope: 'namespace', unit: 'calls' }
    expect(total(figures, 'palimpsest_spend_guard_total', labels)).toBe(1)
    expect(total(figures, 'palimpsest_folds_total', { outcome: 'applied', reason: 'force' })).toBe(2)
    const listed = (await (await opened.app.request('/v1/sessions/b/folds')).json()) as {
      folds: readonly { readonly spendGuard: unknown }[]
    }
    expect(listed.folds[0]!.spendGuard).toMatchObject({ unit: 'calls', limit: 1 })
    await change({ summaryCallsPerHour: null, sessionSummaryTokensPerHour: 1_000_000 })
    expect(await fold('b')).not.toHaveProperty('spendGuard')
    expect(model.requests.length).toBe(2)
  })

  test('count folds that somebody asked for', async () => {
    const opened = await open(newPlace(), { environment: { policy: 'count', keepLast: 2 } })
    await post(opened, '/v1/sessions/s/messages', { messages: talk(12, 30) })
    await post(opened, '/v1/sessions/s/compact', { force: true })
    const figures = await figuresOf(opened)
    expect(total(figures, 'palimpsest_folds_total', { outcome: 'applied', reason: 'force' })).toBe(1)
    expect(total(figures, 'palimpsest_tokens_saved_total')).toBeGreaterThan(0)
  })

  test('call a reason that is none of ours by one word', async () => {
    const { metrics } = await (await open(newPlace())).tenant('default')
    const outcome: FoldOutcome = {
      outcome: 'failed',
      type: 'of my own',
      reason: '',
      fromSeq: 1,
      toSeq: 2,
      segmentId: null,
      tokensBefore: 1,
      tokensAfter: 0,
      durationMs: 1,
      usage: null,
      warnings: [],
    }
    for (let round = 0; round < 50; round += 1)
      metrics.folded({ ...outcome, reason: `canary ${round} said "no"` })
    const { text } = await metrics.report({ listeners: 0, version: '1.2.3' })
    expect(text).not.toContain('canary')
    expect(parsePrometheus(text).get('palimpsest_folds_total')?.samples).toEqual([
      {
        name: 'palimpsest_folds_total',
        labels: { outcome: 'failed', type: 'other', reason: 'other' },
        value: 50,
      },
    ])
  })

  test('count what is learned about people', async () => {
    const opened = await open(newPlace(), { environment: { extract: 'turn' } })
    const turn = [
      { role: 'user', text: 'My birthday is on the 12th of May and I live in Porto.' },
      { role: 'assistant', text: 'I will remember that.' },
    ]
    await post(opened, '/v1/sessions/s/messages', { messages: turn, kind: 'private', user: 'user-7' })
    await vi.waitFor(async () => {
      const figures = await figuresOf(opened)
      expect(total(figures, 'palimpsest_extractions_total', { layer: 'user' })).toBe(1)
    })
  })

  test('have as many labels however many sessions and odd paths there are', async () => {
    const opened = await open(newPlace())
    const count = async () =>
      [...(await figuresOf(opened)).values()].reduce((sum, { samples }) => sum + samples.length, 0)
    const visit = async (name: string) => {
      const id = encodeURIComponent(name)
      await post(opened, `/v1/sessions/${id}/messages`, talk(1)[0])
      await post(opened, `/v1/sessions/${id}/messages`, { role: name })
      await post(opened, `/v1/sessions/${id}/compact`, {})
      await opened.app.request(`/v1/sessions/${id}`)
      await opened.app.request(`/${id}/nowhere`)
      await opened.app.request(`/v1/memory/${id}/${id}`)
      await opened.app.request(`/v1/sessions/${id}`, { method: 'PUT' })
      await opened.app.request(`/v1/events?after=${id}`)
    }
    await figuresOf(opened)
    await visit('first')
    const before = await count()
    for (let round = 0; round < 20; round += 1) await visit(`odd "${round}"\n\\ 😀`)
    expect(await count()).toBe(before)
    const text = await (await opened.app.request('/metrics')).text()
    expect(text).not.toContain('odd')
  })

  test('of one namespace say nothing of another', async () => {
    const place = newPlace()
    const opened = await open(place, { namespace: 'mine' })
    const { metrics } = await opened.tenant('theirs')
    metrics.appended({ added: 5, duplicates: 5 })
    metrics.begin({ method: 'get', path: '/v1/theirs' })(200)
    await post(opened, '/v1/sessions/s/messages', talk(1)[0])
    const mine = await figuresOf(opened)
    expect(total(mine, 'palimpsest_messages_appended_total')).toBe(1)
    expect(total(mine, 'palimpsest_http_requests_total', { route: '/v1/theirs' })).toBe(0)
    const theirs = parsePrometheus((await metrics.report({ listeners: 0, version: '1.2.3' })).text)
    expect(total(theirs, 'palimpsest_messages_appended_total')).toBe(10)
    expect(total(theirs, 'palimpsest_http_requests_total', { route: MESSAGES })).toBe(0)
  })
})
