/**
 * What reverses a clause or makes it depend on something, and where a clause may not be cut off from it. If a
 * "not" stays behind, the rest says the opposite.
 */

const NOT_LETTER = String.raw`(?<![\p{L}\p{N}])`
const END = String.raw`(?![\p{L}\p{N}])`

const NEGATORS =
  `not|never|no|none|nothing|nobody|neither|nor|without|cannot|hardly|barely|\\p{L}{1,7}n['’]t|dont|cant|wont|didnt|doesnt
  isnt|arent|wasnt|wouldnt|shouldnt|couldnt|havent|hasnt|refuse|refuses|refused|forbidden|stop|stopped|avoid|forget
  nicht|nichts|nie|niemals|niemand|ohne|kaum|kein|keine|keinen|keinem|keiner|keines|weder
  ne|pas|jamais|sans|aucun|aucune|ni|n['’]\\p{L}+
  nunca|sin|jamás|jamas|ningún|ningun|ninguna|tampoco|não|nao|sem|nenhum|nenhuma|non|senza|nessun|nessuna
  не|нет|ни|без|никогда|нельзя`
    .split(/[|\n]/)
    .map(word => word.trim())
    .join('|')
const HAN_NEGATORS =
  '(?<!能|会|行|好|是|要|去|对|有|差|了|忍)不(?!错|过(?![去来敏])|但|仅|少|同|管|然)|[没沒别未勿甭莫](?!人|事|名)|無|禁止|禁[飞烟]|拒绝|ない|ません|않|못|없'
const CONDITIONS =
  `if|unless|provided|otherwise|maybe|perhaps|possibly|might|probably|suppose|supposing|hopefully|in case
  as long as|wenn|falls|sofern|vielleicht|si|sauf|peut-être|quizás|quizá|tal vez|talvez|forse|если|может|возможно`
    .split(/[|\n]/)
    .map(word => word.trim())
    .join('|')
const HAN_CONDITIONS =
  '如果|要是|除非|假如|假设|万一|萬一|若是|倘若|的话|的話|也许|也許|可能|大概|说不定|說不定|看情况|不一定|もし|たら|かもしれ|만약|면 '

