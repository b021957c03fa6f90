import type { Contestant, Finding, Grounds } from './contestant.ts'
import { ROWS } from './rows.ts'
import { settle } from './turn.ts'

const FILLERS = [
  '昨天晚上的会议开得很长，大家都累了。',
  '这个周末我想去公园走走，如果不下雨的话。',
  '请把上个月的账单再发给我一次，谢谢。',
  '服务器的内存又满了，需要有人看一下日志。',
  '我妹妹养了两只猫，一只黑的，一只白的。',
]
const WORDS: Readonly<Record<string, readonly [number, string][]>> = {
  北京: [
    [7, '我们下个月要去北京出差三天。'],
    [21, '王明说他从小在北京长大，喜欢吃烤鸭。'],
    [33, '飞往北京的航班改到了早上八点。'],
  ],
  发布: [
    [12, '新版本星期五发布，先通知客户。'],
    [28, '发布以后请检查一遍监控。'],
  ],
}
const TURNS = 36
const LIMIT = 10

/** Words of two characters: shorter than the trigrams of a common index, and with no space around them. */
export async function chineseSearch(contestant: Contestant, grounds: Grounds): Promise<Finding> {
  const chat = await contestant.open(grounds)
  const special = new Map(Object.values(WORDS).flat())
  const store = chat.store ?? chat.say
  for (let number = 1; number <= TURNS; number += 1)
    await store(`${special.get(number) ?? FILLERS[number % FILLERS.length]}（${number}）`)
  await settle(chat)
  let [found, sought] = [0, 0]
  const details: string[] = []
  for (const [word, messages] of Object.entries(WORDS)) {
    const results = await chat.search!(word, LIMIT)
    const hits = messages.filter(([, text]) => results.some(result => result.includes(text.slice(0, 8))))
    const rightful = results.filter(result => result.includes(word)).length
    found += hits.length
    sought += messages.length
    details.push(
      `${word}: ${hits.length} of ${messages.length} found, ${results.length - rightful} of ${results.length} results without the word`,
    )
  }
  await chat.close()
  const row = ROWS.chinese.only
  const short = `${found} of ${sought} found${contestant.embeds ? ', by an embedder' : ''}`
  return { row, verdict: found === sought ? 'kept' : 'wrong', short, detail: details.join('; ') }
}
