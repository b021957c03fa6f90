const BEFORE = "(?:(?:lol|haha+|hehe+|nah|no|ok|okay|sorry|oh|wait|i'm|im|i am|i was) ?[,.!…]* ?){0,3}"
const TAKES_BACK = new RegExp(
  `^\\s*(?:${BEFORE}(?:(?:just |only |totally )?(?:kidding|joking)|jk|j/k|that was a joke|not really|that's not true)(?: (?:lol|haha+|of course|obviously))?|(?:哈+[，, ]?)?(?:我?(?:开|说)?(?:个)?(?:玩笑的?|着玩的)|逗你(?:的|玩的?|呢)|骗你(?:的|呢|们的)|我?瞎说的|没有啦|不是真的)(?:啦|哈+|，?别当真)?)\\s*[.!…~。！～)😂🤣😅😜😝😁😆😄]*\\s*$`,
  'iu',
)
/** Longer ones say something of their own. */
const MAX_CHARACTERS = 60

/** "Just kidding": what its speaker said right before it was not meant. */
export function takesBack(text: string): boolean {
  return text.length <= MAX_CHARACTERS && TAKES_BACK.test(text.replaceAll('’', "'"))
}

const LAST_PART = /[^.!?…。！？;；]+[.!?…。！？;；\s]*$/u

/** A sentence whose end takes back how it began. */
export function isTakenBack(sentence: string): boolean {
  const end = LAST_PART.exec(sentence.slice(-MAX_CHARACTERS))?.[0]
  return end !== undefined && takesBack(end)
}
