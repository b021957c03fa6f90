/**
 * Small tables for the languages of most chats. They sharpen the choice, but nothing depends on them: in a
 * language without a table, rare words still weigh more than common ones.
 */

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.join(' ').split(/\s+/).filter(Boolean))
}

/** Words of grammar and courtesy. They say nothing about the subject of the talk. */
export const EMPTY_WORDS = words(
  // English: grammar, then words that chats are full of
  `a an the and or but if then else so as at by for from in into of off on onto out over to under up with
  without about after again all also am any are aren't around away back be because been before being between
  both can can't cannot could couldn't did didn't do does doesn't doing don't down during each either even ever
  every few get gets getting got had hadn't has hasn't have haven't having he he's her here here's hers herself
  him himself his how how's however i i'd i'll i'm i've im ive id in is isn't it it's its itself just let let's
  me might more most much my myself no nor not now of oh ok okay once one only or other our ours ourselves own
  perhaps same shall she she's should shouldn't since some something someone still such than that that's the
  their theirs them themselves there there's these they they'd they'll they're they've this those though through
  too until us very via was wasn't we we'd we'll we're we've were weren't what what's when when's where where's
  whether which while who who's whom whose why will with won't would wouldn't yes yet you you'd you'll you're
  you've your yours yourself`,
  `absolutely actually agree agreed ah alright always amazing anyway anything appreciate aw awesome aww bet bit
  btw bye cheers come cool coming course cute definitely done else enough everything exactly excited exciting
  fantastic feel feeling feels felt fine forward fun gave give giving glad go goes going gonna good gotta great
  guess guys haha happy hear heard hello help here's hey hi hope hopefully idea incredible inspiring interesting
  keep kinda kind know later like literally little lol look looking looks lot lots love loved lovely made make
  makes making man maybe mean means mind myself need never new nice nothing often oh ones perfect please pretty
  probably proud quite rather ready real really right said saw say saying see seeing seem seems seen sent sorry
  sort sound sounds special stuff super support supportive sure sweet take taking talk talking tell thank thanks
  that'd thing things think thinking thinks thought till totally tried true try trying u ur understand use used
  useful wait wanna want wanted wants way well went whatever who'd wish wonderful wondering worries wow yay yeah
  yep yup`,
  // Spanish
  `a al algo ante así aunque bien bueno cada casi como con cual cuando de del desde donde dos e el ella ellos en
  entonces era eres es esa ese eso esta está están este esto estoy fue gracias ha han has hasta hay he hola igual
  la las le les lo los más me mi mis muy nada ni no nos nosotros o otra otro para pero poco por porque pues que
  qué quien se sea ser si sí sin sobre solo son soy su sus también tan te tengo tiene tienes todo todos tu tus
  un una uno vale vamos voy y ya yo`,
  // Portuguese and Italian
  `ao aos aquela aquele até com da das dele depois do dos ela ele eles essa esse eu foi isso isto já mais mas mesmo
  meu minha muito na não nas no nós nos nossa o obrigado obrigada olá os ou para pela pelo pode por quando que
  quem são se sem ser seu sim sua só também tem tenho um uma vai você vou
  anche che chi ci ciao come con cosa così da dei del della di dove ed gli grazie ha hai ho il io la le lei lo loro
  lui ma mi mio molto nel nella noi non per perché più poi quello questo se sei si sono su sul te ti tu tutto un
  una va`,
  // German
  `aber alle als also am an auch auf aus bei bin bis bitte da damit dann das dass dein dem den denn der des dich die
  dir doch du durch ein eine einem einen einer er es etwas euch für gar gerade gern gut habe haben hallo hast hat
  hatte hier ich ihr im immer in ins ist ja jetzt kann kannst kein keine klar man mal mehr mein meine mich mir mit
  muss nach nein nicht nichts noch nochmal nun nur ob oder ohne schon sehr sein seine sich sie sind so soll über um
  und uns unter viel vielleicht vom von vor war waren was weil wenn wer wie wieder will wir wird wo würde zu zum
  zur danke`,
  // French
  `alors après au aussi autre aux avait avec avez avons bien bon bonjour c'est ça car ce cela ces cette ceux chez
  comme d'accord dans de des deux donc du elle elles en encore est et était être eu fait faut il ils j'ai je
  jusque la là le les leur lui ma mais me même merci mes moi mon ne nos notre nous on ont ou où oui par pas peu
  peut plus pour pourquoi qu'il quand que quel quelle qui quoi sa sans se ses si son sont sous suis sur ta te tes
  toi ton tous tout très tu un une va vais vas vos votre vous y`,
  // Russian
  `а без бы был была были быть в вам вас вот все всё вы да для до его ее её если есть еще ещё же за здесь и из или
  им их к как когда кто ли меня мне мы на надо нас не него нет ни но ну о об он она они от очень по под при с со
  спасибо так также там то тоже только ты тут у уже хорошо что чтобы это этого этот я привет мой моя`,
  // Korean, whole words
  `그 그리고 그래서 그런데 하지만 네 예 아니요 아니 응 저 제 나 내 너 우리 이 저는 나는 좀 더 잘 안 못 수 것 거 있어요 없어요
  있습니다 없습니다 합니다 해요 했어요 입니다 이에요 예요 감사합니다 안녕하세요 안녕 고마워 알겠습니다 그럼 정말 진짜 너무`,
)

