import type { MessageInput } from '../../packages/palimpsest/src/index.ts'

/**
 * A conversation of our own that can go on for ever: a private chat about everyday plans, with names,
 * numbers, dates, questions and small talk, some of it in Chinese. The same for the same seed.
 */
export function* smallTalk(seed = 1): Generator<MessageInput, never, void> {
  const random = randomNumbers(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const number = (most: number) => Math.floor(random() * most) + 1
  let at = Date.UTC(2024, 0, 2, 8)
  for (let turn = 1; ; turn++) {
    at += number(4 * 3_600_000)
    const topic = pick(TOPICS)
    yield {
      role: 'user',
      at,
      content: pick([
        `About the ${topic}: ${pick(NAMES)} says it costs ${number(900)}.${number(89) + 10} EUR. Shall we take it?`,
        `Please remember that ${pick(NAMES)} wants the ${topic} on ${new Date(at + number(30) * 86_400_000).toISOString().slice(0, 10)}.`,
        `关于${pick(TOPICS_ZH)}，我们决定下周${pick(['一', '三', '五'])}去，预算${number(90)}百元。`,
        `ok thanks`,
        `I spoke with ${pick(NAMES)} yesterday. The order no. ${10_000 + turn} for the ${topic} is late again, and I am tired of waiting for it.`,
        `What did we decide about the ${topic}?`,
        `Tomorrow I meet ${pick(NAMES)} in ${pick(PLACES)} at ${number(12) + 6}:${number(49) + 10} to look at the ${topic}.`,
      ]),
    }
    at += number(20_000)
    yield {
      role: 'assistant',
      at,
      content: pick([
        `Noted: the ${topic} is settled with ${pick(NAMES)}, reference ${pick(PLACES).slice(0, 3).toUpperCase()}-${turn}.`,
        `I would wait. ${pick(NAMES)} offered the ${topic} for ${number(900)} EUR in ${pick(PLACES)}, which is less.`,
        '好的，我记下了。',
        `You decided to ask ${pick(NAMES)} first. Is there anything else that I should know about the ${topic}?`,
        'Sure!',
        `The ${topic} can be delivered to ${pick(PLACES)} within ${number(9)} days. See https://example.com/${topic.replaceAll(' ', '-')}/${turn}`,
      ]),
    }
  }
}

const TOPICS = [
  'red bicycle',
  'flat',
  'wedding cake',
  'tax return',
  'train tickets',
  'garden fence',
  'old piano',
]
const TOPICS_ZH = ['房子', '旅行', '签证', '装修', '婚礼']
const NAMES = ['Ann', 'Bertrand', 'Chiara', 'Dmitri', '王小明', 'Esther', 'Farid']
const PLACES = ['Porto', 'Oslo', 'Kraków', '上海', 'Lyon', 'Dublin']

/** Mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
