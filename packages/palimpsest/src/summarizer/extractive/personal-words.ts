/**
 * The words that make up people's own facts. What stands in none of these lists is left alone: most of what
 * may stand behind "I'm a" or 我住 is no fact, and a list of what is no fact would have no end.
 */

const either = (words: string) => words.trim().replaceAll(/\s*\|\s*|\n/g, '|')

export const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'

const JOBS = either(`
accountant|actor|actress|analyst|anaesthetist|archaeologist|architect|archivist|artist|assistant|astronomer|attorney|auditor|author
baker|banker|barber|barista|bartender|beekeeper|biologist|blacksmith|bookkeeper|botanist|bricklayer|broker|builder|butcher
caregiver|caretaker|carpenter|cashier|chef|chemist|childminder|cleaner|clerk|coach|composer|conductor|consultant|contractor|cook|copywriter|counsellor|counselor|courier
dancer|dentist|designer|dev|developer|dietitian|director|dispatcher|doctor|driver
economist|editor|electrician|engineer|farmer|firefighter|fisherman|florist|freelancer
gardener|geologist|glazier|goldsmith|grad student|hairdresser|historian|housekeeper|illustrator|interpreter|janitor|jeweller|jeweler|journalist|judge
landscaper|lawyer|lecturer|librarian|lifeguard|locksmith|logistician|machinist|manager|mathematician|mechanic|midwife|miner|mover|musician
nanny|nurse|nutritionist|officer|operator|optician|optometrist|painter|paralegal|paramedic|pastor|pharmacist|photographer|physicist|physician|physiotherapist|pilot|plasterer|plumber|policeman|policewoman|politician|postdoc|postman|potter|priest|producer|professor|programmer|psychiatrist|psychologist
radiographer|radiologist|realtor|receptionist|recruiter|researcher|roofer|sailor|salesperson|salesman|scientist|sculptor|seamstress|secretary|security guard|singer|social worker|soldier|solicitor|student|surgeon|surveyor
tailor|teacher|technician|tester|therapist|tiler|trader|trainer|translator|trucker|tutor|vet|veterinarian|waiter|waitress|welder|writer|zookeeper
`)

/** What may stand between "I'm a" and a job, and does not praise it. */
const OF_A_JOB = either(`
account|aircraft|ambulance|assistant|associate|backend|bank|biology|bus|business|cancer|car|care|certified|chemistry|chief|civil|clinical|commercial|community|computer|construction|content|crane|customer|data|dance|delivery|dental|deputy|devops|digital|driving|elementary
embedded|english|environmental|exchange|film|financial|first-year|fitness|flight|forklift|former|freelance|french|frontend|front-end|full-stack|full-time|game|general|geography|german|graduate|graphic|guitar|head|high|history|hotel|icu|immigration|industrial|insurance|international|it|junior|kindergarten|lab|landscape|language|law|lead|legal|licensed|lorry|machine|maintenance|maritime|marketing|master's|math|maths|mechanical|medical|mobile|music|network|night|nuclear|nursery|nursing
office|operations|orthopaedic|paediatric|part-time|pastry|pediatric|phd|piano|police|post|practising|preschool|primary|private|product|production|professional|programme|project|property|public|qa|real|registered|remote|research|retail|retired|sales|school|science|secondary|security|self-employed|semi-retired|senior|ship's|site|social|software|sound|spanish|special|sports|sous|staff|structural|student|support|swimming|systems|tattoo|tax|taxi|tech|technical|theatre|tour|train|trainee|travel|truck|undergraduate|university|ux|veterinary|violin|voice|warehouse|web|wedding|wildlife|yoga|youth
`)
/** A job in lines that already say whose it is. `isJob` tells what else may be a job. */
export const A_JOB = `an? (?:[\\p{L}'-]{1,20} ){0,3}(?:${JOBS})(?![\\p{L}'-])`

const JOB_WORDS = new Set(JOBS.split('|'))
const WORDS_OF_A_JOB = new Set(OF_A_JOB.split('|'))

