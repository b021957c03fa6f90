const BEFORE =
  "(?:(?:lol|haha+|hehe+|nah|no|ok|okay|sorry|oh|wait|well|i'm|im|i am|i was|just|only|totally|obviously|of course) ?[,.!…]* ?){0,5}"
const HAN_BEFORE = '(?:[哈嘿呵]+|好啦|好吧|不是|没有?|啊|哎呀|我|刚才|其实|都)?[，,。！~ ]{0,2}'
const TAKES_BACK = new RegExp(
  `^\\s*(?:${BEFORE}(?:kidding|joking|jk|j/k|messing with (?:you|u|ya)|pulling your leg|that was a joke|not really|not true|that's not true|gotcha|sarcasm|sarcastic)(?: (?:jk|lol|haha+|of course|obviously|guys|people))*|(?:${HAN_BEFORE}){0,3}(?:开(?:个)?玩笑的?|说(?:个)?玩笑|说着玩的|闹着玩的|逗你(?:们)?(?:的|玩的?|呢)|骗你(?:们)?(?:的|呢)|瞎说的|瞎编的|没有啦|不是真的|别当真)(?:啦|哈+|呢|呀|嘿嘿)?)\\s*(?:$|[,.!…~。！～，)\\p{Extended_Pictographic}])`,
  'iu',
)
/** A longer text says something of its own. */
const MAX_CHARACTERS = 60

/** "Just kidding": the speaker did not mean what they said right before. */
export function takesBack(text: string): boolean {
  return text.length <= MAX_CHARACTERS && TAKES_BACK.test(text.replaceAll('’', "'"))
}

const LAST_PART = /[^.!?…。！？;；]+[.!?…。！？;；\s]*$/u

/** Whether the end of a sentence takes back its beginning. */
export function isTakenBack(sentence: string): boolean {
  const end = LAST_PART.exec(sentence.slice(-MAX_CHARACTERS))?.[0]
  return end !== undefined && takesBack(end)
}
