import type { ModelRequest } from '../../packages/palimpsest/src/testing/index.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import { responsesViolations } from '../openai-agents/request-rules.ts'
import { anthropicViolations, openAIViolations } from '../provider-rules.ts'

export interface RequestFindings {
  /** What a provider would refuse. */
  readonly invalid: readonly string[]
  /** Of the longest request, tools included. */
  readonly mostTokens: number
  /** Requests that do not begin with all of the one before, though no fold lies between them. */
  readonly brokenPrefixes: readonly string[]
  /** How many different beginnings there were: one more than folds that were seen. */
  readonly beginnings: number
  /** Requests with a mark for the provider's cache, and the most marks in one. */
  readonly marked: number
  readonly mostMarks: number
}

/** What the requests that a provider saw in one conversation come to. */
export function findInRequests(requests: readonly ModelRequest[]): RequestFindings {
  const conversations = requests.map(conversationOf)
  const broken: string[] = []
  const beginnings = new Set<string>()
  for (const [index, sent] of conversations.entries()) {
    beginnings.add(beginningOf(sent))
    const before = conversations[index - 1]
    if (before === undefined || beginningOf(before) !== beginningOf(sent)) continue
    const lost = before.findIndex((message, place) => message !== sent[place])
    if (lost !== -1) broken.push(`request ${index}, message ${lost}: ${before[lost]} | ${sent[lost]}`)
  }
  const marks = requests.map(({ body }) => JSON.stringify(body).split('"cache_control"').length - 1)
  return {
    invalid: requests.flatMap((request, index) => violations(request).map(found => `${index}: ${found}`)),
    mostTokens: Math.max(...requests.map(tokensOf)),
    brokenPrefixes: broken,
    beginnings: beginnings.size,
    marked: marks.filter(count => count > 0).length,
    mostMarks: Math.max(...marks),
  }
}

function violations({ protocol, body }: ModelRequest): string[] {
  if (protocol === 'messages') {
    const { system, messages } = body
    return anthropicViolations({ ...(system !== undefined && { system }), messages })
  }
  if (protocol === 'responses') return responsesViolations(body)
  return openAIViolations({ messages: body.messages })
}

function tokensOf({ said, tools }: ModelRequest): number {
  const texts = said.map(({ text, toolCalls = [] }) =>
    [text, ...toolCalls.map(({ name, arguments: given }) => `${name} ${given}`)].join(' '),
  )
  return estimateTokens(texts.join('\n')) + said.length * 4 + estimateTokens(JSON.stringify(tools))
}

/** As it goes over the wire, but for the marks, which move, and for what is there for one call only. */
function conversationOf({ body }: ModelRequest): string[] {
  const messages = (body.messages ?? (body['input'] as object[])) as readonly object[]
  const system = JSON.stringify(body['system'] ?? body['instructions'] ?? null)
  return (
    [system, ...messages.map(message => JSON.stringify(message))]
      .map(text => text.replaceAll(/,?"cache_control":\{"type":"ephemeral"\}/g, ''))
      // The Agents SDK itself sends these ids in the run that made the call, and not afterwards.
      .map(text => text.replace(/^\{"id":"fc_\w+","type":"function_call"/, '{"type":"function_call"'))
      .filter(text => !/<(?:recent_changes|recall)\b/.test(text))
  )
}

/** The instructions and the session memory: a fold changes the one, its new epoch may change the other. */
function beginningOf(sent: readonly string[]): string {
  const memory = sent.find((text, index) => index <= 2 && text.includes('session_memory'))
  const system = sent.slice(0, 2).filter(text => text.includes('"role":"system"') || text === sent[0])
  return JSON.stringify([system, memory ?? null])
}