/** `crane operator`. The words are looked up: as one pattern, they would take long to compile. */
export function isJob(words: string): boolean {
  const all = words.toLowerCase().split(' ')
  const isOne = (count: number) =>
    JOB_WORDS.has(all.slice(-count).join(' ')) && all.slice(0, -count).every(word => WORDS_OF_A_JOB.has(word))
  return isOne(1) || isOne(2)
}

export const KIN =
  'wife|husband|partner|spouse|girlfriend|boyfriend|fiancée?|son|daughter|stepson|stepdaughter|kids?|child|children|baby|twins|mother|father|mom|mum|dad|sister|brother|grandmother|grandfather|grandma|grandpa|grandson|granddaughter'
export const HOUSEHOLD =
  'wife|husband|partner|spouse|girlfriend|boyfriend|fiancée?|son|daughter|kids?|child|children|baby|twins'
export const KIN_COUNTED =
  'sons?|daughters?|stepsons?|stepdaughters?|kids?|child|children|boys|girls|brothers?|sisters?|siblings?|grandsons?|granddaughters?|grandkids|grandchild(?:ren)?|twins|nephews?|nieces?|foster (?:son|daughter|child|kids?)'
export const ANIMALS =
  'dogs?|cats?|pupp(?:y|ies)|kittens?|horses?|pon(?:y|ies)|parrots?|rabbits?|bunn(?:y|ies)|hamsters?|guinea pigs?|tortoises?|turtles?|budgies?|canar(?:y|ies)|ferrets?|chickens?|hens?|goats?|snakes?|geckos?|goldfish'
export const COUNT = 'an?|one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}'
export const NUMBERS = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'

export const LANGUAGES =
  'arabic|bengali|bulgarian|cantonese|catalan|chinese|croatian|czech|danish|dutch|english|estonian|farsi|finnish|french|german|greek|gujarati|hebrew|hindi|hungarian|igbo|indonesian|irish|italian|japanese|kannada|korean|latvian|lithuanian|malay|mandarin|marathi|nepali|norwegian|persian|polish|portuguese|punjabi|romanian|russian|serbian|slovak|spanish|swahili|swedish|tagalog|tamil|telugu|thai|tibetan|turkish|ukrainian|urdu|vietnamese|welsh|yoruba|zulu'

/** What people are for a long time, in one word. */
export const STATUS =
  'vegan|vegetarian|pescatarian|teetotal|teetotaler|diabetic|deaf|blind|colou?r[ -]?blind|left[ -]handed|right[ -]handed|lefty|coeliac|celiac|dyslexic|autistic|bipolar|epileptic|asthmatic|(?:lactose|gluten|fructose|histamine)[ -]intolerant|type [12] diabetic'
export const FAITH =
  'muslim|christian|catholic|protestant|jewish|hindu|buddhist|sikh|atheist|orthodox christian'
export const CIVIL =
  'married|divorced|widowed|engaged|pregnant|retired|unemployed|self-employed|single|an only child|an orphan|a widow|a widower|a twin|a stay-at-home (?:mom|mum|dad|parent|mother|father)|a single (?:mom|mum|dad|mother|father|parent)|a (?:mom|mum|dad|mother|father|grandmother|grandfather|grandma|grandpa|parent) of (?:two|three|four|five|six|\\d)'

export const CONDITIONS =
  "adhd|add|allerg(?:y|ies)|arthritis|asthma|autism|bipolar disorder|celiac(?: disease)?|coeliac(?: disease)?|chronic (?:pain|fatigue|migraines?)|crohn's(?: disease)?|diabetes|dyscalculia|dyslexia|eczema|endometriosis|epilepsy|fibromyalgia|gout|hay ?fever|high blood pressure|hypertension|hypothyroidism|ibs|insomnia|lupus|migraines?|ms|multiple sclerosis|ocd|osteoporosis|parkinson's|pcos|psoriasis|ptsd|rheumatism|scoliosis|sleep apn(?:o)?ea|tinnitus"

