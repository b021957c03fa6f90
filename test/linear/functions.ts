import { isNamed } from '../../packages/bot/src/attention.ts'
import { cleanName } from '../../packages/bot/src/channels/telegram/clean-name.ts'
import {
  hideInValue,
  hideSecrets,
  hideToken,
  hideTokens,
} from '../../packages/bot/src/channels/telegram/hide-token.ts'
import { richText } from '../../packages/bot/src/channels/telegram/rich-text.ts'
import { parseMarkdown } from '../../packages/bot/src/markdown/index.ts'
import { isMarkedQuestion, isQuestion, soughtIn } from '../../packages/bot/src/responders/question.ts'
import { splitMarkdown } from '../../packages/bot/src/split-markdown.ts'
import { splitText } from '../../packages/bot/src/split-text.ts'
import { withNames } from '../../packages/palimpsest/src/compaction/people.ts'
import { dominantScript, missedScript } from '../../packages/palimpsest/src/compaction/script.ts'
import {
  firstDay,
  linesAsMessages,
  verbatimLines,
} from '../../packages/palimpsest/src/compaction/segment-lines.ts'
import { chunks, partsOf, sampleText } from '../../packages/palimpsest/src/compaction/source.ts'
import { findSummaryProblem } from '../../packages/palimpsest/src/compaction/validate-summary.ts'
import { fillIn } from '../../packages/palimpsest/src/config/environment.ts'
import { tryLayer } from '../../packages/palimpsest/src/config/layers.ts'
import { isModelName, splitModelName } from '../../packages/palimpsest/src/config/model-name.ts'
import { findSetting, presetParameter } from '../../packages/palimpsest/src/config/schema.ts'
import { environmentName } from '../../packages/palimpsest/src/config/setting.ts'
import { clipText } from '../../packages/palimpsest/src/context/clip-text.ts'
import { shortHash } from '../../packages/palimpsest/src/context/create-hash.ts'
import { inert, inertUnderHeadings } from '../../packages/palimpsest/src/context/inert.ts'
import { isBlank } from '../../packages/palimpsest/src/context/is-blank.ts'
import { legendsOf } from '../../packages/palimpsest/src/context/legends.ts'
import { planRecall } from '../../packages/palimpsest/src/context/plan-recall.ts'
import { understands } from '../../packages/palimpsest/src/context/provider-tools.ts'
import { renderMessage, safeName } from '../../packages/palimpsest/src/context/render-message.ts'
import { quoted } from '../../packages/palimpsest/src/context/render-origin.ts'
import { note } from '../../packages/palimpsest/src/context/sent-message.ts'
import { toText } from '../../packages/palimpsest/src/context/to-text.ts'
import { toldTexts } from '../../packages/palimpsest/src/context/told-texts.ts'
import { describe } from '../../packages/palimpsest/src/errors.ts'
import { isSought, matcherOf } from '../../packages/palimpsest/src/finding/is-sought.ts'
import { textsOf } from '../../packages/palimpsest/src/language/language.ts'
import { languageOfText, spokenLanguage } from '../../packages/palimpsest/src/language/spoken.ts'
import { alignHistory, saysTheSame } from '../../packages/palimpsest/src/log/align-history.ts'
import {
  contentText,
  interruptionOf,
  mediaIn,
  modelText,
  undeliveredOf,
} from '../../packages/palimpsest/src/log/content.ts'
import { inertId, inertName, listedId, listedName } from '../../packages/palimpsest/src/log/inert-name.ts'
import { isZone, parseInstant } from '../../packages/palimpsest/src/log/instant.ts'
import { splitLines, withPlainLineBreaks } from '../../packages/palimpsest/src/log/lines.ts'
import { contentLinks } from '../../packages/palimpsest/src/log/links.ts'
import type { ContentPart } from '../../packages/palimpsest/src/log/message.ts'
import {
  checkId,
  isId,
  normalizeContent,
  normalizeMessage,
} from '../../packages/palimpsest/src/log/normalize-message.ts'
import { oneLine } from '../../packages/palimpsest/src/log/one-line.ts'
import { byOrigin, hasOrigins, ownContent, ownText } from '../../packages/palimpsest/src/log/origin.ts'
import { nameKeys } from '../../packages/palimpsest/src/log/people/name-keys.ts'
import { isMarkedAt, isWordAt, standsAlone } from '../../packages/palimpsest/src/log/people/stands-alone.ts'
import { WhoIsWho } from '../../packages/palimpsest/src/log/people/who-is-who.ts'
import { shortQuotation } from '../../packages/palimpsest/src/log/quotation.ts'
import { searchableText, withoutRecalled } from '../../packages/palimpsest/src/log/recalled.ts'
import { headOf, tailOf } from '../../packages/palimpsest/src/log/whole-characters.ts'
import { normalizeWindowMessage } from '../../packages/palimpsest/src/log/window.ts'
import { applyCondensed } from '../../packages/palimpsest/src/memory/condense-document.ts'
import { daySpokenOf } from '../../packages/palimpsest/src/memory/day-spoken-of.ts'
import { checkBody } from '../../packages/palimpsest/src/memory/document/body.ts'
import { clipDocument } from '../../packages/palimpsest/src/memory/document/clip-document.ts'
import { inertLine } from '../../packages/palimpsest/src/memory/document/inert-line.ts'
import {
  datedLine,
  listLines,
  replaceLines,
  sayingOf,
  withLines,
  withoutLines,
} from '../../packages/palimpsest/src/memory/document/lines.ts'
import {
  closeFence,
  closesFence,
  headingOf,
  isBlank as isBlankMarkdown,
  openedFence,
  scanLines,
  trimBlankLines,
  withLineBreak,
} from '../../packages/palimpsest/src/memory/document/markdown-lines.ts'
import { normalizeMarkdown } from '../../packages/palimpsest/src/memory/document/normalize-markdown.ts'
import {
  condensedLine,
  dayOfLine,
  linesToCondense,
} from '../../packages/palimpsest/src/memory/document/over-budget.ts'
import {
  checkSectionName,
  parseSectionName,
} from '../../packages/palimpsest/src/memory/document/section-name.ts'
import {
  appendText,
  listSections,
  readSection,
  replaceSection,
} from '../../packages/palimpsest/src/memory/document/sections.ts'
import { findHeading, sectionIn } from '../../packages/palimpsest/src/memory/document/template.ts'
import { checkText } from '../../packages/palimpsest/src/memory/document-work.ts'
import { renderRecentChanges } from '../../packages/palimpsest/src/memory/layers/recent-changes.ts'
import {
  listedPeople,
  withoutMark,
  withPeopleListed,
  withSpeakerMarked,
} from '../../packages/palimpsest/src/memory/people-line.ts'
import { checkArguments } from '../../packages/palimpsest/src/memory/tools/check-arguments.ts'
import { definitionsIn } from '../../packages/palimpsest/src/memory/tools/definitions.ts'
import {
  decodeId,
  documentOf,
  documentOfShortened,
  encodeId,
  isShortened,
} from '../../packages/palimpsest/src/memory/workspace/file-names.ts'
import { withoutCommon } from '../../packages/palimpsest/src/memory/workspace/line-diff.ts'
import { mergeDocuments } from '../../packages/palimpsest/src/memory/workspace/merge.ts'
import { isBlankLine } from '../../packages/palimpsest/src/memory/workspace/merge-lines.ts'
import { splitSections } from '../../packages/palimpsest/src/memory/workspace/sections.ts'
import {
  parseFile,
  readFile,
  readIdLine,
  renderFile,
} from '../../packages/palimpsest/src/memory/workspace/workspace-file.ts'
import { nearestName } from '../../packages/palimpsest/src/nearest-name.ts'
import { redactSecrets } from '../../packages/palimpsest/src/redaction/secrets.ts'
import { findDates as findQueryDates } from '../../packages/palimpsest/src/search/dates.ts'
import { excerptOf } from '../../packages/palimpsest/src/search/excerpt.ts'
import { indexMessages } from '../../packages/palimpsest/src/search/index-messages.ts'
import {
  normalizedPieces,
  normalizeText,
  normalizeTextInSteps,
  normalizeWithOrigins,
} from '../../packages/palimpsest/src/search/normalize-text.ts'
import { indexOfWhole } from '../../packages/palimpsest/src/search/occurs-in.ts'
import { refine } from '../../packages/palimpsest/src/search/phrases.ts'
import { parseQuery } from '../../packages/palimpsest/src/search/query.ts'
import { rank } from '../../packages/palimpsest/src/search/rank.ts'
import { rankLines } from '../../packages/palimpsest/src/search/rank-lines.ts'
import { namedSpeakers } from '../../packages/palimpsest/src/search/speakers.ts'
import {
  countTerms,
  countTermsInSteps,
  eachTermInSteps,
  visitTerms,
} from '../../packages/palimpsest/src/search/terms.ts'
import { runAtOnce } from '../../packages/palimpsest/src/slices.ts'
import { canonicalJson } from '../../packages/palimpsest/src/store/canonical-json.ts'
import { operationOf } from '../../packages/palimpsest/src/store/operation.ts'
import { parseSessionFile } from '../../packages/palimpsest/src/store/session-file.ts'
import {
  lineKeys,
  replaceLines as replaceFactLines,
  standsIn,
  withoutLines as withoutFactLines,
} from '../../packages/palimpsest/src/store/sql/facts.ts'
import { digestOf, keyOf } from '../../packages/palimpsest/src/store/sql/keys.ts'
import { decodeContent, encodeContent } from '../../packages/palimpsest/src/store/sql/rows.ts'
import { clip, clipMiddle } from '../../packages/palimpsest/src/summarizer/clip.ts'
import { findDayWords, lowerCase } from '../../packages/palimpsest/src/summarizer/day-words.ts'
import { findEastAsian } from '../../packages/palimpsest/src/summarizer/east-asian-days.ts'
import { isAssent, isRefusal } from '../../packages/palimpsest/src/summarizer/extractive/assent.ts'
import { findEnded, isEndedBy } from '../../packages/palimpsest/src/summarizer/extractive/ended-statements.ts'
import { extract } from '../../packages/palimpsest/src/summarizer/extractive/extractive.ts'
import { extractFacts } from '../../packages/palimpsest/src/summarizer/extractive/facts.ts'
import {
  opensMaterial,
  treatsText,
  unquoted,
} from '../../packages/palimpsest/src/summarizer/extractive/material.ts'
import { missingDetails, says } from '../../packages/palimpsest/src/summarizer/extractive/missing-details.ts'
import {
  belongTogether,
  isConditional,
  isNegated,
  isOpenNegation,
  isVerdict,
  leavesOpen,
} from '../../packages/palimpsest/src/summarizer/extractive/negations.ts'
import {
  isPasted,
  isQuotation,
  withoutQuotations,
} from '../../packages/palimpsest/src/summarizer/extractive/not-quoted.ts'
import { isLead, ownClauses } from '../../packages/palimpsest/src/summarizer/extractive/own-clauses.ts'
import {
  findPersonal,
  readLine,
} from '../../packages/palimpsest/src/summarizer/extractive/personal-statements.ts'
import { isJob } from '../../packages/palimpsest/src/summarizer/extractive/personal-words.ts'
import { findOfPlace } from '../../packages/palimpsest/src/summarizer/extractive/place-statements.ts'
import { readCorrection } from '../../packages/palimpsest/src/summarizer/extractive/put-right.ts'
import {
  asksWithoutMark,
  isBare,
  isFragment,
} from '../../packages/palimpsest/src/summarizer/extractive/questions.ts'
import { readableText, readPassages } from '../../packages/palimpsest/src/summarizer/extractive/readable.ts'
import { splitSentences } from '../../packages/palimpsest/src/summarizer/extractive/sentences.ts'
import {
  isVote,
  saysNothing,
  tellsNeed,
  worthOf,
} from '../../packages/palimpsest/src/summarizer/extractive/signals.ts'
import { isTakenBack, takesBack } from '../../packages/palimpsest/src/summarizer/extractive/taken-back.ts'
import { withDays } from '../../packages/palimpsest/src/summarizer/extractive/units.ts'
import { findValues, valueKey } from '../../packages/palimpsest/src/summarizer/extractive/values.ts'
import { forEachWord } from '../../packages/palimpsest/src/summarizer/extractive/words.ts'
import { worthRemembering } from '../../packages/palimpsest/src/summarizer/extractive/worth-remembering.ts'
import {
  comparable,
  memoryLine,
  shortLine,
  undatedLine,
} from '../../packages/palimpsest/src/summarizer/memory-line.ts'
import {
  readDay,
  readNumber,
  withoutThinking,
} from '../../packages/palimpsest/src/summarizer/model/answer-fields.ts'
import { findObject } from '../../packages/palimpsest/src/summarizer/model/find-object.ts'
import {
  block,
  neutralize,
  neutralizeForFacts,
  withoutBytes,
} from '../../packages/palimpsest/src/summarizer/model/neutralize.ts'
import { readAnswer, readMemoAnswer } from '../../packages/palimpsest/src/summarizer/model/read-answer.ts'
import { readFacts } from '../../packages/palimpsest/src/summarizer/model/read-facts.ts'
import {
  renderMessages,
  renderSummaries,
} from '../../packages/palimpsest/src/summarizer/model/render-source.ts'
import { saysOverflow } from '../../packages/palimpsest/src/summarizer/model/says-overflow.ts'
import { cutText, takePiece } from '../../packages/palimpsest/src/summarizer/model/take-piece.ts'
import { splitPasted } from '../../packages/palimpsest/src/summarizer/pasted.ts'
import {
  closingIn,
  isDashes,
  isQuotedLine,
  leadIn,
  salutationIn,
} from '../../packages/palimpsest/src/summarizer/pasted-signs.ts'
import {
  findDates,
  namesAnotherDay,
  readDays,
} from '../../packages/palimpsest/src/summarizer/relative-dates.ts'
import { speakerIn, whoSpeaks } from '../../packages/palimpsest/src/summarizer/speakers.ts'
import { tellChinese } from '../../packages/palimpsest/src/summarizer/tense/chinese-tense.ts'
import { splitClauses } from '../../packages/palimpsest/src/summarizer/tense/clauses.ts'
import { tellEnglish } from '../../packages/palimpsest/src/summarizer/tense/english-tense.ts'
import { tellJapanese } from '../../packages/palimpsest/src/summarizer/tense/japanese-tense.ts'
import { findTextProblem, isTooShort } from '../../packages/palimpsest/src/summarizer/text-problem.ts'
import { isWorthKeeping } from '../../packages/palimpsest/src/summarizer/worth-keeping.ts'
import {
  estimateTokens,
  estimateTokensInSteps,
} from '../../packages/palimpsest/src/tokens/estimate-tokens.ts'
import {
  measureMessage,
  measureMessageInSteps,
} from '../../packages/palimpsest/src/tokens/measure-message.ts'
import { parsedOrText, textOf } from '../../packages/replay/src/transcript/json-value.ts'
import { readAiSdk } from '../../packages/replay/src/transcript/read-ai-sdk.ts'
import { readChatGpt } from '../../packages/replay/src/transcript/read-chatgpt.ts'
import { readOpenAI } from '../../packages/replay/src/transcript/read-openai.ts'
import { readSession } from '../../packages/replay/src/transcript/read-session.ts'
import { readTelegram } from '../../packages/replay/src/transcript/read-telegram.ts'
import { looksLikeMessage, recognize } from '../../packages/replay/src/transcript/recognize.ts'
import { Prints } from '../../packages/server/src/completions/fingerprint.ts'
import { decodedHeader, headerText } from '../../packages/server/src/completions/named-session.ts'
import { readParts, textIn } from '../../packages/server/src/completions/read-parts.ts'
import { readDocumentName } from '../../packages/server/src/document-name.ts'
import { readPosition } from '../../packages/server/src/event-position.ts'
import { parseKey } from '../../packages/server/src/keys/written-key.ts'
import { parseJsonInSteps } from '../../packages/server/src/parse-json.ts'
import { invalidArguments } from '../../packages/server/src/problems.ts'
import { malformed } from '../../packages/server/src/read-body.ts'
import type { TextFunction } from './growth.ts'