/** Han characters that carry grammar. A pair with one of them says little. */
export const EMPTY_HAN = new Set(
  '的了是我你您他她它们們在有不这這那哪个個就也都和与與吗嗎吧呢啊哦嗯呀哈着著过過地得很还還要会會能可以把被让讓给給对對从從到为為而且但或如果因所么麼什怎样樣谁誰些之其去来來说說看想好没沒太再又才只更最请請谢謝',
)

/** Pairs of characters that make up greetings, thanks and assent in Chinese and Japanese. */
export const EMPTY_PAIRS: ReadonlySet<string> = new Set(
  `大家 家早 早上 早安 上好 晚上 午好 晚安 你好 您好 哈哈 嘻嘻 收到 明白 知道 道了 谢谢 謝謝 感谢 辛苦 苦了 没事 客气 加油 再见
  拜拜 真的 觉得 感觉 比较 非常 就是 还是 可能 现在 一下 一点 有点 东西 时候 事情 问题 问一 棒棒 厉害 不错 当然 没有 一些 一个
  了解 感謝 最高 大丈 丈夫 本当 今後`.split(/\s+/),
)

/**
 * Signs of a decision, a preference, a rule, a promise or a fact about oneself. They are beginnings of words,
 * pairs of words, and, in scripts without spaces, any text that holds them.
 */
export const CUE_BEGINNINGS: readonly string[] = `decided agreed chose must deadline prefer favorite favourite
  allergi allergy intoleran vegetarian vegan promise planning birthday married born bought booked remember important
  budget due let's
  decidi acord quedamos prefier alérgi plazo cumpleaños
  entschied beschlossen lieber bevorzug muss müssen frist geburtstag vereinbar abgemacht
  décid convenu préfèr délai m'appelle j'habite anniversaire
  combinado prefiro alergi preciso prazo aniversário
  решил договорил предпочита аллерги нужно должен срок`.split(/\s+/)

export const CUE_PAIRS: ReadonlySet<string> = new Set(
  `settled on|go with|have to|has to|plan to|my name|i live|moved to|work as|i hate|i love|my wife|my husband|my son|
  my daughter|signed up|instead of|tengo que|hay que|me llamo|vivo en|me gusta|ich heiße|ich wohne|il faut|je dois|
  meu nome|moro em|gosto de|меня зовут|живу в|день рождения|я люблю`
    .split('|')
    .map(pair => pair.trim()),
)

export const UNSPACED_CUE =
  /决定|決定|确定|確定|定了|就这|选择|選擇|同意|喜欢|喜歡|最爱|讨厌|不吃|过敏|過敏|必须|必須|需要|不能|不要|截止|负责|計劃|计划|打算|承诺|约定|生日|住在|我叫|我是|预算|優先|优先|目标|結婚|结婚|決め|好き|嫌い|アレルギー|必要|しなければ|締め切り|締切|予定|約束|誕生日|担当|目標|결정|좋아|싫어|알레르기|필요|마감|예정|약속|생일|담당/

/** What binds a clause to its neighbour: if they are cut apart, the rest says something else. */
export const BINDS_FORWARD =
  /^(?:if|unless|when|once|until|although|even if|instead of|not|si|cuando|wenn|falls|sobald|quand|lorsque|se|quando|если|когда|如果|要是|除非|假如|もし)(?![a-zà-ÿа-я])/i
export const BINDS_BACK =
  /^(?:if|unless|except|but not|not|only if|or|until|instead|salvo|excepto|pero no|außer|sondern|sauf|exceto|кроме|除非|除了|但不|而不是|否则|otherwise)(?![a-zà-ÿа-я])/i