/** What people are allergic to. With other words, the sentence is mostly a joke. */
export const ALLERGENS = either(`
alcohol|almonds?|amoxicillin|animals?|antibiotics|apples?|aspirin|avocados?|bananas?|bees?|bee stings?|birch(?: pollen)?|bread|bromelain|carrots?|cashews?|cats?|cat hair|celery|cheese|cherries|chocolate|cilantro|citrus|coconut|codeine|corn|crab|crustaceans?|dairy|dogs?|dog hair|dust|dust mites?|eggs?|fish|flour|fragrances?|fur|garlic|gluten|grass(?: pollen)?|hazelnuts?|hay|honey|horses?|house dust|ibuprofen|iodine|kiwis?|lactose|latex|legumes|lobster|lupins?|mangos?|mangoes|metal|milk|mites|mold|mould|morphine|mosquitos?|mushrooms?|mustard|nickel|nuts|tree nuts|oats|onions?|oranges?|peaches|peanuts?|pecans?|peas|penicillin|pepper|perfumes?|pets|pistachios?|plums|pollen|pork|prawns?|ragweed|rye|seafood|sesame|shellfish|shrimps?|soy|soya|strawberries|sulfa(?: drugs)?|sulfites|sunscreen|tomatoes|tomato|wasps?|wasp stings?|walnuts?|wheat|wool|yeast
`)

/** Rooms and roofs: they tell where exactly a person lives, beside the town. */
export const DWELLINGS =
  'apartment|attic|basement|boat|bungalow|cabin|caravan|city|condo|cottage|dorm|duplex|farm|farmhouse|flat|flatshare|hamlet|house|houseboat|houseshare|loft|neighbou?rhood|retirement home|semi|shared flat|studio|suburb|terraced house|tower block|town|townhouse|trailer|van|village'

export const FIELDS =
  'accounting|advertising|agriculture|aviation|banking|biotech|construction|consulting|customer (?:service|support)|cyber ?security|education|energy|finance|fintech|gaming|healthcare|health care|hospitality|hr|human resources|insurance|it|law|logistics|manufacturing|marketing|media|medicine|nursing|pharma|property|publishing|real estate|retail|sales|tech|tourism|transport|the (?:film|food|game|games|music|oil|textile) industry|the public sector'
export const WORKPLACES =
  'agency|airport|archive|bakery|bank|bar|bookshop|bookstore|brewery|cafe|café|call cent(?:re|er)|care home|church|city council|city library|clinic|college|company|corporation|council|court|creche|daycare|dockyard|embassy|factory|farm|fire department|fire station|firm|florist|foundation|garage|gas station|government|gp surgery|grocery store|gym|harbour|harbor|hospital|hotel|institute|kindergarten|kitchen|lab|laboratory|law firm|library|ministry|museum|newspaper|ngo|non-?profit|nursery|nursing home|pharmacy|police|port|post office|practice|prison|pub|refinery|restaurant|salon|school|shipyard|shop|startup|store|studio|supermarket|theatre|theater|university|vineyard|warehouse|workshop|zoo'
export const BUSINESSES =
  'agency|bakery|bar|bike repair shop|bookshop|bookstore|brewery|business|café|cafe|clinic|company|dental practice|farm|flower shop|food truck|garage|gym|hotel|nursery|online shop|practice|pub|repair shop|restaurant|salon|shop|startup|store|studio|workshop'

/** Things of which people have a lasting favourite. */
export const FAVOURITES =
  'actor|actress|album|animal|artist|author|band|beer|bird|board game|book|brand|cake|car|cheese|city|club|cocktail|coffee|colou?r|comic|composer|country|cuisine|dessert|dish|drink|editor|film|flavou?r|flower|food|fruit|game|genre|holiday|ice cream|instrument|language|meal|movie|museum|musician|number|painter|place|player|podcast|poet|programming language|restaurant|season|series|show|singer|snack|soup|sport|subject|tea|team|tree|tv show|vegetable|wine|writer'

