/**
 * What people say to each other without telling anything: greetings, thanks, assent, laughter, farewells. All
 * is in lower case. A phrase may be said alone or beside others.
 */

function list(text: string): string[] {
  return text
    .split(/[|\n]/)
    .map(phrase => phrase.trim())
    .filter(Boolean)
}

/** Of languages that put spaces between words. Before a statement, these phrases say nothing about it. */
const OPENERS = list(`
  hi|hello|hey|heya|hiya|howdy|yo|greetings|hi there|hello there|hey there|good morning|good afternoon|good evening
  good day|morning|gm|ok|okay|k|kk|yes|yeah|yep|yup|ya|no|nope|nah|sure|right|well|oh|ah|um|uh|hm|hmm|mhm|aha|wow
  thanks|thank you|thx|tnx|tks|ty|thanks a lot|thanks so much|thank you so much|thank you very much|many thanks|cheers
  btw|by the way|fyi|ps|please|pls|plz|great|perfect|cool|nice|alright|all right|sorry|anyway|so|of course|got it
  welcome|good night|bye|goodbye|see you|see you later|see you soon|see you tomorrow|take care|good luck|well done
  good job|great job|nice work|great work|congrats|congratulations|happy birthday|happy new year|merry christmas
  no problem|no worries|you're welcome|sounds good|nice to meet you
  hallo|guten morgen|guten tag|guten abend|moin|servus|grüß gott|danke|danke schön|danke sehr|vielen dank|bitte|ja
  nein|genau|klar|alles klar|also
  hola|buenas|buenos días|buenos dias|buenas tardes|buenas noches|gracias|muchas gracias|mil gracias|vale|sí|si|claro
  por favor|bueno
  bonjour|bonsoir|salut|coucou|merci|merci beaucoup|oui|non|d'accord|svp
  olá|ola|oi|bom dia|boa tarde|boa noite|obrigado|obrigada|muito obrigado|muito obrigada|sim|não
  ciao|buongiorno|buonasera|grazie|grazie mille|sì
  привет|здравствуйте|доброе утро|добрый день|добрый вечер|спасибо|большое спасибо|да|нет|ок|хорошо
  안녕하세요|안녕|여러분 안녕하세요|감사합니다|고마워|고마워요|고맙습니다|네|예|응|아니요|아니
`)

/** These phrases may also follow a statement: they end it as a full stop does. */
const CLOSERS = list(`
  thanks|thank you|thx|ty|please|pls|plz|lol|lmao|rofl|haha|hehe|btw|ok|okay|cheers|danke|bitte|gracias|merci
  por favor|obrigado|obrigada|grazie|спасибо|감사합니다
`)

/** The same of Chinese and Japanese. */
const UNSPACED_CLOSERS = list(`
  谢谢|謝謝|谢谢你|谢谢您|谢谢大家|多谢|感谢|你好|您好|早|早安|早上好|上午好|中午好|下午好|晚上好|晚安|再见|拜拜|哈哈|哈|辛苦了|加油
  生日快乐|新年快乐|节日快乐|ありがとう|ありがとうございます|おはよう|おはようございます|こんにちは|こんばんは|お疲れ様です|笑
`)

/** The people that a greeting may name. */
const EVERYBODY = list(`
  everyone|everybody|all|you all|y'all|guys|folks|team|friends|people|there|mate|man|bro|dude|dear|you two|you guys
  alle|allerseits|zusammen|leute|ihr lieben|todos|todas|a todos|chicos|amigos|tous|à tous|tout le monde|pessoal|gente
  tutti|всем|ребята|여러분
`)

