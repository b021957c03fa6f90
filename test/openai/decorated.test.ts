import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../packages/palimpsest/src/testing/index.ts'
import { assistant, forkNamed, forksOf, type Kit, type Param, saidIn, start, user } from './kit.ts'

/** Each answer is another one, in the form in which models write. */
function answering() {
  let number = 0
  return (_: ModelRequest) => {
    number += 1
    return `<think>What is it about?</think>**Answer ${number}** to that:\n\n- it is so\n- and so 🎉`
  }
}

const DECORATIONS: readonly ((text: string) => string)[] = [
  text => `${text}\n\n— sent with MyApp`,
  text => text.replace(/<think>.*<\/think>/s, '').replaceAll(/[*-]/g, ''),
  text => `🤖 Pal: ${text.replaceAll(/\s+/g, ' ').trim()}`,
  text => `${text.replace('🎉', '')} (12:04, 3 of 25)`,
]

interface Chat {
  readonly kit: Kit
  readonly session: string
  readonly isStream?: boolean
}

async function ask({ kit, session, isStream = false }: Chat, messages: readonly Param[]): Promise<string> {
  const { completions } = kit.client(session).chat
  if (!isStream) {
    const { choices } = await completions.create({ model: 'any', messages: [...messages] })
    return choices[0]!.message.content!
  }
  let text = ''
  for await (const { choices } of await completions.create({
    model: 'any',
    messages: [...messages],
    stream: true,
  }))
    text += choices[0]?.delta.content ?? ''
  return text
}

async function sessionsOf(kit: Kit): Promise<readonly string[]> {
  const { json } = await kit.get('/v1/sessions')
  return (json as { sessions: { id: string }[] }).sessions.map(({ id }) => id)
}

describe('a client that decorates replies', () => {
  test.each([
    ['at once', false],
    ['as a stream', true],
  ])('25 turns are one session of 50 messages: %s', async (_, isStream) => {
    const kit = await start(answering())
    const history: Param[] = []
    for (let turn = 0; turn < 25; turn++) {
      const text = await ask({ kit, session: 's', isStream }, [
        ...history,
        user(turn % 3 ? 'ok' : `Question ${turn}`),
      ])
      const decorate = DECORATIONS[turn % DECORATIONS.length]!
      history.push(user(turn % 3 ? 'ok' : `Question ${turn}`), assistant(decorate(text)))
    }
    expect(await sessionsOf(kit)).toEqual(['s'])
    const log = await kit.log('s')
    expect(log).toHaveLength(50)
    const answers = log
      .filter(({ role }) => role === 'assistant')
      .map(({ text }) => /Answer \d+/.exec(text)?.[0])
    expect(answers).toEqual(Array.from({ length: 25 }, (_, place) => `Answer ${place + 1}`))
  })

  test('and drops the oldest messages: the same', async () => {
    const kit = await start(answering())
    const history: Param[] = []
    for (let turn = 0; turn < 12; turn++) {
      const text = await ask({ kit, session: 's' }, [...history.slice(-5), user(`Question ${turn}`)])
      history.push(user(`Question ${turn}`), assistant(DECORATIONS[turn % 4]!(text)))
    }
    expect(await sessionsOf(kit)).toEqual(['s'])
    expect(await kit.log('s')).toHaveLength(24)
  })

  test('asks for the last answer again, in its place', async () => {
    const kit = await start(answering())
    const first = await ask({ kit, session: 's' }, [user('one')])
    const before = [user('one'), assistant(DECORATIONS[0]!(first)), user('two')]
    await ask({ kit, session: 's' }, before)
    const again = await ask({ kit, session: 's' }, before)
    expect(again).toContain('Answer 3')
    expect(await sessionsOf(kit)).toEqual(['s'])
    expect((await kit.log('s')).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('edits an answer: one fork, in which it goes on', async () => {
    const kit = await start(answering())
    const chat = { kit, session: 's' }
    const history = [user('one'), assistant(DECORATIONS[0]!(await ask(chat, [user('one')])))]
    const second = await ask(chat, [...history, user('two')])
    history.push(user('two'), assistant(DECORATIONS[2]!(second.replace('Answer 2', 'Answer 99'))))
    for (const question of ['three', 'four', 'five']) {
      const text = await ask(chat, [...history, user(question)])
      history.push(user(question), assistant(DECORATIONS[3]!(text)))
    }
    expect(await sessionsOf(kit)).toEqual(['s', forkNamed(2)])
    expect(await kit.log('s')).toHaveLength(4)
    expect(
      saidIn(await kit.log((await forksOf(kit, 's'))[0]!)).filter(said => said.startsWith('user')),
    ).toEqual(['user: one', 'user: two', 'user: three', 'user: four', 'user: five'])
  })
})

test('two people who begin with the same words and are answered alike stay apart', async () => {
  const kit = await start('Hello! How can I help you?')
  const histories: Record<string, Param[]> = { ann: [], bob: [] }
  for (const question of ['Hi', 'ok', 'ok', 'Hi'])
    for (const [person, history] of Object.entries(histories)) {
      const messages = [...history, user(question)]
      const response = await kit.post('/v1/chat/completions', { messages, user: person })
      const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
      history.push(user(question), assistant(`${choices[0]!.message.content} — sent by ${person}`))
    }
  expect(await sessionsOf(kit)).toEqual(['ann', 'bob'])
  expect(await kit.log('ann')).toHaveLength(8)
  expect(await kit.log('bob')).toHaveLength(8)
})
