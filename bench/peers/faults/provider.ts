import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ModelReply, type ModelRequest, startModelServer } from 'palimpsest/testing'
import type { Contestant } from './contestant.ts'
import { embed } from './embed.ts'
import { answered, marksIn, marksSaid } from './marks.ts'
import { brokenPair } from './tool-pairs.ts'

export const CHAT_MODEL = 'gpt-chat'
export const SUMMARY_MODEL = 'gpt-summary'

/** How the summariser answers. */
export type SummaryMode = 'works' | 'http-500' | 'empty' | 'refusal' | 'cut-off'

export const REFUSAL = "I'm sorry, but I can't help with summarizing this conversation."

/**
 * The provider of all contestants: a real socket on 127.0.0.1 that speaks OpenAI's chat completions, Responses,
 * compaction and embeddings. It refuses a request whose calls and results are no pairs, as OpenAI does.
 */
export interface Provider extends AsyncDisposable {
  /** For chat completions and Responses. */
  readonly url: string
  /** For embeddings and the compaction of Responses. */
  readonly sideUrl: string
  /** Bodies of the requests for an answer, as JSON, oldest first. */
  readonly turns: readonly string[]
  /** How often a summary was asked for. */
  readonly summaries: number
  /** What was wrong with requests for an answer. */
  readonly refused: readonly string[]
  mode: SummaryMode
  summaryDelayMs: number
  /** Right before a summary is answered. */
  onSummary: () => void
}

export async function startProvider({ summaryOf, summarises }: Contestant): Promise<Provider> {
  const turns: string[] = []
  const refused: string[] = []
  let summaries = 0

  const summarise = async (text: string): Promise<ModelReply> => {
    summaries += 1
    provider.onSummary()
    if (provider.summaryDelayMs > 0)
      await new Promise(resolve => setTimeout(resolve, provider.summaryDelayMs))
    const marks = summarises === 'all' ? marksIn(text) : marksSaid(text)
    const good = summaryOf(marks)
    switch (provider.mode) {
      case 'works':
        return { text: good }
      case 'http-500':
        return { error: { kind: 'internal' } }
      case 'empty':
        return { text: '' }
      case 'refusal':
        return { text: REFUSAL }
      case 'cut-off':
        return { text: cutInTheMiddle(good, marks), finishReason: 'length' }
    }
  }

  const model = await startModelServer({
    reply: request => {
      if (request.body.model === SUMMARY_MODEL) return summarise(textOf(request))
      const problem = brokenPair(request.body)
      turns.push(JSON.stringify(request.body))
      if (problem !== null) {
        refused.push(problem)
        return { error: { kind: 'invalid', message: problem } }
      }
      return answer(request)
    },
  })

  const side = createServer(async (incoming, outgoing) => {
    const body = await jsonOf(incoming)
    const [status, content] = incoming.url?.endsWith('/embeddings')
      ? [200, embeddings(body)]
      : await compacted(body, summarise)
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
  })
  await new Promise<void>(resolve => side.listen(0, '127.0.0.1', resolve))

  const provider: Provider = {
    url: model.url,
    sideUrl: `http://127.0.0.1:${(side.address() as AddressInfo).port}/v1`,
    turns,
    refused,
    get summaries() {
      return summaries
    },
    mode: 'works',
    summaryDelayMs: 0,
    onSummary: () => {},
    async [Symbol.asyncDispose]() {
      await model.close()
      side.closeAllConnections()
      await new Promise(resolve => side.close(resolve))
    },
  }
  return provider
}

/** Right after half of the marks. */
function cutInTheMiddle(summary: string, marks: readonly string[]): string {
  const last = marks[Math.ceil(marks.length / 2) - 1]
  return last === undefined
    ? summary.slice(0, summary.length / 2)
    : summary.slice(0, summary.indexOf(last) + last.length)
}

/** Where somebody says `look up`, it calls the tool twice at once. */
function answer({ said, body }: ModelRequest): ModelReply {
  const asked = said.findLast(({ role }) => role === 'user')?.text ?? ''
  if (said.at(-1)?.role === 'tool' || !asked.includes('look up')) return { text: answered(asked) }
  const number = /\bK(\d{3})\b/.exec(asked)?.[1]
  const calls = ['first', 'second'].map(place => ({
    id: `call_${number}_${place}`,
    name: 'look_up',
    arguments: { place },
  }))
  return body['tools'] ? { toolCalls: calls } : { text: answered(asked) }
}

function textOf({ said }: ModelRequest): string {
  return said.map(({ text }) => text).join('\n')
}

interface SideBody {
  readonly input?: unknown
  readonly model?: string
}

async function jsonOf(incoming: IncomingMessage): Promise<SideBody> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || '{}')
}

function embeddings({ input, model }: SideBody): object {
  const texts = (Array.isArray(input) ? input : [input]).map(String)
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: embed(text) }))
  return { object: 'list', model, data, usage: { prompt_tokens: 1, total_tokens: 1 } }
}

/** `responses.compact`: what was said becomes one opaque item, as OpenAI's is; here it can be read. */
async function compacted(
  { input }: SideBody,
  summarise: (text: string) => Promise<ModelReply>,
): Promise<[number, object]> {
  const { text, error } = await summarise(JSON.stringify(input))
  if (error) return [500, { error: { message: 'The server had an error.', type: 'server_error' } }]
  const output = text === '' ? [] : [{ id: 'cmp_1', type: 'compaction', encrypted_content: text }]
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return [200, { id: 'resp_c', object: 'response.compaction', created_at: 1, output, usage }]
}
