/**
 * What tells in English whether a clause speaks of a day ahead or of a day gone by. Each entry is a piece of
 * a regular expression between word boundaries. A sign goes into the list that says what it tells about the
 * clause. A doubtful word belongs into `UNSURE`: a day that is left as it was said does no harm.
 */

/** Taken out before any other search: words that look like a sign and are none. */
export const NEUTRAL = [
  "had better|'d better",
  // Reported speech: the reported words tell, not the verb of reporting.
  "(?:i )?(?:just )?(?:heard|noticed|saw|found out|read|realized|realised|learned|forgot|reckon|guess|bet|said|says|told (?:me|us|him|her|them|you)|texted|wrote|mentioned|announced|confirmed|promised|assured (?:me|us))(?= (?:that )?(?:(?:the|it|it's|she'll|he'll|they'll|we'll|she's|he's|they're|no|we|he|she|they|you|i|our|my|your|there) |its |(?:not )?to [a-z]|if |whether ))",
  'hope(?=s? .{1,24}(?<![a-z])(?:had|went|was|were|got|enjoyed|made)(?![a-z]))',
  '(?:just )?wanted to (?:ask|say|check|know|let you know|remind you|tell you|make sure)',
  // A question takes its tense from its first word.
  "(?<=did(?:n't)? )(?:i|you|u|we|they|he|she|it|anyone|anybody|everyone|(?:the |your |my |our )?[a-z]+) [a-z]+",
  // The perfect tells that something is done, not when.
  "(?<!(?:should|must|could|would|might|may|can't|shouldn't|couldn't) (?:(?:i|we|you|he|she|they|it) )?)(?:have|has|'ve|'s) (?:just |already |now |also |finally |officially |only |not |never |since )*(?:been )?(?:[a-z]+ed|been|become|gone|done|had|made|taken|given|seen|found|sent|told|written|come|begun|bought|paid|left|lost|won|heard|spoken|set|put|cut|run|met|kept|held|sold|built|broken|chosen)",
  // What a person or a thing is.
  "(?<=(?<![a-z])(?:be|is|are|am|im|get|gets) |'(?:s|re|m) )(?:(?:not|so|too|very|really|all|still|both|more|quite|super|pretty) )?(?:[a-z]+ed|sold out|done|gone|lost|left)",
  '(?<=(?<![a-z])(?:feel|feeling|so|too|very|really|pretty|super|still|quite|all|not|more|both|been|how) )(?:prepared|married|engaged|invited|booked|closed|packed|planned|scheduled|expected|required|needed|finished|limited|allowed|sold out|reserved|psyched|pumped|stoked|hyped|annoyed|confused|overwhelmed|terrified|determined|divorced|delayed|cancelled|canceled|done|gone|lost|left)',
  // What describes a noun: "the signed contract".
  '(?<=(?<![a-z])(?:the|a|an|my|your|our|his|her|their|any|some) )[a-z]+ed(?= [a-z])',
  'left over|leftover',
] as const

