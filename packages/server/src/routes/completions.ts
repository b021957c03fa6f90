import { answerRequest } from '../completions/answer-request.ts'
import { chunkStream } from '../completions/chunk-stream.ts'
import { completionOf, newFrame } from '../completions/completion.ts'
import { completionError } from '../completions/completion-error.ts'
import { modelJson } from '../completions/models.ts'
import { headerText, SESSION_HEADERS } from '../completions/named-session.ts'
import { CHAT_REQUEST, type ChatRequest } from '../completions/request.ts'
import { type Answer, type Call, endpoint } from '../endpoint.ts'

const complete = endpoint({
  method: 'post',
  path: '/v1/chat/completions',
  summary:
    "Answer as OpenAI's chat completions do, with the session's memory; stores what is new and the reply",
  scopes: ['read', 'write'],
  headers: SESSION_HEADERS,
  body: CHAT_REQUEST,
  answers: { 200: "OpenAI's chat.completion; with stream: true its chunks as server-sent events" },
  handle: call =>
    answered(call).catch(error => {
      throw completionError(error)
    }),
})

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // A proxy that buffers its answers would hold the words back.
  'x-accel-buffering': 'no',
}

async function answered(call: Call<unknown, ChatRequest>): Promise<Answer> {
  const answering = await answerRequest(call)
  const frame = newFrame(answering)
  const headers = {
    'x-palimpsest-session': headerText(answering.sessionId),
    'x-palimpsest-seq': String(answering.seq),
  }
  const { body, signal, onError } = call
  if (!body.stream) return { headers, json: await completionOf(frame, answering.pieces) }
  const isUsageWanted = body.stream_options?.include_usage === true
  const stream = await chunkStream(frame, answering, { isUsageWanted, signal, onError })
  return { headers: { ...headers, ...STREAM_HEADERS }, body: stream }
}

const listModels = endpoint({
  method: 'get',
  path: '/v1/models',
  summary: 'The model that answers, as OpenAI lists models',
  answers: { 200: '{ object: "list", data: [{ id, object: "model", created, owned_by }] }' },
  handle: async ({ settings }) => ({
    json: { object: 'list', data: [modelJson(settings.current.values)] },
  }),
})

const readModel = endpoint({
  method: 'get',
  path: '/v1/models/{model}',
  summary: 'The model that answers, under any name',
  answers: { 200: '{ id, object: "model", created, owned_by }' },
  handle: async ({ settings, part }) => ({ json: modelJson(settings.current.values, part('model')) }),
})

export const completionRoutes = [complete, listModels, readModel]
