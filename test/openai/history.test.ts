import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../packages/palimpsest/src/testing/index.ts'
import { assistant, forkNamed, forksOf, type Kit, type Param, saidIn, start, until, user } from './kit.ts'

/** Each answer is another one, so that two are told apart. */
function counting() {
  let number = 0
  return ({ said }: ModelRequest) => {
    number += 1
    return `answer ${number} to ${said.at(-1)!.text}`
  }
}

/** Sends it, and gives what came with the session that it went to. */
async function ask(kit: Kit, session: string, messages: Param[], headers: Record<string, string> = {}) {
  const { data, response } = await kit
    .client(session, headers)
    .chat.completions.create({ model: 'any', messages })
    .withResponse()
  return {
    text: data.choices[0]!.message.content!,
    session: response.headers.get('x-palimpsest-session'),
    seq: response.headers.get('x-palimpsest-seq'),
  }
}

async function begin(kit: Kit): Promise<Param[]> {
  const first = await ask(kit, 's', [user('one')])
  const second = await ask(kit, 's', [user('one'), assistant(first.text), user('two')])
  return [user('one'), assistant(first.text), user('two'), assistant(second.text)]
}

describe('a history that contradicts ours', () => {
  test('forks at the last message in common, and the client goes on in the fork', async () => {
    const kit = await start(counting())
    const history = await begin(kit)
    const edited = [...history.slice(0, 2), user('two, but otherwise')]
    const third = await ask(kit, 's', edited)
    expect(third).toMatchObject({ session: forkNamed(2), seq: '3', text: 'answer 3 to two, but otherwise' })
    const fourth = await ask(kit, 's', [...edited, assistant(third.text), user('four')])
    expect(fourth).toMatchObject({ session: forkNamed(2), seq: '5' })
    expect(saidIn(await kit.log('s'))).toHaveLength(4)
    expect(saidIn(await kit.log(third.session!))).toEqual([
      'user: one',
      'assistant: answer 1 to one',
      'user: two, but otherwise',
      'assistant: answer 3 to two, but otherwise',
      'user: four',
      'assistant: answer 4 to four',
    ])
    const back = await ask(kit, 's', [...history, user('five')])
    expect(back).toMatchObject({ session: 's', seq: '5' })
    const other = await ask(kit, 's', [...history.slice(0, 2), user('two, a third way')])
    expect(other).toMatchObject({ session: forkNamed(3), seq: '3' })
  })

  test('with nothing in common it is a session of its own', async () => {
    const kit = await start(counting())
    await begin(kit)
    const strange = [user('Hi'), assistant('Hello'), user('How are you?')]
    const answer = await ask(kit, 's', strange)
    expect(answer).toMatchObject({ session: forkNamed(2), seq: '3' })
    expect(saidIn(await kit.log(answer.session!)).slice(0, 3)).toEqual([
      'user: Hi',
      'assistant: Hello',
      'user: How are you?',
    ])
  })

  test('a session of somebody else that is called so is left alone', async () => {
    const kit = await start(counting())
    const history = await begin(kit)
    await ask(kit, 's~2', [user('mine')])
    expect(await ask(kit, 's', [...history.slice(0, 2), user('edited')])).toMatchObject({
      session: forkNamed(2),
    })
    expect(await kit.log('s~2')).toHaveLength(2)
  })

  test('a person who is called as a fork of another person’s session never sees it', async () => {
    const kit = await start(({ said }) => `I know: ${said.map(({ text }) => text).join(' ')}`)
    const first = await ask(kit, 'alice', [user('Hello')])
    const list = [user('Hello'), assistant(first.text), user('Fine')]
    await ask(kit, 'alice', list)
    await ask(kit, 'alice', [...list.slice(0, 2), user('My door code is 7714')])
    const [fork] = await forksOf(kit, 'alice')
    expect(saidIn(await kit.log(fork!))).toContain('user: My door code is 7714')
    for (const name of ['alice~2', 'alice~2-0000000000000000', 'alice~3']) {
      const { text, session } = await ask(kit, name, [user('What do you know?')])
      expect({ session, knows: text.includes('7714') }).toEqual({ session: name, knows: false })
    }
    expect(await forksOf(kit, 'alice')).toHaveLength(4)
    // And what such a person says is no reason to fork anew.
    const on = await ask(kit, 'alice', [
      ...list.slice(0, 2),
      user('My door code is 7714'),
      assistant((await kit.log(fork!)).at(-1)!.text),
      user('Thanks'),
    ])
    expect(on.session).toBe(fork)
  })

  test('the header says that all of it is new', async () => {
    const kit = await start(counting())
    await begin(kit)
    const shown = [user('Hi'), assistant('Hello'), user('How are you?')]
    const answer = await ask(kit, 's', shown, { 'x-palimpsest-history': 'new' })
    expect(answer).toMatchObject({ session: 's', seq: '7' })
  })

  test('that it is the whole tells nothing where no reply is in it: all of it is new', async () => {
    const kit = await start(counting())
    await begin(kit)
    const whole = { 'x-palimpsest-history': 'whole' }
    expect(await ask(kit, 's', [user('one')], whole)).toMatchObject({ session: 's', seq: '5' })
  })

  test('siblings come from the session itself, and one that is erased is missed by nobody', async () => {
    const kit = await start(counting())
    const history = await begin(kit)
    const edited = [...history.slice(0, 2), user('a third way')]
    expect(await ask(kit, 's', [...history.slice(0, 2), user('two, edited')])).toMatchObject({
      session: forkNamed(2),
    })
    const third = await ask(kit, 's', edited)
    expect(third.session).toEqual(forkNamed(3))
    expect((await kit.get(`/v1/sessions/${third.session}`)).json).toMatchObject({
      origin: { sessionId: 's' },
    })
    const [second] = await forksOf(kit, 's')
    await fetch(`${kit.url()}/v1/sessions/${second}`, { method: 'DELETE' })
    await until(async () => (await kit.get(`/v1/sessions/${second}`)).status === 404)
    const fourth = await ask(kit, 's', [...edited, assistant(third.text), user('on')])
    expect(fourth).toMatchObject({ session: forkNamed(3), seq: '5' })
    const fifth = await ask(kit, 's', [...history.slice(0, 2), user('a fourth way')])
    expect(fifth.session).toEqual(forkNamed(4))
  })

  test('replies that say the same lead to the fork whose questions they answer', async () => {
    const kit = await start('Ok.')
    const said = (...questions: string[]) =>
      questions.flatMap(question => [user(question), assistant('Ok.')]) as Param[]
    for (const count of [1, 2, 3])
      await ask(kit, 's', said(...['one', 'two', 'three'].slice(0, count)).slice(0, -1))
    expect(await ask(kit, 's', [...said('one'), user('zwei')])).toMatchObject({ session: forkNamed(2) })
    expect(await ask(kit, 's', [...said('one', 'two', 'three'), user('four')])).toMatchObject({
      session: 's',
    })
    expect(await ask(kit, 's', [...said('one', 'zwei'), user('drei')])).toMatchObject({
      session: forkNamed(2),
    })
    expect(await ask(kit, 's', [...said('one', 'two', 'three'), user('vier')])).toMatchObject({
      session: forkNamed(3),
    })
  })

  test('an id that leaves no room for a fork is refused only where one is needed', async () => {
    const kit = await start(counting())
    const id = 'i'.repeat(4_095)
    const first = await ask(kit, id, [user('one')])
    await ask(kit, id, [user('one'), assistant(first.text), user('two')])
    await expect(ask(kit, id, [user('one'), assistant(first.text), user('zwei')])).rejects.toMatchObject({
      status: 422,
      code: 'invalid_argument',
      param: 'x-palimpsest-session',
    })
  })
})