/** With one of these, the clause says nothing that is certain. */
export const UNSURE = [
  // What a person thought or meant; the truth may be otherwise.
  "thought|assumed|figured|believed|(?:was|were|been|be|wasn't|weren't) supposed|was to|were to|originally|initially|was meant|were meant|meant to",
  "(?:was|were|wasn't|weren't|been) (?:\\w+ )?(?:going to|gonna|due|scheduled|booked|planned|planning|set|hoping|thinking|wondering|considering|expected|expecting|aiming|looking|about|free|available|off|invited|coming|leaving|flying|meeting|arriving|starting|getting|taking|having|doing|moving|seeing|visiting|driving|travelling|traveling)",
  '(?:wanted|hoped|intended|expected|planned|tried|needed|wished|promised|offered|asked|refused|vowed|swore) to',
  "(?:would|could|might|may|wouldn't|couldn't|might not|may not)(?:'ve| have|ve|a)",
  "wouldn't|couldn't|instead of|rather than|as if|like it's|used to|was the (?:plan|idea|deadline|original|date|due)|(?:wasn't|weren't) (?:it|the|that|this|we|our|your|there)|(?<=^ *)was (?:it|the|that|this|our|your|my|a)|(?:should|could|would|must) (?:i|we|you|he|she|they|it) have|didn't we say",
  "wish(?! (?:i|we|you|he|she|they)(?:'d| had) )|if only|suppose|imagine|pretend",
  "not sure|unsure|dunno|don't know|no idea|idk|not certain|can't remember|don't remember|forget whether|unclear",
  'cancel|cancels|cancelled|canceled|cancelling|canceling|cancellation|called off|scrapped',
  // What happens again and again.
  'always|usually|normally|typically|generally|often|sometimes|whenever|every|each|weekly|biweekly|once a|twice a|per week|a week|tend to|tends to',
  // The thanks do not tell which day it was; only what follows from it can.
  '(?:thanks|thank you|thx|ty)(?: [a-z]+){0,2} for [a-z]+ing',
  '(?:good|great|nice|lovely|fun|pleasure) (?:to see|seeing|to meet|meeting|catching up)',
  'what if|(?:is|are|was) (?:like |always |still |by far )*(?:my|our|the|his|her|their|your) (?:favou?rite|least|worst|best|busiest|usual|only|quietest|longest|hardest)',
  'over by|tentatively|possibly|perhaps',
  'song|movie|film|album|episode|book called|novel|titled|band called',
] as const

/** The day may be the one asked for, or the day of the asking: "did we decide on Friday". */
export const ASKED_FOR = [
  "did(?:n't)? (?:you|u|we|they|he|she|i) (?:already |ever |just )?(?:book|reserve|schedule|confirm|plan|arrange|order|invite|agree|decide|say|pick|choose|ask|request|register|sign up)",
] as const