/** Alone, these phrases tell nothing; within a statement they may be what it says. */
const ALONE = list(`
  a lot|so much|very much|very|really|again|too|indeed|totally|exactly|absolutely|definitely|certainly|true|correct|agreed
  i agree|i see|i know|i understand|understood|makes sense|that makes sense|sounds good|sounds great|sounds good to me
  that sounds good|that sounds great|sounds like a plan|looks good|looks good to me|looks great|lgtm|good|fine|awesome
  amazing|excellent|fantastic|wonderful|lovely|sweet|brilliant|neat|super|yay|woohoo|congrats|congratulations|well done
  good job|great job|nice job|nice work|great work|good work|good idea|great idea|nice one|good point|fair enough|fair
  good luck|that's great|that's good|that's nice|that's fine|that's right|that's true|that's cool|that's awesome
  that works|works for me|fine with me|fine by me|i'm fine|i am fine|all good|it's fine|it's ok|it's okay|no problem
  no worries|np|never mind|nevermind|you're welcome|you are welcome|yw|my pleasure|anytime|don't mention it|done|noted
  will do|on it|roger|copy that|gotcha|ack|aye|me too|same|same here|me neither|and you|you too|likewise|how are you
  how are you doing|how are you doing today|how are you all|how are you today|how's it going|how is it going|how do you do|what's up|whats up
  sup|wassup|nice to meet you|pleased to meet you|good to see you|nice to see you|long time no see
  how was your day|how was your weekend|bye|bye bye|goodbye|good bye|farewell|good night|night|gn|nighty night
  see you|see ya|cu|see you later|see you soon|see you then|see you there|see you around|see you tomorrow
  see you next week|see you on monday|later|laters|ttyl|talk to you later|talk to you soon|talk later|talk soon|cya
  take care|have a nice day|have a good day|have a great day|have a good one|have a nice weekend|have a good weekend
  have a great weekend|have a nice evening|have a good evening|have fun|enjoy|enjoy your day|sleep well|sweet dreams
  happy birthday|happy new year|merry christmas|happy holidays|best regards|kind regards|regards|best|best wishes
  brb|be right back|afk|gtg|g2g|gotta go|i have to go|i gotta go|one moment|one sec|just a sec|just a moment|hang on
  hold on|wait|wait a minute|idk|i don't know|dunno|no idea|imo|imho|omg|wtf|oh my god|oh no|oh well|oops|ouch|ugh|meh
  phew|hooray|for real|no way|you bet|let me know|let's go|let's see|we'll see|we will see|maybe|perhaps|whatever
  i guess|i think so|i hope so|hopefully|not really|not yet|of course not|yes please|no thanks|no thank you|fingers crossed
  love it|i love it|love this|i love this|i like it|like it|love you|i love you|miss you|i miss you|lol same|ha
  u|ur welcome|test|testing|ping|pong|bump|first|this|up|here|i'm here|i am here|i'm back|back|ready
  gute nacht|guten|tschüss|tschüs|tschau|bis dann|bis bald|bis später|bis morgen|bis gleich|auf wiedersehen|mfg|lg
  liebe grüße|viele grüße|mit freundlichen grüßen|gern geschehen|kein problem|keine ursache|passt|passt schon|prima
  toll|schön|sehr gut|sehr schön|gut|okay gut|stimmt|verstanden|mach ich|wie geht's|wie geht es dir|und dir|mir auch
  ich auch|viel glück|viel spaß|schönen tag|schönen tag noch|schönes wochenende|schönen abend|herzlichen glückwunsch
  alles gute|einen moment|weiß nicht|keine ahnung|na gut|ach so|aha
  adiós|adios|hasta luego|hasta mañana|hasta pronto|nos vemos|chao|chau|de nada|de acuerdo|perfecto|genial|muy bien
  bien|está bien|esta bien|qué tal|que tal|cómo estás|como estas|cómo están|buen día|buenas noches a todos|igualmente
  feliz cumpleaños|felicidades|no pasa nada|lo siento|por supuesto|no sé|ni idea|un momento|ya|listo|entendido
  au revoir|à bientôt|à demain|à plus|bonne nuit|bonne journée|bonne soirée|de rien|pas de problème|ça va|ça marche
  très bien|super merci|parfait|bon anniversaire|félicitations|désolé|désolée|je sais|je ne sais pas|bien sûr
  tchau|até logo|até amanhã|de nada|tudo bem|tudo bom|beleza|valeu|parabéns|feliz aniversário|desculpa|com certeza
  arrivederci|a domani|buonanotte|prego|va bene|come stai|tutto bene|perfetto|certo|auguri
  пока|до свидания|до завтра|спокойной ночи|пожалуйста|не за что|понятно|понял|поняла|отлично|супер|круто|как дела
  с днем рождения|поздравляю|извините|ясно|конечно|ладно
  잘 자요|잘자|안녕히 가세요|알겠습니다|알겠어요|좋아요|좋아|좋습니다|괜찮아요|괜찮아|수고하셨습니다|수고하세요|죄송합니다
  미안해요|미안|축하해요|축하합니다|반갑습니다|잘 지내요|그래요|그래|맞아요|맞아|진짜|정말|대박
`)

/**
 * Of Chinese and Japanese, mostly two characters and more. These phrases may also stand before a statement.
 */
