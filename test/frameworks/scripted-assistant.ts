import type { ModelReply, ModelRequest } from '../../packages/palimpsest/src/testing/index.ts'

/**
 * A model that knows only what it is sent: it looks up orders with the tool, and answers the question about the
 * first turn from its context, or else by searching the history.
 */
export function scriptedAssistant(request: ModelRequest): ModelReply {
  const { said, tools } = request
  const offered = (name: string) => tools.some(tool => tool.name === name)
  const last = said.at(-1)!
  const usage = { input: countedTokens(request), output: 20 }
  if (last.role === 'tool') {
    const found = CODE_WORD.exec(last.text)
    if (found) return { text: `Your code word is ${found[1]}.`, usage }
    return { text: last.text.includes('shipped') ? 'It was shipped with PostNL.' : 'I found nothing.', usage }
  }
  const asked = said.findLast(({ role }) => role === 'user')?.text ?? ''
  const order = /order ([A-Z]-\d+)/.exec(asked)
  if (order && offered('look_up_order'))
    return { text: 'One moment.', toolCalls: [{ name: 'look_up_order', arguments: { id: order[1] } }], usage }
  if (!asked.includes('What was my code word')) return { text: `Noted, ${asked.slice(0, 20)}.`, usage }
  const known = said.map(({ text }) => CODE_WORD.exec(text)?.[1]).find(Boolean)
  if (known) return { text: `Your code word is ${known}.`, usage }
  if (!offered('query_history')) return { text: 'I do not know.', usage }
  return { toolCalls: [{ name: 'query_history', arguments: { query: 'code word' } }], usage }
}

const CODE_WORD = /[Cc]ode word is ([a-z]+-\d+)/

/**
 * A request in the tokens of this model, as it reports them. All of it counts, as with a provider: of a count without
 * tools a ratio would be learned that lets a context grow by a third.
 */
export function countedTokens({ said, tools }: Pick<ModelRequest, 'said' | 'tools'>): number {
  const texts = said.flatMap(({ text, toolCalls = [] }) => [
    text,
    ...toolCalls.map(({ name, arguments: given }) => `${name} ${given}`),
  ])
  const characters = [...texts, JSON.stringify(tools)].join(' ').length
  return Math.ceil(characters / 4.2) + said.length * 4
}

export const QUESTION = 'What was my code word at the very beginning?'
export const ANSWER = 'Your code word is lemon-4711.'

/** So many messages of a person, the first with something to remember, every third about an order. */
export function conversation(turns: number): string[] {
  return Array.from({ length: turns }, (_, index) => {
    const turn = index + 1
    if (turn === 1) return 'Hello! My code word is lemon-4711. Please keep it for me.'
    if (turn === turns) return QUESTION
    if (turn % 3 === 0) return `Turn ${turn}: where is order B-${100 + turn}? ${remark(turn)}`
    return `Turn ${turn}: ${remark(turn)}`
  })
}

const SUBJECTS = ['the harbour', 'our garden', 'the bicycle', 'my sister', 'the new roof', 'the choir']
const EVENTS = ['looked splendid', 'was late again', 'cost more than we thought', 'needs some paint']

function remark(turn: number): string {
  return Array.from({ length: 10 }, (_, place) => {
    const subject = SUBJECTS[(turn + place) % SUBJECTS.length]
    return `On day ${turn * 10 + place} ${subject} ${EVENTS[(turn * 3 + place) % EVENTS.length]}, and we talked about it over tea.`
  }).join(' ')
}
