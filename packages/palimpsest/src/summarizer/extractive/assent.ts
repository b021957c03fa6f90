/** Answers to a proposal that say no more than that: for it, or against it. */

const MAX_CHARACTERS = 30

const ASSENT =
  /^(?:@\S+ )?(?:(?:[+＋]\s?1|1|ok(?:ay)?|k+|yes+|yeah|yep|yup|yas|sure|agree[ds]?|same|deal|done|fine|great|perfect|nice|good|cool|works|me too|\+|sounds good|works for me|fine by me|fine with me|ok with me|i'm in|let's do (?:it|that)|go for it|right|correct|exactly|true|final|copy|noted|got it|will do|roger|ja|klar|gut|genau|passt|einverstanden|oui|d'accord|ça marche|si|sí|vale|de acuerdo|claro|sim|beleza|да|ок|хорошо|согласен|согласна|네|좋아요?|はい|いいね|了解|好+的?|好[呀啊嘞滴吧]|行+吧?|可以+的?|没问题|同意|支持|收到|赞成?|对+的?|是的?|嗯+|妥|中|要得|没错|就这么定了?|就这样|附议|顶|\[(?:ok|强|赞|耶|胜利|抱拳|好的)\]|(?:👍|👌|✅|🙏|🎉|❤️?|💯|🙌|👏))[\s,，、!！.。~～…]*(?:the|then|thanks|thx|thank you|谢谢|哈+|lol|haha+|boss|老板|please|for me|here|[\p{L}]{1,10}姐|[\p{L}]{1,10}哥)?[\s!！.。~～…]*){1,3}$/iu
const REFUSAL =
  /^(?:no+|nope|nah|not me|no way|still no|nein|non|não|нет|不+|不行|不要|不可以|不同意|反对|算了|没门|不是|不对|not? really|disagree|wrong)[\s!！.。~～…]*(?:lol|haha+|哈+|thanks|thank you|谢谢)?[\s!！.。~～…]*$/iu

/** "+1", "agree", 好的: the text says that the statement before it holds for one more person. */
export function isAssent(text: string): boolean {
  return text.length <= MAX_CHARACTERS && ASSENT.test(text.trim())
}

export function isRefusal(text: string): boolean {
  return text.length <= MAX_CHARACTERS && REFUSAL.test(text.trim())
}