const UNSPACED_OPENERS = list(`
  好的|好吧|好呀|好啊|好嘞|好滴|行吧|可以的|可以|是的|对的|没错|当然|谢谢|謝謝|多谢|感谢|谢谢你|谢谢您|谢谢大家|谢啦|非常感谢
  你好|您好|你们好|大家好|各位好|早安|早上好|大家早上好|上午好|中午好|下午好|晚上好|哈喽|嗨|收到|明白|明白了|知道了|了解|没问题
  不好意思|对不起|抱歉|晚安|再见|拜拜|生日快乐|新年快乐|恭喜|加油|辛苦了|大家辛苦了|哈哈|嘿嘿|嗯嗯|大家|各位
  こんにちは|おはよう|おはようございます|こんばんは|はじめまして|ありがとう|ありがとうございます|ありがとうございました|どうも
  はい|いいえ|うん|了解|了解です|了解しました|承知しました|わかりました|分かりました|すみません|ごめん|ごめんなさい|申し訳ありません
  お疲れ様です|お疲れ様でした|お疲れさまです|お疲れさま|お世話になっております|皆さん|みなさん|なるほど|そうですね
`)

const UNSPACED_ALONE = list(`
  好|行|可|对|對|是|嗯|哦|噢|喔|啊|呀|哈|呵|嘿|嘻|唉|哎|咦|诶|欸|嘛|啦|吧|呢|吗|嗎|的|了|哟|喂|早|在|赞|棒|妥|草|笑|爱你|么么哒
  晚安|再见|再會|拜拜|拜|回见|回头见|明天见|待会见|一会见|下次见|周末愉快|不客气|不用谢|没事|没事的|没关系|应该的|加油|加油加油
  厉害|太厉害了|太好了|太棒了|真棒|真好|很好|挺好|挺好的|不错|不错不错|真不错|可以可以|真的|真的吗|是吗|是啊|是吧|对啊|对呀|对吧
  好棒|好耶|好好|好好好|恭喜|恭喜恭喜|祝贺|新年快乐|生日快乐|节日快乐|中秋快乐|在吗|在不在|有人吗|在的|我在|来了|等一下|稍等|等等
  同意|我也是|我也觉得|一样|随便|都行|都可以|不知道|没有|有|不|不是|不行|不用|不要|算了|吃了吗|吃饭了吗|最近怎么样|怎么样|你呢
  无语|尴尬|牛|牛逼|绝了|完美|漂亮|干杯|顶|沙发|冲|哇|哇塞|天哪|我去|我靠|好家伙|懂了|懂|晓得了|晓得|明白明白|收到收到|谢了
  你|您|你们|大家|各位|同学们|朋友们|老师好|亲|们|很|太|真|都|啊啊
  おやすみ|おやすみなさい|さようなら|またね|じゃあね|じゃあ|またあした|また明日|よろしく|よろしくお願いします|お願いします
  どういたしまして|大丈夫|大丈夫です|いいね|いいですね|すごい|すごいですね|やった|やったー|おめでとう|おめでとうございます|頑張って
  頑張ります|がんばって|そうです|そう|そうか|そっか|ですね|ね|よ|か|え|へえ|あ|わあ|うーん|えっと|たしかに|確かに|本当|本当に|本当ですか
  いただきます|ごちそうさま|いってきます|ただいま|おかえり|お元気ですか|元気です|ども|オッケー|オーケー|サンキュー|バイバイ|ハハ|ー
`)

/** All the phrases that may make up a text that tells nothing. */
export const SMALL_TALK: ReadonlySet<string> = new Set([...OPENERS, ...CLOSERS, ...EVERYBODY, ...ALONE])
export const OPENING: ReadonlySet<string> = new Set(OPENERS)
export const CLOSING: ReadonlySet<string> = new Set(CLOSERS)
export const UNSPACED_SMALL_TALK: ReadonlySet<string> = new Set([
  ...UNSPACED_OPENERS,
  ...UNSPACED_CLOSERS,
  ...UNSPACED_ALONE,
])
export const UNSPACED_OPENING: ReadonlySet<string> = new Set(UNSPACED_OPENERS)
export const UNSPACED_CLOSING: ReadonlySet<string> = new Set(UNSPACED_CLOSERS)

/** The length of the longest phrase: here in words, in `MAX_UNSPACED` in characters. */
export const MAX_PHRASE = longest(SMALL_TALK, phrase => phrase.split(' ').length)
export const MAX_UNSPACED = longest(UNSPACED_SMALL_TALK, phrase => phrase.length)

function longest(phrases: ReadonlySet<string>, length: (phrase: string) => number): number {
  return [...phrases].reduce((most, phrase) => Math.max(most, length(phrase)), 0)
}