/** The day may be what the thing is for, or the day of getting it: "I picked up extra shifts Wednesday". */
export const GOT =
  /(?:got|gotten|picked up|grabbed|snagged|bought|found|scored|nabbed|took|secured|traded|swapped|made|booked|has|have) (?:[a-z'-]+ ){0,4}(?:shifts?|slots?|tickets?|tix|appointment|seats?|table|flights?|reservations?|spots?|booking|sitter|babysitter|plans) $/

/** As doubtful, unless words right before the day decide: "we agreed on Friday", "it was moved to Friday". */
export const ARRANGING = [
  // The day may be the day of the arranging or the day that was arranged: "we agreed on Friday".
  '(?:re)?(?:book|schedul|plann?|arrang|agre|decid|reserv|postpon|confirm|invit|promis|propos|suggest|organi[sz]|offer|request|ask|announc|want|hop|expect|settl|commit|register|vot|opt)ed',
  'moved(?! (?:house|in|out|here|there|into|away|back|to (?:a|the|our|my))(?![a-z]))|pushed|signed up|put off|set|was told|were told|told|heard|mentioned|forgot|forgotten|remembered',
] as const

/** The agreeing is over, but what was agreed on lies ahead. */
export const AGREED = [
  "(?:we|we've|we have|they|everyone)(?: all| both| just| finally| also)* (?:decided|agreed|arranged) to [a-z]+",
] as const

/** What a person is doing; stands behind "is" or "'re". */
export const DOING =
  '(?:(?:not|also|still|all|both|just|only|already|finally|probably|definitely|actually|then|really) )*(?!being|thing|king|nothing|something|anything|everything|during|spring|morning|evening|having (?:a |the )?(?:blast|time)|boring|amazing|interesting|annoying|missing)[a-z]{2,}ing'

/** These certainly speak of what is ahead. */
export const AHEAD = [
  "will|won't|wont|'ll|i'll|ill (?:b|be|see|call|text|come|get|do|send|let|try|have|take|pick|bring)|gonna|going to|shall|let's|lets|please|pls|plz|(?<=^ *(?:ok |so |and |then )*)let us|gotta|finna|tryna|wanna",
  "needs?(?! been)|have to|has to|having to|(?:'ve |have |has |'s )?got to|must(?!'?ve| have|a)|should(?!'?ve| have|a|n't have)|shouldn't(?! have)|ought to|has got|have got|'ve got|'s got",
  "can(?:'t|not|t)?|could (?:you|we|u|i|someone|anyone|somebody|anybody|they|he|she)|may (?:i|we)|(?:might|may)(?! have|'ve)(?= \\w+)",
  "would (?:you|love|like|be (?:great|good|nice|better|perfect|fine|ideal|ok|okay|best|lovely)|prefer|work|suit)|'d (?:like|love|prefer)|works? for|(?:is|are|'s|'re|am|'m) (?:about|due|supposed|set|scheduled|planned|booked|expected|meant|bound|sure|likely|hoping|planning|thinking|free|available|away|off)",
  "wants?|hopes?|hoping|plans?|planning|intends?|aim|aiming|due|upcoming|deadline|reminder|remind|remember to|don't forget|dont forget|do not forget|make sure|be sure|keep .{1,20} free|save the date|can't wait|cant wait|look(?:ing)? forward|good luck|fingers crossed|wish me luck",
  `(?:is|are|am|im|hes|shes|theyre|youre|r|we|they) ${DOING}`,
] as const

/**
 * Mostly of what is ahead. They may also state what is true in general, or tell a story as if it were now.
 */
export const PRESENT = [
  "am|is|are|isn't|isnt|aren't|arent|ain't|r|i'm|im|we're|you're|they're|theyre|youre|it's|that's|he's|she's|there's|here's|what's|who's|where's|when's|how's|everyone's|whats|whos|whens|wheres|thats|hes|shes|its|'re|'m",
  "starts?|leaves|opens|begins?|ends|closes|arrives?|lands|departs|comes|goes|meets|has|works|plays|falls|finishes|returns|flies|gets|moves|visits|reopens|resumes|expires|renews|drops|ships|launches|airs|premieres|releases|graduates|retires|quits|joins|drives|brings|runs|hosts|pays|sees|suits|delivers|turns|does|doesn't|doesnt|takes|stays|travels|performs|presents|sings|teaches|checks|kicks off|wraps up|lasts|brings|sails|marries|come (?:out|off)",
  // Verbs whose past looks the same are left out.
  "(?:i|we|you|u|they|y'all|kids|people|guys|folks|both|all)(?: (?:all|both|also|still|then|only|just|even|don't|dont|do|can|probably|definitely|actually))* (?!(?:put|cut|hit|let|read|set|quit|hurt|cost|shut|spread|bet|beat|cast|split|burst|bent|lit|lay|ground|wound|bore|sat|got|said|told|heard|thought|had|could|would|might|may|all|both|never|always|too|and|or|who|that|just|also|still|then|only|even|[a-z]{3,}(?<!rep|app|supp)ly|are|am|is|was|were|did|went|for|on|at|in|to|of|with|the|a|by|from|mean|guess|think|wish|hope|suppose|believe|know|remember|love|like|hate|get to|walk in|wake up|show up|open)(?![a-z])|[a-z]+ed(?![a-z]))[a-z]{2,}",
  '(?<=(?<![a-z])[a-z]{2,}s )(?:come|go|leave|start|open|close|arrive|begin|end|land|play|meet|return|ship|resume|finish|air|drop)',
  '(?:do|does) (?:you|we|they|he|she|it|u|i|anyone|everyone|that|this|the|your|monday|tuesday|wednesday|thursday|friday|saturday|sunday)',
  "(?:are|is|am|u|you|anyone|anybody|who's|you're|i'm|we're) (?:still |all |both )?(?:up|in|down|game) for",
  '(?:free|available|around|any plans|plans|rsvp|eta|forecast|appt|appointment)',
  '(?<=^ *(?:ok |so |and |but |i will be )*)back(?! (?:then|when|pain))',
  '(?:no|any) (?:class|classes|school|work|practice|training|meetings?|lessons?|lecture|gym|shift|service|delivery|standup|church|rehearsal|buses|trains)',
  '(?:said|says|told (?:me|us|him|her|them|you)|asked (?:me|us|him|her|them|you)) (?:not )?to [a-z]+',
] as const

/** An order, a wish or a farewell at the beginning of a clause. */
export const ORDERS = [
  "(?:ok |okay |so |and |then |also |hey |hi |well |yes |no |sure |great |please |pls |plz |kindly |just |maybe |first |ps )*(?:please|pls|plz|don't|dont|do not|remember|call|text|ring|email|mail|send|bring|come|meet|join|pick|drop|save|keep|tell|let|make|take|be|check|buy|get|give|wait|submit|return|leave|stay|finish|enjoy|have|pay|prepare|pack|wear|expect|hmu|lmk|ping|dm|visit|turn|hand|water|feed|ask|show|use|stop|start|go|see|cu|c u|c ya|cya|catch|talk|speak|collect|upload|deliver|report|vote|watch|wish|hold|reply|answer|sign|mark|add|move|swap|try|come|arrive|change|contact)",
  '(?:not )?(?!morning|evening|nothing|something|anything|everything|thing|during|king|ring|spring|string|being|having)[a-z]{2,}ing',
] as const

/** These certainly speak of what is over. */
export const PAST = [
  "was|wasn't|wasnt|were|weren't|werent|did|didn't|didnt|had|hadn't|hadnt",
  'went|came|took|gave|knew|felt|kept|left|brought|caught|taught|sent|spent|slept|lost|won|paid|sold|stood|ran|began|broke|chose|drove|ate|fell|flew|grew|held|hid|led|lent|rode|rose|sang|sank|spoke|stole|swam|threw|woke|wore|wrote|drew|drank|dreamt|burnt|built|dealt|blew|shook|shot|stuck|struck|swore|tore|understood|fought|met|made|saw|found|became|bought|sat down|laid|bled|sprained|froze|ran out|bit|sunk|overslept|awoke|bred|clung|crept|dug|dove|fed|fled|flung|forbade|hung|knelt|leapt|leant|rang|shone|slid|smelt|sped|spun|spat|sprang|stung|stank|swept|swung|sought|snuck|wept|shrank|arose|rebuilt|redid|sat (?:next|through|in|on|with|there|by|at)|forgave|withdrew|died|arrived|happened|landed|graduated|collapsed|crashed|fainted|vanished|disappeared|failed|passed out',
  'got (?:back|home|here|there|in|out|up|married|engaged|fired|hired|promoted|paid|sick|hurt|stuck|drunk|worse|better|lost|caught|robbed|into|off|through|rid|divorced|discharged|released|accepted|rejected|soaked|food poisoning|(?:the|my|our|his|her|their) (?:\\w+ )?(?:results?|news|call|letter|emails?|keys?|job|offer|license|licence|diagnosis|money|refund|parcel|package))',
  "should(?:'ve| have|ve|a)|must(?:'ve| have|ve|a)|shouldn't have|can't have|couldn't have been|passed away|ran out|showed up|turned up|(?:i|we|he|she|they) (?:quit|hurt) (?:my|his|her|their|our)",
  'yesterday|ago|last (?:week|night|month|year)',
] as const

/**
 * A verb in "ed" behind its subject is past: "she texted", "the parcel arrived". Behind these words it only
 * describes.
 */
export const NOT_BEFORE_PAST_VERB =
  /(?:^|[^a-z'])(?:am|is|are|be|been|being|get|gets|getting|got|feel|feeling|so|too|very|really|the|a|an|my|your|his|her|our|their|these|those|of|with|for|by|in|to|more|most|as|have|has|'ve|having|newly|fully|well|some|any|no|'m|'re|and|or|not|at|on|from) $/
/** Words that end in "ed" and are no past of a verb. */
export const NOT_PAST_VERBS: ReadonlySet<string> = new Set(
  (
    'need feed bleed speed seed proceed succeed exceed breed heed weed embed shed indeed hundred hundreds kindred sacred naked wicked ' +
    'rugged red bed wed sled greed creed reed deed steed ted ned fred med meds ed biped moped infrared excited tired bored ' +
    'worried scared interested exhausted thrilled pleased delighted relieved stressed concerned supposed retired beloved ' +
    'crowded talented gifted experienced unlimited united limited advanced related assorted used'
  ).split(' '),
)

/** The subject is left out: "finished my essay on Sunday". */
export const BEGINS_WITH_PAST =
  /^ *(?:just |finally |already |also |then )?([a-z]{2,}ed) (?:my|the|a|an|our|his|her|their|your|me|him|them|us|it|this|that|all|some|with|from|at|out|up|off|in|into|home|back) /

/** These stand right before the day; `on` and `the` are already allowed between. */
export const BEFORE_DAY = {
  ahead: [
    "(?:moved|postponed|rescheduled|pushed|put off|put back|delayed|shifted|switched|changed|bumped|brought forward|extended|adjourned|deferred|transferred|swapped|mov(?:e|es|ing)|push(?:es|ing)?|swap(?:s|ping)?|switch(?:es|ing)?|chang(?:e|es|ing)|shift(?:s|ing)?|postpon(?:e|es|ing)|reschedul(?:e|es|ing)|delay(?:s|ing)?|bump(?:s|ing)?)(?: [a-z\\d':/#-]+){0,4} (?:to|until|till|til)",
    '(?:tickets?|tix|seats?|spots?|slots?|places?|appointment|reservation|booking|booked)(?: [a-z-]+){0,3} for (?:the|a|an|our|my|her|his|their) [a-z-]+(?: [a-z-]+)?',
    "(?:i|we|they|she|he|you|everyone|have|has|'ve|'s) (?:all |both |finally |just )?(?:picked|chose|chosen|pick|choose)",
    "(?:book(?:ed)?|schedul(?:ed)?|plann?(?:ed)?|arranged?|reserved?|reschedul(?:ed)?|invited?|signed(?: \\w+)? up|slated|registered|postponed|confirmed|set|due|slot|appointment|reservation|tickets?|plans?|booking|seats?|ordered|order|cake|promised)(?: [a-z'-]+){0,4} for",
    '(?:excited|nervous|anxious|stoked|hyped|pumped|psyched|worried) (?:for|about)|(?:ready|prepared|all set|free|available|up|down|game|fully booked|good) for|(?:free|available|ready|fully booked) (?:on|by)',
    "look(?:ing)? forward to|can't wait (?:for|until|till|til)|cant wait (?:for|until|till|til)|cannot wait (?:for|until)|dreading|counting down to|how about|what about|let's say|lets say|let's do|lets do|let's make it|shoot for|aim for|aiming for|how does|does|would|will(?: be)?|good luck",
    'due(?: (?:on|by))?|starting|beginning|effective|upcoming|not until|not till|as from|no later than',
    "almost|nearly|now it's|it's now|is now",
  ],
  past: [
    'how was|how were|cheers for|ta for|thanks for|thank you for|thx for|thank you all for|thanks again for|(?:told|texted|emailed|called|messaged|informed|phoned|warned|notified) (?:me|us|him|her|them|you)|(?:said|wrote) on',
  ],
  present: ['by|until|till|til|thru|through|for|is'],
  /** Another day, or no certain day. */
  unsure: [
    // The day is what a person takes or gets: "I grabbed Sunday", "they gave me Saturday".
    '(?:got|took|grabbed|nabbed|snagged|requested|swapped|gave (?:me|us|him|her|them|you))(?! on)|what if|remember(?:ed|s)?|forget|miss(?:ed)?|missing|loved?|enjoyed?|hated?|survived?',
    // What a person speaks of or thinks of may be over.
    '(?<!(?:how|what|excited|nervous|anxious|worried|stoked|hyped|psyched|pumped) )about',
    'agreed|decided|settled|owe (?:me|you|us) for|sorry (?:about|for)|congrats|congratulations|congrats for|not|or|after|than|of|except|minutes of the meeting|the meeting|dated|between',
    // A thing "from" a day is from a day gone by; "off from Monday" is not.
    "(?<=[a-z] )(?<!(?:(?:i'm|we're|you're|they're|he's|she's|i am|we are|be|starts?|begins?) (?:[a-z]+ ){0,3}|(?:off|free|closed|starting|available|away|open|effective|valid|as|back|here|gone|out|home|booked|moved|moving|practice) ))from",
    "(?:said|wrote)(?! on)|(?<!now )it's|is it|was it|wasn't it|(?:it|that|this|when) was(?! on)|(?:reschedul|mov|cancel|skip|miss|chang|postpon|swapp?)(?:e|ed|ing|s|es)?(?! on)",
  ],
} as const

/** Outweighs all that is told beside it: "he's been off since Thursday". */
export const SINCE = ['since'] as const

export const AFTER_DAY = {
  /** The clause speaks of the day itself. */
  settled: [
    "(?:is|'s|works|sounds|suits|will be|would be) (?:all |so |totally |fully )?(?:sorted|booked|on|off|fine|good|perfect|free|open|ok|okay|great|best|better|ideal|for|confirmed|full|packed|taken|out|happening)",
  ],
  ahead: ["(?:works?|is|isn't|it is|would be|will|at the latest|sounds|suits|should|can|'ll|then)"],
  past: [
    "(?:was|wasn't|went|felt|sucked|did|were) (?!the (?:plan|idea|deadline|original)|supposed|meant|going|due|ok|okay|fine)",
  ],
  unsure: [
    // A story told in the present: "So Monday he tells me that he's moving out"
    '(?:i|he|she|they|we|it) (?:(?:tell|say|ask|walk|wake|find|notice|realize)s?|goes|gets? (?:to|home|there|back|in)|shows? up|looks?|turns? (?:around|up))|came up|comes up',
    "(?:after (?:next|that|this|the|easter|christmas)|before (?:last|that|the)|of|(?:is|isn't|was|wasn't|does|doesn't) *$|fortnight|in (?:a|two|three|\\d+) (?:weeks?|months?)|or|rather)",
    'in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter)',
  ],
} as const

/** A day behind a noun belongs to the noun: "I bought a present for the party on Saturday". */
export const OF_A_NOUN =
  /(?:^|[^a-z])(?:for|before|after|until|till|about|regarding|ahead of) (?:(?:the|our|my|your|his|her|their|a|an|this|that|next) )?(?:[a-z'-]+ ){1,3}on $/

/**
 * A thing that belongs to one certain day: "Friday's class is cancelled". Other words behind "'s" make a
 * saying.
 */
export const OF_A_DAY =
  /^'s (?:[a-z]+ )?(?:class|classes|meeting|game|lesson|exam|test|quiz|call|match|party|session|training|practice|appointment|shift|flight|train|rehearsal|show|concert|gig|lecture|seminar|lunch|dinner|breakfast|brunch|run|ride|hike|trip|delivery|release|deploy|deployment|launch|standup|stand-up|sync|review|demo|interview|hearing|surgery|operation|visit|event|race|workshop|talk|tour|weather|forecast|plan|plans|menu|homework|deadline|service|wedding|funeral|paper|report|episode|vote|election)(?![a-z])/
