import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { ModelReply, ModelRequest } from '../../packages/palimpsest/src/testing/index.ts'
import { assistant, forksOf, type Kit, type Param, saidIn, start, user } from './kit.ts'

const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
]

/** Calls a tool for each question, and answers its result; what is recalled or reminded of stands after both. */
function looking({ said }: ModelRequest): ModelReply {
  const last = said.findLast(({ text, role }) => role !== 'user' || !/^(<recall>|\[system\])/.test(text))!
  if (last.role === 'tool') return { text: `Found: ${last.text}.`, reasoning: `It says ${last.text}.` }
  const args = JSON.stringify({ about: last.text })
  return { text: '', reasoning: `About ${last.text}?`, toolCalls: [{ name: 'look', arguments: args }] }
}

interface Habits {
  /** What is sent again of a turn that is over. */
  readonly keep?: (turn: readonly Param[]) => readonly Param[]
  readonly idOf?: (id: string) => string
  readonly note?: Param
  /** Waited for before each question. */
  readonly before?: () => Promise<unknown>
}

/** Turns of a client, each with a call and its result; gives the sessions that they went to. */
async function talk(
  kit: Kit,
  questions: readonly string[],
  habits: Habits = {},
): Promise<Set<string | null>> {
  const { keep = turn => turn, idOf = id => id, note, before } = habits
  const history: Param[] = []
  const sessions = new Set<string | null>()
  for (const question of questions) {
    await before?.()
    const turn: Param[] = [user(question)]
    for (let isOver = false; !isOver; ) {
      const messages = [...history, ...turn, ...(note ? [note] : [])]
      const { data, response } = await kit
        .client('s')
        .chat.completions.create({ model: 'any', messages, tools })
        .withResponse()
      sessions.add(response.headers.get('x-palimpsest-session'))
      const message = structuredClone(data.choices[0]!.message)
      const calls = message.tool_calls ?? []
      for (const call of calls) call.id = idOf(call.id)
      turn.push(message as Param)
      turn.push(
        ...calls.map(({ id }): Param => ({ role: 'tool', tool_call_id: id, content: `about ${question}` })),
      )
      isOver = calls.length === 0
    }
    history.push(...keep(turn))
  }
  return sessions
}

/** Until no fold of the session is due. */
async function folded(kit: Kit): Promise<void> {
  for (;;) {
    const { json, status } = await kit.get('/v1/sessions/s')
    const { folding, pending } = json as Record<string, unknown>
    if (status === 404 || (!folding && !pending)) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const QUESTIONS = ['lemons', 'limes', 'lemons', 'pears']

describe('a loop of calls', () => {
  test.each<[string, Habits]>([
    ['keeps all of it', {}],
    ['keeps questions and answers only', { keep: turn => [turn[0]!, turn.at(-1)!] }],
    ['gives calls ids of its own', { idOf: id => `mine_${id}` }],
    ['has a note that moves', { note: { role: 'system', content: 'Answer in verse.' } }],
    ['keeps other words of its questions', { keep: ([_, ...turn]) => [user('Something.'), ...turn] }],
  ])('of a client that %s goes on in one session, and every result finds its call', async (_, habits) => {
    const kit = await start(looking)
    expect(await talk(kit, QUESTIONS, habits)).toEqual(new Set(['s']))
    const log = await kit.log('s')
    expect(log.map(({ role }) => role)).toEqual(
      QUESTIONS.flatMap(() => ['user', 'assistant', 'tool', 'assistant']),
    )
    const idIn = (place: number) =>
      log[place]!.content.find((part: object) => 'toolCallId' in part).toolCallId
    for (const turn of QUESTIONS.keys()) expect(idIn(turn * 4 + 2)).toBe(idIn(turn * 4 + 1))
    if (habits.note)
      for (const { said } of kit.asked()) expect(said.at(-1)!.text).toBe('[system]: Answer in verse.')
  })

  test('of a model that thinks: what it is sent only grows', async () => {
    const kit = await start(looking)
    await talk(kit, ['lemons', 'limes', 'pears', 'plums'])
    const requests = kit.asked().map(({ body }) => body.messages!.map(message => JSON.stringify(message)))
    expect(requests).toHaveLength(8)
    for (const [place, messages] of requests.slice(1).entries())
      expect(messages.slice(0, requests[place]!.length)).toEqual(requests[place])
    expect(requests.at(-1)!.join()).toContain('About lemons?')
  })

  test.each(['whole', 'new'])(
    'recalls what was asked for at its end too: history %s',
    async history => {
      const kit = await start(looking, { policy: 'rounds', fullContextTurns: 2, cachedContextTurns: 1 })
      // Too much for a segment to tell it word for word: then it would not be recalled.
      const aside = 'The harbour is old, and ships are slow. '.repeat(40).trim()
      const code = `The code of the vault in Porto is 4711. ${aside}`
      const filler = Array.from({ length: 8 }, (_, place) => `Tell me of harbour number ${place}.`)
      const question = 'What was the code of the vault in Porto?'
      const before = () => folded(kit)
      if (history === 'whole') await talk(kit, [code, ...filler, question], { before })
      else {
        await talk(kit, [code, ...filler], { before })
        await before()
        const send = (messages: Param[]) =>
          kit.client('s').chat.completions.create({ model: 'any', messages, tools })
        const { choices } = await send([user(question)])
        const [call] = choices[0]!.message.tool_calls!
        await send([{ role: 'tool', tool_call_id: call!.id, content: 'nothing' }])
      }
      for (const { body } of kit.asked().slice(-2))
        expect(JSON.stringify(body.messages)).toMatch(/<recall>.*4711/)
    },
    30_000,
  )
})

describe('a client that changes what it sends again', () => {
  test.each<[string, string, (text: string) => string]>([
    ['without markdown', '**Yes**, `it` is.', text => text.replaceAll(/[*`]/g, '')],
    ['without thoughts', '<think>Hm.</think>Yes.', text => text.replace(/<think>.*<\/think>/, '')],
    ['in parts of letters', 'Un caf\u00e9.', text => text.normalize('NFD')],
  ])('%s stays in its session', async (_, answer, change) => {
    let number = 0
    const kit = await start(() => `${answer} ${++number}`)
    const history: Param[] = []
    for (const question of ['one', 'two', 'three']) {
      history.push(user(question))
      const { choices } = await kit.client('s').chat.completions.create({ model: 'any', messages: history })
      history.push(assistant(change(choices[0]!.message.content!)))
    }
    expect(await kit.log('s')).toHaveLength(6)
    expect(await forksOf(kit, 's')).toEqual([])
  })

  test('a window over what is said again and again loses nothing', async () => {
    const kit = await start('Noted.')
    const history: Param[] = []
    for (let time = 0; time < 8; time++) {
      history.push(user('+1'))
      await kit.client('s').chat.completions.create({ model: 'any', messages: history.slice(-5) })
      history.push(assistant('Noted.'))
    }
    expect(saidIn(await kit.log('s'))).toEqual(
      Array.from({ length: 8 }, () => ['user: +1', 'assistant: Noted.']).flat(),
    )
  })
})