describe('what is sent again', () => {
  test('asks for another answer in its place', async () => {
    const kit = await start(counting())
    const history = await begin(kit)
    expect(await ask(kit, 's', history.slice(0, 3))).toMatchObject({ session: 's', seq: '3' })
    expect(saidIn(await kit.log('s'))).toEqual([
      'user: one',
      'assistant: answer 1 to one',
      'user: two',
      'assistant: answer 3 to two',
    ])
  })

  test('is stored once, where the provider had failed', async () => {
    let isDown = true
    const kit = await start(() => (isDown ? { status: 503 } : 'Here I am.'))
    for (const messages of [[user('one')], [user('one')]])
      await expect(ask(kit, 's', messages)).rejects.toMatchObject({ status: 502 })
    isDown = false
    await ask(kit, 's', [user('one')])
    expect(saidIn(await kit.log('s'))).toEqual(['user: one', 'assistant: Here I am.'])
  })

  test('by the client itself, whose answer was lost, is answered anew', async () => {
    const kit = await start(counting())
    await ask(kit, 's', [user('zero')])
    await ask(kit, 's', [user('one')])
    await ask(kit, 's', [user('one')], { 'x-stainless-retry-count': '1' })
    expect(saidIn(await kit.log('s')).slice(2)).toEqual(['user: one', 'assistant: answer 3 to one'])
  })

  test('after it was taken back is stored again', async () => {
    const kit = await start(counting())
    await ask(kit, 's', [user('one')])
    await kit.post('/v1/sessions/s/rollback', { toSeq: 0 })
    await ask(kit, 's', [user('one')])
    expect(saidIn(await kit.log('s'))).toEqual(['user: one', 'assistant: answer 2 to one'])
  })

  test('the same words after their answer are said twice', async () => {
    const kit = await start(counting())
    for (let time = 0; time < 3; time++) await ask(kit, 's', [user('again')])
    expect(await kit.log('s')).toHaveLength(6)
  })
})

