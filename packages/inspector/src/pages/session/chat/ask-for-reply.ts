import { ApiError } from '../../../api/api-error.ts'
import { send } from '../../../api/call.ts'
import { blocksOf } from '../../../api/events.ts'

/**
 * Stores the question. Then yields the reply as far as it has come, again and again, until it is complete.
 */
export async function* askForReply(
  sessionId: string,
  question: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const response = await send('POST', '/v1/chat/completions', {
    headers: { 'x-palimpsest-session': encodeURIComponent(sessionId), 'x-palimpsest-history': 'new' },
    body: { model: 'palimpsest', stream: true, messages: [{ role: 'user', content: question }] },
    signal,
  })
  let reply = ''
  for await (const block of blocksOf(response)) {
    const data = /^data: (.*)$/m.exec(block)?.[1]
    if (data === undefined || data === '[DONE]') continue
    const { choices, error } = JSON.parse(data)
    if (error) throw new ApiError(response.status, error.code ?? error.type, error.message)
    reply += choices?.[0]?.delta?.content ?? ''
    yield reply
  }
}