const AT = new Date('2026-02-10T12:00:00Z')
const ZONE = 'Europe/Berlin'
const MOMENT = { at: AT, zone: ZONE }
const QUERY = parseQuery('"a b" ann c++ v1.2.3 next friday 漢字漢 said word', { zone: ZONE })

const message = (content: string, seq = 1) => ({
  ...{ seq, role: 'user' as const, content, sender: { id: 'ann', name: 'Ann' }, at: AT, zone: null },
  ...{
    externalId: null,
    replyTo: null,
    archived: false,
    sessionId: 's',
    version: 1,
    turn: 1,
    tokens: 10,
    receivedAt: AT,
  },
})

function run<Result>(work: Generator<unknown, Result, void>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

function attempt(call: () => unknown): unknown {
  try {
    return call()
  } catch {
    return null
  }
}

const halves = (text: string) => {
  const lines = text.split('\n')
  return [
    text,
    lines.filter((_, place) => place % 3 !== 0).join('\n'),
    lines.filter((_, place) => place % 5 !== 1).join('\n'),
  ] as const
}

const PEOPLE = [1, 2].map(id => ({ id: `u${id}`, names: [{ name: 'a', since: '2026-01-01' }] }))

/** Every function on the way of a message, a query, a document or a setting, by its file and name. */
/** Half of it forwarded. */
function passedOn(text: string): readonly ContentPart[] {
  return [
    { type: 'text', text, origin: { kind: 'forward', from: { name: 'Petra' } } },
    { type: 'text', text },
  ]
}

export const FUNCTIONS: Readonly<Record<string, TextFunction>> = {
  'compaction/script.ts dominantScript': dominantScript,
  'compaction/script.ts missedScript': text => missedScript(text, text),
  'compaction/segment-lines.ts firstDay': firstDay,
  'compaction/segment-lines.ts linesAsMessages': text => linesAsMessages(text, AT),
  'compaction/segment-lines.ts verbatimLines': text =>
    verbatimLines([message(text)] as never, { zone: ZONE, fits: lines => lines.length <= 400 }),
  'compaction/source.ts chunks': text =>
    chunks(
      Array.from({ length: 20 }, (_, seq) => message(text.slice(0, text.length / 20), seq)) as never,
      100,
    ),
  'compaction/source.ts partsOf': text => partsOf(message(text) as never, 24_000),
  'compaction/source.ts sampleText': text => sampleText([message(text)]),
  'compaction/validate-summary.ts findSummaryProblem': text =>
    findSummaryProblem(text, { summary: 10, source: 1e9, budget: 1e9 }),
  'config/environment.ts fillIn': text => fillIn(text, { a: 'b' }),
  'config/layers.ts tryLayer': text =>
    tryLayer(
      { [text]: text, policy: text, zone: text, model: text, corsOrigins: text, modelBaseUrl: text },
      'server',
    ),
  'config/model-name.ts isModelName': isModelName,
  'config/model-name.ts splitModelName': splitModelName,
  'config/schema.ts findSetting': findSetting,
  'config/schema.ts presetParameter': text => presetParameter('balanced' as never, text),
  'config/setting.ts environmentName': environmentName,
  'context/clip-text.ts clipText': text => clipText(text, 2_000, () => '…'),
  'context/create-hash.ts shortHash': shortHash,
  'context/inert.ts inert': inert,
  'log/inert-name.ts inertId': inertId,
  'log/inert-name.ts inertName': inertName,
  'log/inert-name.ts listedId': listedId,
  'log/inert-name.ts listedName': listedName,
  'context/inert.ts inertUnderHeadings': inertUnderHeadings,
  'context/is-blank.ts isBlank': isBlank,
  'context/plan-recall.ts planRecall': text =>
    planRecall(
      {
        hits: [{ seq: 1, score: 1 }],
        messages: [{ ...message(text), seq: 1 }],
        passageOf: (long: string, characters: number) => long.slice(0, characters),
      } as never,
      { below: 2, isTold: toldTexts([text]), mostTokens: 1_000, language: 'en' },
    ),
  'context/render-message.ts renderMessage': text =>
    renderMessage(message(text) as never, {
      kind: 'group',
      clipTokens: 4_000,
      reasoning: 'drop',
      language: 'en',
    }),
  'context/render-message.ts safeName': safeName,
  'context/sent-message.ts note': text => note(text, 1),
  'context/told-texts.ts toldTexts': text => toldTexts([text])(text),
  'context/to-text.ts toText': text =>
    toText(
      { instructions: text, messages: [{ role: 'user', content: text }], sessionMemory: text },
      { limit: 10_000, instructions: true },
    ),
  'errors.ts describe': describe,
  'finding/is-sought.ts isSought': text => isSought(QUERY)(text),
  'finding/is-sought.ts matcherOf': text => matcherOf(QUERY.terms)(text),
  'nearest-name.ts nearestName': text => nearestName(text, ['claude-haiku-4-5', 'gpt-5']),
  'lab/transcript/json-value.ts parsedOrText': parsedOrText,
  'lab/transcript/json-value.ts textOf': textOf,
  'lab/transcript/read-ai-sdk.ts readAiSdk': text =>
    readAiSdk([{ id: '1', role: 'user', parts: [{ type: 'text', text }] }]),
  'lab/transcript/read-chatgpt.ts readChatGpt': text =>
    readChatGpt([
      {
        title: text,
        mapping: {
          a: {
            id: 'a',
            parent: null,
            children: [],
            message: { id: 'a', author: { role: 'user' }, content: { content_type: 'text', parts: [text] } },
          },
        },
        current_node: 'a',
      },
    ]),
  'lab/transcript/read-openai.ts readOpenAI': text =>
    readOpenAI({
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', content: [{ type: 'text', text }] },
      ],
    }),
  'lab/transcript/read-session.ts readSession': text =>
    readSession({ messages: [{ seq: 1, role: 'user', content: text }] }),
  'lab/transcript/read-telegram.ts readTelegram': text =>
    readTelegram({
      name: text,
      messages: [
        {
          id: 1,
          type: 'message',
          date: '2026-02-10T12:00:00',
          from: text,
          from_id: 'user1',
          text: [text, { type: 'bold', text }],
        },
      ],
    }),
  'lab/transcript/recognize.ts looksLikeMessage': text => looksLikeMessage({ role: text, content: text }),
  'lab/transcript/recognize.ts recognize': text => recognize({ messages: [{ role: text, content: text }] }),
  'log/align-history.ts alignHistory': text =>
    alignHistory([message(text) as never, { ...message(text, 2), role: 'assistant' } as never], [
      message(text),
      { role: 'assistant', content: text },
      message(`${text}!`),
    ] as never),
  'log/align-history.ts saysTheSame': text =>
    saysTheSame({ role: 'assistant', content: text }, { role: 'assistant', content: `${text} ` }),
  'log/content.ts contentText': text => contentText([{ type: 'text', text }]),
  'log/content.ts interruptionOf': text => interruptionOf(text),
  'log/content.ts undeliveredOf': text => undeliveredOf(text),
  'log/content.ts mediaIn': mediaIn,
  'log/content.ts modelText': text =>
    modelText([{ type: 'tool-result', toolCallId: 'a', output: { text } } as never]),
  'log/instant.ts parseInstant': text => parseInstant(text, ZONE),
  'log/instant.ts isZone': isZone,
  'log/lines.ts splitLines': text => splitLines(text),
  'log/lines.ts withPlainLineBreaks': text => withPlainLineBreaks(text),
  'log/links.ts contentLinks': text => contentLinks(text),
  'log/normalize-message.ts checkId': text => checkId('id', text),
  'log/normalize-message.ts isId': isId,
  'log/normalize-message.ts normalizeContent': text =>
    normalizeContent({ content: [{ type: 'text', text }] }),
  'log/normalize-message.ts normalizeMessage': text =>
    normalizeMessage({ role: 'user', text, sender: text, at: text, zone: text } as never, { zone: ZONE }),
  'log/recalled.ts searchableText': text => searchableText([{ type: 'text', text }]),
  'log/recalled.ts withoutRecalled': text => withoutRecalled([message(text)]),
  'log/whole-characters.ts headOf': text => headOf(text, text.length - 1),
  'log/whole-characters.ts tailOf': text => tailOf(text, text.length - 1),
  'log/window.ts normalizeWindowMessage': text =>
    normalizeWindowMessage({ role: 'user', content: text }, 'window'),
  'memory/condense-document.ts applyCondensed': text =>
    applyCondensed(text, { lines: text.split('\n').slice(0, 50), by: ['- a'] } as never),
  'memory/day-spoken-of.ts daySpokenOf': text => daySpokenOf(text, MOMENT),
  'memory/document-work.ts checkText': checkText,
  'memory/document/body.ts checkBody': text => checkBody('content', text, 'A'),
  'memory/document/clip-document.ts clipDocument': text => clipDocument(text, 1_000),
  'memory/document/inert-line.ts inertLine': inertLine,
  'memory/document/lines.ts datedLine': text => datedLine('2026-02-10', text),
  'memory/document/lines.ts listLines': listLines,
  'memory/document/lines.ts replaceLines': text =>
    replaceLines(text, { lines: listLines(text).slice(0, 100), by: ['- b'] }),
  'memory/document/lines.ts sayingOf': sayingOf,
  'memory/document/lines.ts withLines': text => withLines(text, 'A', text.split('\n')),
  'memory/document/lines.ts withoutLines': text => withoutLines(text, text.split('\n')),
  'memory/document/markdown-lines.ts closeFence': closeFence,
  'memory/document/markdown-lines.ts closesFence': text => closesFence(text, '```'),
  'memory/document/markdown-lines.ts headingOf': headingOf,
  'memory/document/markdown-lines.ts isBlank': isBlankMarkdown,
  'memory/document/markdown-lines.ts openedFence': openedFence,
  'memory/document/markdown-lines.ts scanLines': text => run(scanLines(text) as never),
  'memory/document/markdown-lines.ts trimBlankLines': trimBlankLines,
  'memory/document/markdown-lines.ts withLineBreak': withLineBreak,
  'memory/document/normalize-markdown.ts normalizeMarkdown': normalizeMarkdown,
  'memory/document/over-budget.ts condensedLine': text => condensedLine('2026-02-10', '2026-02-11', text),
  'memory/document/over-budget.ts dayOfLine': dayOfLine,
  'memory/document/over-budget.ts linesToCondense': text =>
    linesToCondense(text, { budgetTokens: 10, targetTokens: 5 }),
  'memory/document/section-name.ts checkSectionName': checkSectionName,
  'memory/document/section-name.ts parseSectionName': parseSectionName,
  'memory/document/sections.ts appendText': text => appendText(text, text, 'A'),
  'memory/document/sections.ts listSections': listSections,
  'memory/document/sections.ts readSection': text => readSection(text, 'A'),
  'memory/document/sections.ts replaceSection': text => replaceSection(text, 'A', text),
  'memory/document/template.ts findHeading': text => findHeading(text, ['Profile', 'A']),
  'memory/document/template.ts sectionIn': text => sectionIn(text, 'History'),
  'memory/layers/recent-changes.ts renderRecentChanges': text => {
    const layer = (content: string, version: number) =>
      ({ layer: 'global', key: '', content, version, tokens: 1 }) as never
    return renderRecentChanges(
      { frozen: [layer(text, 1)], current: [layer(`${text}\n${text.replaceAll('a', 'b')}`, 2)] },
      {
        session: { id: 's', kind: 'private', user: null, scope: null } as never,
        language: 'en',
        mostTokens: 400,
      },
    )
  },
  'memory/tools/check-arguments.ts checkArguments': text =>
    checkArguments(definitionsIn('en').query_history, { query: text, sender: text }, textsOf('en').tools),
  'memory/workspace/file-names.ts decodeId': decodeId,
  'memory/workspace/file-names.ts documentOf': text => documentOf(`users/${text}.md`),
  'memory/workspace/file-names.ts documentOfShortened': text => documentOfShortened(`users/${text}.md`, text),
  'memory/workspace/file-names.ts encodeId': encodeId,
  'memory/workspace/file-names.ts isShortened': isShortened,
  'memory/workspace/line-diff.ts withoutCommon': text =>
    withoutCommon(text.split('\n').slice(0, 2_000), text.split('\n').slice(5, 2_000)),
  'memory/workspace/merge-lines.ts isBlankLine': isBlankLine,
  'memory/workspace/merge.ts mergeDocuments': text => {
    const [base, ours, theirs] = halves(text)
    return mergeDocuments({ base, ours, theirs })
  },
  'memory/workspace/sections.ts splitSections': splitSections,
  'memory/workspace/workspace-file.ts parseFile': text => [
    parseFile({ layer: 'global', key: '' }, text),
    parseFile({ layer: 'daily', day: '2026-02-10' }, text),
  ],
  'memory/workspace/workspace-file.ts readFile': text => readFile(Buffer.from(text)),
  'memory/workspace/workspace-file.ts readIdLine': readIdLine,
  'memory/workspace/workspace-file.ts renderFile': text => [
    renderFile({ layer: 'global', key: '' }, [{ key: '', content: text }]),
    renderFile({ layer: 'daily', day: '2026-02-10' }, [{ key: '2026-02-10/a', content: text }], text),
  ],
  'redaction/secrets.ts redactSecrets': text => redactSecrets(text),
  'runtime/attention.ts isNamed': text => isNamed(text, ['Ann', 'bot', '漢']),
  'runtime/channels/telegram/clean-name.ts cleanName': cleanName,
  'runtime/channels/telegram/hide-token.ts hideInValue': hideInValue,
  'runtime/channels/telegram/hide-token.ts hideSecrets': hideSecrets,
  'runtime/channels/telegram/hide-token.ts hideToken': text => hideToken(text, '123:abc'),
  'runtime/channels/telegram/hide-token.ts hideTokens': hideTokens,
  'runtime/channels/telegram/rich-text.ts richText': text =>
    richText({ blocks: [{ type: 'paragraph', text: [text, { type: 'bold', text }] }] } as never),
  'language/spoken.ts languageOfText': languageOfText,
  'language/spoken.ts spokenLanguage': spokenLanguage,
  'runtime/responders/question.ts isMarkedQuestion': isMarkedQuestion,
  'runtime/responders/question.ts isQuestion': isQuestion,
  'runtime/responders/question.ts soughtIn': soughtIn,
  'runtime/markdown/parse-markdown.ts parseMarkdown': parseMarkdown,
  'runtime/split-markdown.ts splitMarkdown': text => splitMarkdown(text, 4_096),
  'runtime/split-text.ts splitText': text => splitText(text, 4_096),
  'search/dates.ts findDates': text => findQueryDates(normalizeText(text)),
  'search/excerpt.ts excerptOf': text => excerptOf(text, QUERY, { length: 160 }),
  'search/index-messages.ts indexMessages': text =>
    indexMessages([{ seq: 1, text, speaker: 'Ann', minutes: 1 }]),
  'search/normalize-text.ts normalizeText': normalizeText,
  'search/normalize-text.ts normalizeWithOrigins': normalizeWithOrigins,
  'search/normalize-text.ts normalizeTextInSteps': text => run(normalizeTextInSteps(text)),
  'search/normalize-text.ts normalizedPieces': text => [...normalizedPieces(text)],
  'search/occurs-in.ts indexOfWhole': text =>
    ['a', 'a a', 'word', '漢字', '"'].map(piece => indexOfWhole(text, piece)),
  'search/phrases.ts refine': text => runAtOnce(refine([{ seq: 1, score: 1 }], () => text, QUERY)),
  'search/query.ts parseQuery': text => parseQuery(text, { zone: ZONE }),
  'search/rank-lines.ts rankLines': text => rankLines(text, text.split(' ').slice(0, 50)),
  'search/rank.ts rank': text =>
    rank(
      parseQuery(text, { zone: ZONE }),
      indexMessages([{ seq: 1, text, speaker: 'Ann', minutes: 1 }])(parseQuery(text).terms),
      { limit: 10 },
    ),
  'search/speakers.ts namedSpeakers': text => namedSpeakers(text, ['Ann', 'Ben', '漢字']),
  'search/terms.ts countTerms': countTerms,
  'search/terms.ts countTermsInSteps': text => run(countTermsInSteps(text)),
  'search/terms.ts eachTermInSteps': text => run(eachTermInSteps(text, () => {})),
  'search/terms.ts visitTerms': text => visitTerms(text, () => {}),
  'server/completions/fingerprint.ts Prints': text =>
    new Prints().of({ role: 'assistant', content: text } as never),
  'server/completions/named-session.ts decodedHeader': decodedHeader,
  'server/completions/named-session.ts headerText': headerText,
  'server/completions/read-parts.ts readParts': text =>
    readParts(
      [
        { type: 'text', text },
        { type: 'image_url', image_url: { url: text } },
      ],
      'messages[0]',
    ),
  'server/completions/read-parts.ts textIn': text => textIn(text, 'messages[0]'),
  'server/document-name.ts readDocumentName': text => readDocumentName('user', text),
  'server/event-position.ts readPosition': readPosition,
  'server/keys/written-key.ts parseKey': parseKey,
  'server/problems.ts invalidArguments': text =>
    invalidArguments([{ field: text, value: text, allowed: 'none' }]),
  'server/parse-json.ts parseJsonInSteps': text =>
    [text, `[${text}`, JSON.stringify({ [text]: [text, 1] })].map(json =>
      attempt(() => run(parseJsonInSteps(json, { maxDepth: 256, maxValues: 1e9 }))),
    ),
  'server/read-body.ts malformed': malformed,
  'store/canonical-json.ts canonicalJson': text => canonicalJson({ [text]: [text] }),
  'store/operation.ts operationOf': text => operationOf(text, { text }),
  'store/session-file.ts parseSessionFile': text =>
    parseSessionFile({ format: text, version: 1, session: text, messages: [{ seq: 1, content: text }] }),
  'store/sql/facts.ts lineKeys': lineKeys,
  'store/sql/facts.ts replaceLines': text => replaceFactLines(text, line => (line.length > 3 ? null : [])),
  'store/sql/facts.ts standsIn': text => standsIn(text)('- a'),
  'store/sql/facts.ts withoutLines': text => withoutFactLines(text, ['- a']),
  'store/sql/keys.ts digestOf': digestOf,
  'store/sql/keys.ts keyOf': keyOf,
  'store/sql/rows.ts decodeContent': text => decodeContent(encodeContent([{ type: 'text', text }])),
  'store/sql/rows.ts encodeContent': text => encodeContent(text),
  'summarizer/extractive/extractive.ts extract': text =>
    run(
      extract({
        messages: [message(text), message('What?', 2), message(text, 3)],
        earlier: text,
        budgetTokens: 1_000,
        detailTokens: 300,
        zone: ZONE,
        extracts: { most: 10 } as never,
      }),
    ),
  'summarizer/extractive/facts.ts extractFacts': text =>
    run(
      extractFacts({
        layer: 'user',
        subject: { id: 'ann', name: 'Ann' },
        messages: [message(text)],
        sources: new Set([1]),
        known: text.split('\n').slice(0, 100),
        zone: ZONE,
      }),
    ),
  'summarizer/clip.ts clip': text => clip(text, 1_000),
  'summarizer/clip.ts clipMiddle': text => clipMiddle(text, 1_000),
  'log/one-line.ts oneLine': text => oneLine(text),
  'log/people/name-keys.ts nameKeys': nameKeys,
  'log/people/stands-alone.ts standsAlone': text => standsAlone(text, 'a', PEOPLE),
  'log/people/stands-alone.ts isWordAt': text => isWordAt(text, 0, 'a'),
  'log/people/stands-alone.ts isMarkedAt': text => isMarkedAt(text, 0, PEOPLE[0]!),
  'compaction/people.ts withNames': text =>
    withNames({ summary: text, events: [], details: [text], people: PEOPLE }, new WhoIsWho(PEOPLE)),
  'context/legends.ts legendsOf': text => legendsOf([{ text, people: PEOPLE }]),
  'memory/people-line.ts listedPeople': text => listedPeople(`## Basic information\n- With: ${text}`),
  'memory/people-line.ts withPeopleListed': text =>
    withPeopleListed(`## Basic information\n- With: ${text}`, PEOPLE),
  'memory/people-line.ts withSpeakerMarked': text =>
    withSpeakerMarked(text, PEOPLE[0]!, new WhoIsWho(PEOPLE)),
  'memory/people-line.ts withoutMark': withoutMark,
  'summarizer/speakers.ts speakerIn': text =>
    speakerIn(whoSpeaks([message('', 2)]), { sender: { id: text, name: text }, role: 'user' }),
  'summarizer/extractive/assent.ts isAssent': isAssent,
  'summarizer/extractive/assent.ts isRefusal': isRefusal,
  'summarizer/extractive/negations.ts isNegated': isNegated,
  'summarizer/extractive/negations.ts isConditional': isConditional,
  'summarizer/extractive/negations.ts belongTogether': text => belongTogether(text, text),
  'summarizer/extractive/negations.ts leavesOpen': text => leavesOpen(text, { isNextTheirs: false }),
  'summarizer/extractive/negations.ts isOpenNegation': isOpenNegation,
  'summarizer/extractive/negations.ts isVerdict': isVerdict,
  'summarizer/extractive/questions.ts asksWithoutMark': asksWithoutMark,
  'summarizer/extractive/questions.ts isBare': isBare,
  'summarizer/extractive/questions.ts isFragment': isFragment,
  'summarizer/extractive/signals.ts isVote': isVote,
  'summarizer/extractive/signals.ts saysNothing': saysNothing,
  'summarizer/extractive/signals.ts worthOf': text => worthOf(text, 1),
  'summarizer/extractive/values.ts findValues': findValues,
  'summarizer/extractive/values.ts valueKey': valueKey,
  'log/origin.ts hasOrigins': text => hasOrigins(passedOn(text)),
  'log/origin.ts ownContent': text => ownContent(passedOn(text)),
  'log/origin.ts ownText': text => ownText(passedOn(text)),
  'log/origin.ts byOrigin': text => byOrigin(passedOn(text)),
  'log/quotation.ts shortQuotation': shortQuotation,
  'context/provider-tools.ts understands': text => understands(text, { toolCallId: 'c-1' }),
  'context/render-origin.ts quoted': quoted,
  'summarizer/pasted-signs.ts isQuotedLine': isQuotedLine,
  'summarizer/pasted-signs.ts isDashes': isDashes,
  'summarizer/pasted-signs.ts salutationIn': salutationIn,
  'summarizer/pasted-signs.ts closingIn': text => closingIn(text, { isSameLine: false }),
  'summarizer/pasted-signs.ts leadIn': leadIn,
  'summarizer/pasted.ts splitPasted': text => splitPasted(text, ['Ann']),
  'summarizer/extractive/personal-words.ts isJob': isJob,
  'summarizer/extractive/signals.ts tellsNeed': tellsNeed,
  'summarizer/extractive/missing-details.ts missingDetails': text =>
    run(missingDetails([message(text)], { zone: ZONE, said: text.slice(0, 2_000), limit: 300 })),
  'summarizer/extractive/missing-details.ts says': text => says(text, text.slice(0, 3)),
  'summarizer/extractive/put-right.ts readCorrection': readCorrection,
  'summarizer/extractive/material.ts opensMaterial': opensMaterial,
  'summarizer/extractive/material.ts treatsText': treatsText,
  'summarizer/extractive/material.ts unquoted': text => run(unquoted(splitSentences(text)) as never),
  'summarizer/extractive/own-clauses.ts isLead': isLead,
  'summarizer/extractive/own-clauses.ts ownClauses': text => ownClauses(text),
  'summarizer/extractive/not-quoted.ts isPasted': isPasted,
  'summarizer/extractive/not-quoted.ts isQuotation': isQuotation,
  'summarizer/extractive/not-quoted.ts withoutQuotations': withoutQuotations,
  'summarizer/extractive/personal-statements.ts findPersonal': findPersonal,
  'summarizer/extractive/personal-statements.ts readLine': text => readLine(text, 'Ann'),
  'summarizer/extractive/ended-statements.ts findEnded': text => findEnded(ownClauses(text)),
  'summarizer/extractive/ended-statements.ts isEndedBy': text =>
    isEndedBy({ slot: null, what: text.slice(0, 60) }, { said: text, slots: new Set() }),
  'summarizer/extractive/taken-back.ts isTakenBack': isTakenBack,
  'summarizer/extractive/taken-back.ts takesBack': takesBack,
  'summarizer/extractive/place-statements.ts findOfPlace': findOfPlace,
  'summarizer/extractive/readable.ts readPassages': text => run(readPassages(text)),
  'summarizer/extractive/readable.ts readableText': text => readableText(text),
  'summarizer/extractive/sentences.ts splitSentences': text => run(splitSentences(text) as never),
  'summarizer/extractive/units.ts withDays': text => withDays(text, 0, findDates(text, MOMENT)),
  'summarizer/extractive/worth-remembering.ts worthRemembering': text =>
    worthRemembering(text, { hasCue: false, hasName: false }),
  'summarizer/extractive/words.ts forEachWord': text => forEachWord(text, () => {}),
  'summarizer/memory-line.ts comparable': comparable,
  'summarizer/memory-line.ts memoryLine': memoryLine,
  'summarizer/memory-line.ts shortLine': shortLine,
  'summarizer/memory-line.ts undatedLine': undatedLine,
  'summarizer/model/answer-fields.ts readDay': readDay,
  'summarizer/model/answer-fields.ts readNumber': readNumber,
  'summarizer/model/answer-fields.ts withoutThinking': withoutThinking,
  'summarizer/model/find-object.ts findObject': text => findObject(text),
  'summarizer/model/neutralize.ts block': text => block('memo', text),
  'summarizer/model/neutralize.ts neutralize': neutralize,
  'summarizer/model/neutralize.ts neutralizeForFacts': neutralizeForFacts,
  'summarizer/model/neutralize.ts withoutBytes': withoutBytes,
  'summarizer/model/read-answer.ts readAnswer': text => [
    readAnswer(text, [1]),
    readAnswer(JSON.stringify({ summary: text, details: [text], extracts: [] }), [1]),
  ],
  'summarizer/model/read-answer.ts readMemoAnswer': readMemoAnswer,
  'summarizer/model/read-facts.ts readFacts': text =>
    readFacts(text, { layer: 'user', sources: new Set([1]), lines: 3 }),
  'summarizer/model/render-source.ts renderMessages': text => renderMessages([message(text)], ZONE),
  'summarizer/model/render-source.ts renderSummaries': text => renderSummaries([message(text)], ZONE),
  'summarizer/model/says-overflow.ts saysOverflow': saysOverflow,
  'summarizer/model/take-piece.ts cutText': text => cutText(text, 1_000),
  'summarizer/model/take-piece.ts takePiece': text => {
    for (let rest = renderMessages([message(text)], ZONE); rest.length > 0; )
      rest = [...takePiece(rest, 2_000).rest]
  },
  'summarizer/day-words.ts findDayWords': text => findDayWords(text, lowerCase(text)),
  'summarizer/day-words.ts lowerCase': lowerCase,
  'summarizer/east-asian-days.ts findEastAsian': text => findEastAsian(text, []),
  'summarizer/relative-dates.ts findDates': text => findDates(text, MOMENT),
  'summarizer/relative-dates.ts namesAnotherDay': namesAnotherDay,
  'summarizer/relative-dates.ts readDays': text => readDays(text, MOMENT),
  'summarizer/tense/chinese-tense.ts tellChinese': text => tellChinese(text, null),
  'summarizer/tense/clauses.ts splitClauses': splitClauses,
  'summarizer/tense/english-tense.ts tellEnglish': text => tellEnglish(text, null),
  'summarizer/tense/japanese-tense.ts tellJapanese': tellJapanese,
  'summarizer/text-problem.ts findTextProblem': findTextProblem,
  'summarizer/text-problem.ts isTooShort': text => isTooShort(text, 100),
  'summarizer/worth-keeping.ts isWorthKeeping': isWorthKeeping,
  'tokens/estimate-tokens.ts estimateTokens': estimateTokens,
  'tokens/estimate-tokens.ts estimateTokensInSteps': text => run(estimateTokensInSteps(text)),
  'tokens/measure-message.ts measureMessageInSteps': text =>
    run(measureMessageInSteps({ content: text, sender: null })),
  'tokens/measure-message.ts measureMessage': text => measureMessage({ content: text, sender: { id: text } }),
}