describe('others who write', () => {
  test('what somebody else answered while we could not is added', async () => {
    let isDown = false
    const kit = await start(request => (isDown ? { status: 503 } : counting()(request)))
    const history = await begin(kit)
    isDown = true
    await expect(ask(kit, 's', [...history, user('three')])).rejects.toMatchObject({ status: 502 })
    isDown = false
    const helped = [...history, user('three'), assistant('from another'), user('four')]
    expect(await ask(kit, 's', helped)).toMatchObject({ session: 's', seq: '7' })
    expect(saidIn(await kit.log('s')).slice(4, 7)).toEqual([
      'user: three',
      'assistant: from another',
      'user: four',
    ])
  })

  test('what came from elsewhere stays, and the client need not know of it', async () => {
    const kit = await start(counting())
    const history = await begin(kit)
    await kit.post('/v1/sessions/s/messages', { role: 'user', text: 'from the phone' })
    const third = await ask(kit, 's', [...history, user('three')])
    const fourth = await ask(kit, 's', [...history, user('three'), assistant(third.text), user('four')])
    expect(fourth.session).toBe('s')
    expect(saidIn(await kit.log('s')).slice(4)).toEqual([
      'user: from the phone',
      'user: three',
      'assistant: answer 3 to three',
      'user: four',
      'assistant: answer 4 to four',
    ])
  })

  test('what the log redacts is compared as the log has it', async () => {
    const kit = await start(counting())
    const secret = user('my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD')
    const first = await ask(kit, 's', [secret])
    const second = await ask(kit, 's', [secret, assistant(first.text), user('two')])
    expect(second.session).toBe('s')
    expect(await kit.log('s')).toHaveLength(4)
    expect(JSON.stringify(await kit.log('s'))).not.toContain('abcdefghij')
  })

  test('twenty at once in one session: nothing is lost or doubled', async () => {
    const kit = await start(counting())
    const questions = Array.from({ length: 20 }, (_, place) => `question ${place}`)
    await Promise.all(questions.map(question => ask(kit, 's', [user(question)])))
    const log = await kit.log('s')
    expect(log.filter(({ role }) => role === 'assistant')).toHaveLength(20)
    const asked = log.filter(({ role }) => role === 'user').map(({ text }) => text)
    expect(asked.toSorted()).toEqual(questions.toSorted())
  })

  test('and through two processes', async () => {
    const kit = await start(counting())
    const other = await kit.another()
    const questions = Array.from({ length: 20 }, (_, place) => `question ${place}`)
    await Promise.all(
      questions.map(async (question, place) => {
        const client = kit.client('s')
        if (place % 2 === 0) client.baseURL = `${other.url}/v1`
        await client.chat.completions.create({ model: 'any', messages: [user(question)] })
      }),
    )
    const asked = (await kit.log('s')).filter(({ role }) => role === 'user').map(({ text }) => text)
    expect(asked.toSorted()).toEqual(questions.toSorted())
  })

  test('whole histories that part at the same moment each go their own way', async () => {
    const kit = await start(counting())
    const history = await begin(kit)
    const questions = Array.from({ length: 5 }, (_, place) => `question ${place}`)
    const answers = await Promise.all(questions.map(question => ask(kit, 's', [...history, user(question)])))
    const sessions = answers.map(({ session }) => session!)
    expect(new Set(sessions).size).toBe(5)
    for (const [place, session] of sessions.entries()) {
      const log = saidIn(await kit.log(session))
      expect(log).toHaveLength(6)
      expect(log[4]).toBe(`user: ${questions[place]}`)
    }
  })

  test('two sessions at once know nothing of each other', async () => {
    const kit = await start(({ said }) => said.map(({ text }) => text).join(' | '))
    const [one, two] = await Promise.all([
      ask(kit, 'ann', [user('I am Ann')]),
      ask(kit, 'bob', [user('I am Bob')]),
    ])
    expect(one.text).not.toContain('Bob')
    expect(two.text).not.toContain('Ann')
  })
})
