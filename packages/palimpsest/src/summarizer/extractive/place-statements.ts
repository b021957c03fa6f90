import { withoutQuotations } from './not-quoted.ts'
import type { Slot } from './personal-patterns.ts'
import type { Statement } from './personal-statements.ts'

const US =
  "(?<![\\p{L}'-])(?:we|they|everyone|everybody|the (?:team|group|board|committee|family|club|class))"
const ADVERBS =
  "(?:'ve| have| has| all| both| finally| just| already| now| also| then| jointly| unanimously)*"
const DECIDED = new RegExp(
  `${US}${ADVERBS} (?:decided|agreed|chose|settled on|voted|concluded|approved)(?!\\p{L})|(?<!\\p{L})(?:it was|it is|it's|it has been) (?:decided|agreed)(?!\\p{L})|(?:决定|決定|约定|約定|商定|敲定|一致同意|达成一致|说好了?|约好了?)(?!不了|权)`,
  'iu',
)
/** Not decided yet, left to another person to decide, or only thought of. */
const UNDECIDED =
  /(?<!\p{L})(?:if|unless|whether|suppose|imagine|wish|said|says|heard|lol|haha+)(?!\p{L})|[他她它][们]?说|听说|据说|我(?!们)(?:已经|最后|还是|就)?(?:决定|打算|计划)|如果|要是|假如|的话|(?:没|没有|未|尚未|还没|还没有|无法|不能|难以)(?:做|作)?(?:决定|決定|约定|商定|敲定)|[你您他她]们?(?:来|自己)?(?:决定|決定)|由.{1,10}决定|[这那](?:就)?决定|决定(?:权|性|因素)/iu

const PLANNED = new RegExp(
  `${US}(?:'ll| will| shall|'re going to| are going to| is going to| plan to| plans to|'re planning to| are planning to| intend to) (?!(?:see|never|be (?:fine|ok|okay)|manage)(?!\\p{L}))\\S|(?<!\\p{L})let's (?!(?:see|hope|say|face|go|be|not|wait|talk|chat|just (?:see|wait)|pretend|imagine)(?!\\p{L}))\\p{L}|(?<!\\p{L})(?:deadline|due date)(?:[:：]|(?: \\S{1,30}){0,4} (?:is|was moved|has moved|moved|moves|has been moved)(?!\\p{L}))|(?<!\\p{L})(?:is|are|was) (?:scheduled|planned|set) for(?!\\p{L})|(?<!\\p{L})is due (?:on|by)(?!\\p{L})|(?<![原没])计划(?!书)|計劃|打算|截止|定于|定在|排期`,
  'iu',
)
const UNPLANNED =
  /(?:没有?|不再?|未|无)(?:计划|打算)|怎么打算|有什么打算|(?:计划|打算)(?:是)?(?:去|做|要)?(?:什么|怎么|如何|哪)/

const LINK = /https?:\/\/[^\s<>"']{3,}|(?<!\p{L})www\.[^\s<>"']{3,}/iu
const FILE =
  /(?<![\p{L}\p{N}._/-])[\p{L}\p{N}_][\p{L}\p{N}_ -]{0,60}\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|md|txt|csv|tsv|json|ya?ml|xml|html?|zip|tar|gz|key|pages|numbers|fig|sketch|psd|svg|epub|ipynb|sql)(?![\p{L}\p{N}])/iu

/** A place may have several of everything, so it has no slots. */
const WITHOUT_SLOTS = { slots: new Set<Slot>(), named: [], saysMore: true } as const

/** What a sentence says that belongs into the memory of a place; `null`: nothing. */
export function findOfPlace(sentence: string): Statement | null {
  const said = withoutQuotations(sentence)
  const decided = UNDECIDED.test(said) ? null : DECIDED.exec(said)
  if (decided) return { section: 'history', ...WITHOUT_SLOTS, at: decided.index }
  const named = LINK.exec(sentence) ?? FILE.exec(sentence)
  if (named) return { section: 'documents', ...WITHOUT_SLOTS, at: named.index }
  const planned = UNPLANNED.test(said) || UNDECIDED.test(said) ? null : PLANNED.exec(said)
  return planned && { section: 'plans', ...WITHOUT_SLOTS, at: planned.index }
}