const NEGATOR = new RegExp(`${NOT_LETTER}(?:${NEGATORS})${END}|${HAN_NEGATORS}`, 'iu')
const CONDITION = new RegExp(`${NOT_LETTER}(?:${CONDITIONS})${END}|${HAN_CONDITIONS}`, 'iu')
/** "I will not", "I don't think": the words that are negated are still to come. */
const OPEN_NEGATOR = new RegExp(
  `(?:${NOT_LETTER}(?:${NEGATORS})(?:[ ,]+[\\p{L}'’]{1,12}){0,3}|(?:${HAN_NEGATORS})\\p{sc=Han}{0,3})[\\s,，:：;；–—-]*$`,
  'iu',
)
/** Clauses that say of the words before them that they are not so, or only under a condition. */
const TURNS_BACK = new RegExp(
  `^[\\s,，;；:：(–—-]*(?:(?:and|but|or|so|und|aber|oder|et|ou|mais|y|o|pero|e|mas|и|но|或者?|但是?|而|也|都|更|又)[ ]?)?(?:${NOT_LETTER}(?:${NEGATORS}|${CONDITIONS}|(?:under|in|by|on|at) (?:no|any)|no way|forget it|only if|except|instead|rather than|auf keinen|auf gar keinen|en aucun|de ninguna|in nessun|de jeito nenhum|except|excepto|salvo|außer|sondern|кроме)${END}|${HAN_NEGATORS}|${HAN_CONDITIONS}|除了|而不是|否则|才怪|休想|算了|免谈|没门)`,
  'iu',
)
const OWN_SUBJECT =
  /^[\s,，;；:：(–—-]*(?:(?:and|but|so|und|aber|et|mais|y|pero|e|mas|и|но|а|但是?|不过|可是|所以|那|那么)[ ,，]?)?(?:(?:i|we|you|he|she|they|it|this|that|there|the|my|our|your|his|her|their|let|i['’]\p{L}+|we['’]\p{L}+|it['’]s|they['’]\p{L}+|that['’]s|ich|wir|du|er|sie|es|ihr|je|nous|tu|il|elle|on|vous|ils|yo|nosotros|él|ella|eu|nós|io|noi|я|мы|ты|он|она|они|вы)(?![\p{L}])|[我你您他她它咱]|大家|[这那](?!个|种|样)|这个|那个)/iu
const CONTRAST = /^[\s,，]*(?:but|aber|pero|mais|mas|но|但|不过|可是)(?![\p{Ll}])/iu
/** A longer clause is cut in pieces wherever there is a space. */
const PIECE_CHARACTERS = 120
const ENDS_IN_MARK = /[,，.。;；:：!！?？…–—)\]\s]$/u

export function isNegated(text: string): boolean {
  return NEGATOR.test(text)
}

/** "If", "unless", "maybe": what is said with them is not certain. */
export function isConditional(text: string): boolean {
  return CONDITION.test(text)
}

/** Whether one of two neighbouring clauses of a sentence says something else without the other. */
export function belongTogether(clause: string, next: string): boolean {
  if (TURNS_BACK.test(next) || OPEN_NEGATOR.test(clause)) return true
  const turns = isNegated(clause) || isConditional(clause)
  if (turns) return isConditional(clause) || CONTRAST.test(next) || !OWN_SUBJECT.test(next)
  return clause.length > PIECE_CHARACTERS && !ENDS_IN_MARK.test(clause) && isNegated(next)
}

const LEAVES_OPEN = new RegExp(
  `(?:${NOT_LETTER}(?:not|never|cannot|\\p{L}{1,7}n['’]t|dont|cant|wont|if|unless|except|without|only|nicht|kein|keine|keinen|nie|ohne|wenn|falls|außer|jamais|sans|sauf|nunca|sin|não|sem|не|без|если|кроме)|不|没|沒|别|不要|不会|不能|不想|不用|没有人?|如果|要是|除非|万一|除了)[,，:：]?\\s*$`,
  'iu',
)
/** Said alone, these are answers. */
const WHOLE =
  /^\s*(?:\p{L}{1,4},? )?(?:不|没|沒|别|not|never|不要|不会|不能|不想|不用|没有|(?:i |we |they |you |he |she |it )?(?:can|do|did|will|have|is|are|was|does|has|would|should)(?:not|n['’]t)|dont|cant|wont)\s*$/iu

/**
 * Whether a message ends in the middle of what it says. The next message of the same person then goes on with
 * it.
 */
export function leavesOpen(text: string, { isNextTheirs }: { isNextTheirs: boolean }): boolean {
  return LEAVES_OPEN.test(text.slice(-40)) && (isNextTheirs || !WHOLE.test(text))
}

/** "I will not, under any circumstances, …": other words may stand between the "not" and what it negates. */
export function isOpenNegation(clause: string): boolean {
  return OPEN_NEGATOR.test(clause)
}

const MAX_VERDICT_CHARACTERS = 40
const VERDICT =
  /^\s*(?:(?:oh|well|actually|lol|haha|哈+)[, ]*)?(?:not?|nope|never|no way|not at all|not really|not happening|forget it|as if|no chance|absolutely not|definitely not|of course not|nicht|nie|niemals|auf keinen fall|non|jamais|nunca|ni hablar|não|нет|никогда|不|不行|不可能|没门|才怪|才不|休想|不要|免谈|想都别想|绝不|当然不)[\s.!…。！~～)]*$/iu

/** "Never." or 才怪 after a sentence: without it, the sentence would say the opposite. */
export function isVerdict(text: string): boolean {
  return text.length <= MAX_VERDICT_CHARACTERS && VERDICT.test(text)
}