export const HAN_JOBS =
  '医生|醫生|大夫|护士|護士|律师|律師|语文老师|老师|老師|教师|教授|讲师|工程师|工程師|程序员|程序猿|码农|设计师|設計師|会计|会计师|學生|学生|研究生|博士生|大学生|高中生|初中生|留学生|实习生|司机|厨师|廚師|记者|記者|作家|画家|翻译|警察|民警|辅警|军人|消防员|产品经理|项目经理|客户经理|销售|顾问|公务员|演员|歌手|摄影师|药剂师|建筑师|分析师|研究员|科学家|导游|店主|农民|工人|电工|焊工|木匠|理发师|美容师|健身教练|教练|牙医|兽医|编辑|老板|创业者|自由职业者|自由职业|前端|后端|运营|空姐|空乘|飞行员|保安|保姆|月嫂|保洁|快递员|外卖员|外卖骑手|家庭主妇|全职妈妈|宝妈|全职太太|药师|测试|架构师|收银员|店长|主播|插画师|化妆师|造价师|精算师|心理咨询师|幼师|辅导员|班主任|校长|法官|检察官|海员|船员|矿工|裁缝|会计员|仓管|客服|文员|行政|人事|财务|出纳'
/** What may stand between 我是 and a job. */
const BEFORE_A_HAN_JOB =
  '(?:新来的|在职|全职|兼职|退休|资深|专职|一线|刚毕业的?|[小中大]学(?:语文|数学|英语|体育|音乐|美术|化学|物理|生物|历史|地理)?|高中(?:语文|数学|英语|体育|化学|物理|生物|历史|地理)?|初中|幼儿园|儿科|外科|内科|妇产科|妇科|眼科|骨科|急诊|中医|牙科|皮肤科|软件|硬件|土木|机械|电气|网络|算法|数据|测试|前端|后端|安卓|嵌入式|平面|室内|服装|UI|交互|游戏|建筑|出租车|网约车|公交|货车|卡车|大巴|地铁|人民|语文|数学|英语|体育|音乐|美术|化学|物理|钢琴|舞蹈|瑜伽|游泳|法语|日语|保险|房产|医药|财经|体育|专业|独立|自由|个体|退役|在读|农业|工地的?|医院的?|银行的?|公司的?|乡村|小学的?|中学的?|大学的?|物流|电商|新媒体|产品){0,3}'
export const A_HAN_JOB = `(?:一?[名个個位])?${BEFORE_A_HAN_JOB}(?:${HAN_JOBS})`

export const HAN_KIN =
  '老婆|老公|妻子|丈夫|太太|先生|爱人|媳妇|对象|女朋友|男朋友|未婚妻|未婚夫|儿子|女儿|女兒|闺女|孩子|小孩|娃|妈妈|爸爸|母亲|父亲|姐姐|妹妹|哥哥|弟弟|爷爷|奶奶|外公|外婆|姥姥|姥爷|孙子|孙女'
export const HAN_HOUSEHOLD =
  '老婆|老公|妻子|丈夫|太太|先生|爱人|媳妇|对象|女朋友|男朋友|儿子|女儿|女兒|闺女|孩子|小孩|娃'
export const HAN_KIN_COUNTED =
  '孩子|小孩|娃|儿子|兒子|女儿|女兒|闺女|姐姐|妹妹|哥哥|弟弟|姐|妹|哥|弟|孙子|孙女|外孙|双胞胎|龙凤胎'
export const HAN_ANIMALS =
  '狗|猫|貓|小狗|小猫|猫咪|狗狗|兔子|鹦鹉|仓鼠|乌龟|金毛|柯基|泰迪|拉布拉多|哈士奇|边牧|柴犬|博美|雪纳瑞|比熊|法斗|萨摩耶|布偶|英短|美短|橘猫|三花|狸花|暹罗|鱼|金鱼|龙猫|刺猬|蜥蜴|蛇|鸽子|马|羊|鸡|鸭'
export const HAN_COUNT = '(?:[一两兩二三四五六七八九十\\d]{1,2})'
export const HAN_LANGUAGES =
  '普通话|国语|國語|粤语|广东话|廣東話|闽南语|闽南话|台语|客家话|上海话|四川话|温州话|潮汕话|方言|藏语|蒙语|蒙古语|维吾尔语|维语|朝鲜语|韩语|韓語|日语|日語|日文|英语|英語|英文|法语|法文|德语|德文|俄语|西班牙语|葡萄牙语|意大利语|泰语|越南语|阿拉伯语|手语'
export const HAN_CONDITIONS =
  '糖尿病|哮喘|高血压|低血糖|低血压|心脏病|乳糖不耐受?|痛风|癫痫|抑郁症|焦虑症|躁郁症|双相|鼻炎|过敏性鼻炎|胃病|胃炎|偏头痛|甲亢|甲减|乙肝|贫血|地中海贫血|颈椎病|腰椎间盘突出|关节炎|风湿|湿疹|荨麻疹|银屑病|强直|红斑狼疮|多囊|色盲|色弱|夜盲|散光|脂肪肝|高血脂|冠心病|肾结石|胆结石|自闭症|多动症|阅读障碍|蚕豆病|失眠症|白癜风'
export const HAN_ALLERGENS =
  '花生|坚果|核桃|腰果|杏仁|海鲜|虾蟹|虾|螃蟹|蟹|贝类|鱼|牛奶|乳制品|鸡蛋|蛋清|鸡蛋清|小麦|麸质|面粉|大豆|黄豆|芒果|菠萝|猕猴桃|桃子|桃毛|草莓|花粉|柳絮|杨絮|尘螨|螨虫|粉尘|灰尘|猫毛|狗毛|猫|狗|动物毛|毛发|青霉素|头孢|阿莫西林|磺胺|阿司匹林|布洛芬|酒精|紫外线|冷空气|乳胶|香水|金属|镍|羊毛|染发剂|防腐剂|味精|辣椒|蘑菇|香菜|芝麻|海虾|牛肉|羊肉|蜂蜜|蜜蜂|蚊子|碘|造影剂|麻药'

/** What people leave out for good. Behind 不吃 and 不喝 mostly stands what they leave out today. */
export const HAN_FOODS =
  '香菜|芫荽|辣椒|辣的?|麻辣|生姜|姜|大蒜|蒜|洋葱|葱花|葱|芹菜|韭菜|苦瓜|茄子|胡萝卜|秋葵|折耳根|鱼腥草|茼蒿|青椒|蘑菇|豆腐|臭豆腐|豆制品|皮蛋|内脏|动物内脏|下水|肥肉|红肉|荤的?|荤腥|肉类?|猪肉|牛肉|羊肉|鸡肉|鸭肉|鹅肉|狗肉|兔肉|牛羊肉|鱼|鱼肉|生鱼片|刺身|生的|生食|生冷|海鲜|河鲜|虾|蟹|螃蟹|贝类|甜食|甜的|甜品|酸的|咸的|油炸的?|油腻的?|榴莲|芒果|香蕉|奶制品|乳制品|奶酪|芝士|黄油|奶油|巧克力|鸡蛋|蛋黄|面食|米饭|主食|早餐|早饭|夜宵|宵夜|零食|快餐|麸质|味精|花生|坚果'
export const HAN_DRINKS =
  '酒|白酒|啤酒|红酒|黄酒|酒精|咖啡|美式|拿铁|茶|绿茶|浓茶|奶茶|牛奶|豆浆|可乐|汽水|碳酸饮料|饮料|冰的|冷饮|甜饮料'

const HAN_PROVINCES =
  '北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|台湾|台灣|内蒙古|内蒙|广西|西藏|宁夏|新疆|香港|澳门|东北|华北|江浙|潮汕|闽南|川渝'
const HAN_TOWNS =
  '广州|深圳|杭州|南京|苏州|成都|武汉|西安|长沙|郑州|青岛|大连|宁波|厦门|福州|泉州|漳州|莆田|无锡|常州|南通|徐州|扬州|镇江|盐城|淮安|合肥|芜湖|济南|烟台|潍坊|威海|临沂|淄博|济宁|沈阳|长春|吉林|哈尔滨|大庆|石家庄|唐山|保定|秦皇岛|邯郸|廊坊|太原|大同|呼和浩特|包头|鄂尔多斯|兰州|西宁|银川|乌鲁木齐|拉萨|昆明|大理|丽江|贵阳|遵义|南宁|桂林|柳州|北海|海口|三亚|珠海|佛山|东莞|中山|惠州|汕头|湛江|江门|潮州|揭阳|南昌|赣州|九江|温州|绍兴|嘉兴|金华|台州|义乌|湖州|舟山|洛阳|开封|宜昌|襄阳|荆州|株洲|湘潭|岳阳|衡阳|常德|绵阳|德阳|宜宾|泸州|乐山|咸阳|宝鸡|延安|喀什|香港|九龙|新界|沙田|屯门|元朗|旺角|铜锣湾|台北|臺北|新北|台中|臺中|台南|高雄|桃园|新竹|花莲|澳门|浦东|浦西|海淀|朝阳|通州|昌平|天河|番禺|南山|福田|罗湖|宝安|龙岗|徐汇|闵行|松江|滨江|余杭|萧山|武昌|汉口|江北|渝北|锦江|武侯|高新区|下沙'
const HAN_ABROAD =
  '美国|加拿大|英国|法国|德国|意大利|西班牙|葡萄牙|荷兰|比利时|瑞士|瑞典|挪威|丹麦|芬兰|俄罗斯|日本|韩国|新加坡|马来西亚|泰国|越南|印尼|菲律宾|印度|澳洲|澳大利亚|新西兰|巴西|阿根廷|墨西哥|迪拜|伦敦|曼彻斯特|巴黎|柏林|慕尼黑|法兰克福|汉堡|罗马|米兰|马德里|巴塞罗那|阿姆斯特丹|苏黎世|维也纳|莫斯科|纽约|洛杉矶|旧金山|湾区|硅谷|西雅图|波士顿|芝加哥|休斯顿|多伦多|温哥华|蒙特利尔|悉尼|墨尔本|布里斯班|奥克兰|东京|大阪|京都|横滨|名古屋|福冈|首尔|釜山|曼谷|清迈|吉隆坡|槟城|雅加达|河内|胡志明市'
export const HAN_PLACES = `${HAN_PROVINCES}|${HAN_TOWNS}|${HAN_ABROAD}`
/** Endings of place names that are in no list. */
export const HAN_PLACE_ENDS = '[省市区區县縣镇鎮乡村路街巷弄苑园庄湾城]|小区|新村|花园|公寓'
export const HAN_PEOPLES =
  '回族|满族|维吾尔族|藏族|蒙古族|壮族|苗族|彝族|朝鲜族|土家族|汉族|侗族|瑶族|白族|傣族'
export const HAN_FIRMS =
  '腾讯|阿里巴巴|阿里|华为|字节跳动|字节|百度|美团|京东|小米|网易|滴滴|拼多多|快手|携程|顺丰|比亚迪|富士康|中兴|联想|海尔|格力|美的|大疆|宁德时代|海底捞|麦当劳|肯德基|星巴克|沃尔玛|盒马|移动|联通|电信|国家电网|国网|中石油|中石化|中建|中铁|工商银行|工行|建行|农行|中行|招行|邮政'
export const HAN_FIRM_ENDS =
  '公司|银行|医院|学校|小学|中学|高中|大学|学院|幼儿园|机构|工厂|电子厂|厂|店|局|所|院|单位|集团|律所|外企|国企|央企|私企|事务所|超市|商场|餐厅|饭店|酒店|工地|机关|政府|部门|部队|机场|车站|码头|港口|物业|书店|药店|诊所|实验室|研究所|创业公司|出版社|报社|电视台|图书馆|博物馆|法院|检察院|派出所|社区|街道办|互联网|大厂'

/** Common surnames, so that a name can be told from a word. */
export const HAN_SURNAMES =
  '(?:欧阳|歐陽|司马|上官|诸葛|东方|尉迟|皇甫|慕容|令狐|夏侯|[王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾丁魏薛叶葉阎余潘杜戴夏钟鍾汪田任姜范方石姚谭廖邹熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万段雷钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦向柳邢路岳齐沿梅莫庄辛管祝左涂谷祁时舒耿牟卜詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单包司柏宁柯阮桂闵解强柴华车冉房边辜吉饶刁瞿戚丘古米池滕晋苑邬臧畅宫来嵺苟全褚廉简娄盖符奚木穆党燕郎邸冀谈姬屠连郜晏栾郁商蒙计喻揭窦迟宇敖糜鄢冷卓花仇艾蓝都巩稽井练仲乐虞卞封竺冼原官衣楚佟栗匡宗应台巫鞠僧桑荆谌银扬明沙薄伏岑习胥保和])'
