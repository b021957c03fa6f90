import type { Chat, Message, MessageOrigin, Update, User } from 'grammy/types'
import { findEntities } from '../telegram/entities.ts'

/**
 * One group of our own over six weeks, as Telegram delivers it to a bot that sees all messages. Two people are called
 * Alex; Bob becomes Robert, and Kit, who comes later, becomes Bob; one Ann has a character of no width in her name.
 * They forward, answer what stands far above, correct what they said and paste letters, and the group becomes a
 * supergroup on 22 February. All of it is invented.
 */

export const RECORDED_BOT: User = {
  id: 4_242,
  is_bot: true,
  first_name: 'Palimpsest',
  username: 'PalimpsestBot',
}

const ALEX_501: User = {
  id: 501,
  is_bot: false,
  first_name: 'Alex',
  username: 'alex_rowe',
  language_code: 'en',
}
const ALEX_502: User = { id: 502, is_bot: false, first_name: 'Alex', language_code: 'en' }
const BOB_503: User = { id: 503, is_bot: false, first_name: 'Bob', username: 'bobtherivet' }
const ROBERT_503: User = { ...BOB_503, first_name: 'Robert' }
const KIT_504: User = { id: 504, is_bot: false, first_name: 'Kit', language_code: 'en' }
const BOB_504: User = { ...KIT_504, first_name: 'Bob' }
const ANN_505: User = { id: 505, is_bot: false, first_name: 'Ann', username: 'ann_from_no9' }
const ANN_506: User = { id: 506, is_bot: false, first_name: 'A\u200bnn' }
const XIAOWEN_507: User = {
  id: 507,
  is_bot: false,
  first_name: '小雯',
  username: 'xiaowen_j',
  language_code: 'zh-hans',
}
const LIU_508: User = { id: 508, is_bot: false, first_name: '大刘', language_code: 'zh-hans' }
/** Never in the group. */
const PETRA_90211: User = { id: 90_211, is_bot: false, first_name: 'Petra' }
/** Telegram's own, in whose name it tells that a group was upgraded. */
const GROUP_ANONYMOUS_BOT: User = {
  id: 1_087_968_824,
  is_bot: true,
  first_name: 'Group',
  username: 'GroupAnonymousBot',
}

const TITLE = 'Harrow Lane workshop'
export const RECORDED_GROUP: Chat.GroupChat = { id: -4_118_220_417, type: 'group', title: TITLE }
export const RECORDED_SUPERGROUP: Chat.SupergroupChat = {
  id: -1_004_118_220_417,
  type: 'supergroup',
  title: TITLE,
}

interface Extras {
  /** A message of the same chat. */
  readonly replyTo?: number
  /** What of it was marked. */
  readonly quote?: string
  /** From a person, or from one who hides who they are, of whom Telegram tells only the name. */
  readonly forwarded?: { readonly at: string; readonly from: User | string }
  /** It is said that this person came in. */
  readonly joined?: User
  /** The message of this id and time was changed to this text. */
  readonly editedAt?: string
}

type Row = readonly [id: number, from: User, at: string, text: string, extras?: Extras]

// biome-ignore format: one message a line
const IN_GROUP: readonly Row[] = [
  [1201, ALEX_501, '2026-02-02T17:30:35Z', 'evening all, group is up'],
  [1203, BOB_503, '2026-02-02T17:30:42Z', 'hi hi'],
  [1206, ANN_505, '2026-02-02T17:31:25Z', 'hello'],
  [1207, XIAOWEN_507, '2026-02-02T17:31:44Z', '大家好'],
  [1210, ALEX_502, '2026-02-02T17:32:23Z', 'finally'],
  [1211, LIU_508, '2026-02-02T17:33:07Z', '来了'],
  [1213, ALEX_501, '2026-02-02T17:33:41Z', 'plan is we open the workshop on Saturday 14 March'],
  [1216, BOB_503, '2026-02-02T17:34:04Z', 'big words'],
  [1218, ANN_505, '2026-02-02T17:34:19Z', 'we have no chairs and no paint'],
  [1221, ALEX_501, '2026-02-02T17:34:35Z', 'one thing after another'],
  [1224, ALEX_502, '2026-02-02T17:35:02Z', 'I signed the lease this morning, my copy is in the office drawer'],
  [1226, BOB_503, '2026-02-02T17:35:30Z', 'congrats Alex'],
  [1229, ALEX_501, '2026-02-02T17:36:11Z', 'to the other Alex you mean'],
  [1231, ALEX_502, '2026-02-02T17:36:56Z', 'haha yes me'],
  [1234, ANN_506, '2026-02-02T17:37:42Z', "hi, I'm also Ann, from number 31, not the one from number 9"],
  [1236, ANN_505, '2026-02-02T17:38:12Z', 'oh dear, two Alexes and two Anns'],
  [1237, BOB_503, '2026-02-02T17:38:34Z', 'this will go well'],
  [1239, ANN_505, '2026-02-02T17:38:58Z', 'I paid the 40 euros for the signboard, Bob owes me 40 euros'],
  [1240, BOB_503, '2026-02-02T17:39:57Z', 'yes I owe Ann the 40 euros, I pay you on Friday'],
  [1242, ANN_505, '2026-02-02T17:40:20Z', 'the Ann with the signboard, please'],
  [1243, ANN_506, '2026-02-02T17:40:54Z', 'not me :)'],
  [1244, XIAOWEN_507, '2026-02-03T12:10:13Z', '油漆谁去买？'],
  [1247, BOB_503, '2026-02-03T12:10:25Z', 'which colour even'],
  [1248, ALEX_502, '2026-02-03T12:10:35Z', 'not yellow'],
  [1250, LIU_508, '2026-02-03T12:11:19Z', '油漆我去买，周末之前'],
  [1252, ALEX_501, '2026-02-03T12:12:02Z', 'who has the key to the back door'],
  [1253, ALEX_502, '2026-02-03T12:12:36Z', 'no idea'],
  [1256, XIAOWEN_507, '2026-02-03T12:13:04Z', '不在我这'],
  [1258, BOB_503, '2026-02-03T12:13:31Z', 'somebody should bring biscuits'],
  [1259, ANN_506, '2026-02-03T12:14:17Z', 'the back door key is with me'],
  [1262, ALEX_501, '2026-02-03T12:14:46Z', 'great, keep it please'],
  [1263, BOB_503, '2026-02-03T12:15:27Z', 'lunch is calling'],
  [1266, ANN_505, '2026-02-03T12:16:07Z', 'front door code is 7741#'],
  [1267, ALEX_501, '2026-02-03T12:16:43Z', 'thanks'],
  [1270, ANN_505, '2026-02-03T12:17:24Z', 'typo, the front door code is 7714#'],
  [1273, ALEX_501, '2026-02-03T12:18:04Z', 'better'],
  [1274, ALEX_501, '2026-02-05T18:22:31Z', 'I found red chairs for 420'],
  [1277, ALEX_502, '2026-02-05T18:23:19Z', 'there are also blue chairs for 380, a bit scratched'],
  [1279, BOB_503, '2026-02-05T18:23:28Z', 'red!'],
  [1281, XIAOWEN_507, '2026-02-05T18:23:51Z', '红的好看'],
  [1283, LIU_508, '2026-02-05T18:24:21Z', '蓝的便宜'],
  [1284, ANN_506, '2026-02-05T18:24:46Z', 'how many are they'],
  [1285, ALEX_501, '2026-02-05T18:25:06Z', 'twelve'],
  [1288, ALEX_501, '2026-02-05T18:25:54Z', 'red ones are oak'],
  [1290, ANN_505, '2026-02-05T18:26:30Z', 'nice'],
  [1291, BOB_503, '2026-02-05T18:27:05Z', 'I saw a lathe on the way home'],
  [1292, BOB_503, '2026-02-05T18:27:18Z', 'off topic sorry'],
  [1295, ALEX_502, '2026-02-05T18:27:34Z', 'how old'],
  [1297, BOB_503, '2026-02-05T18:28:00Z', 'ancient'],
  [1300, ANN_505, '2026-02-05T18:28:52Z', '@PalimpsestBot approve this one', { replyTo: 1274 }],
  [1302, ALEX_502, '2026-02-05T18:29:36Z', 'did it approve'],
  [1303, ALEX_501, '2026-02-05T18:30:17Z', 'it did, red it is'],
  [1306, BOB_503, '2026-02-05T18:31:03Z', "it is Friday tomorrow Ann, I have your money, don't worry"],
  [1309, ANN_505, '2026-02-05T18:31:16Z', 'good'],
  [1312, LIU_508, '2026-02-07T10:05:17Z', '油漆买好了，白色，五桶，一共63块'],
  [1313, XIAOWEN_507, '2026-02-07T10:05:51Z', '辛苦'],
  [1315, ALEX_501, '2026-02-07T10:06:09Z', 'what does 63 mean'],
  [1318, XIAOWEN_507, '2026-02-07T10:06:54Z', '63 euros, five buckets, white'],
  [1320, ALEX_501, '2026-02-07T10:07:06Z', '👍'],
  [1322, LIU_508, '2026-02-07T10:07:42Z', '打错了', { replyTo: 1312 }],
  [1324, LIU_508, '2026-02-07T10:08:18Z', '不是63，是68，小票在我这'],
  [1326, XIAOWEN_507, '2026-02-07T10:08:55Z', '好的'],
  [1329, ANN_505, '2026-02-07T10:09:34Z', 'Bob where are you'],
  [1330, BOB_503, '2026-02-07T10:09:58Z', 'sorry Ann, I was ill, I have not paid you yet'],
  [1331, ANN_505, '2026-02-07T10:10:38Z', 'get well'],
  [1332, ALEX_502, '2026-02-09T16:40:47Z', 'I am allergic to peanuts and I carry an epipen', { forwarded: { at: '2026-02-08T16:40:47Z', from: PETRA_90211 } }],
  [1333, ALEX_502, '2026-02-09T16:41:45Z', "that's from Petra who comes to the first evening"],
  [1334, ALEX_502, '2026-02-09T16:42:20Z', 'so you all know'],
  [1335, ANN_505, '2026-02-09T16:42:51Z', 'noted'],
  [1337, ALEX_501, '2026-02-09T16:43:30Z', 'how many come to the first evening?'],
  [1338, BOB_503, '2026-02-09T16:44:16Z', 'twenty?'],
  [1341, XIAOWEN_507, '2026-02-09T16:44:31Z', '我们家三个'],
  [1344, ALEX_501, '2026-02-09T16:45:14Z', 'the fire inspector comes on 17 February at 10:00'],
  [1345, BOB_503, '2026-02-09T16:45:54Z', "I can't be there"],
  [1347, ANN_506, '2026-02-09T16:46:09Z', 'me neither'],
  [1348, ALEX_502, '2026-02-09T16:46:46Z', 'I can be there for the inspector'],
  [1351, ALEX_501, '2026-02-09T16:47:04Z', 'thanks namesake'],
  [1354, LIU_508, '2026-02-09T16:47:38Z', '灭火器有吗'],
  [1357, XIAOWEN_507, '2026-02-09T16:47:55Z', '有两个'],
  [1358, XIAOWEN_507, '2026-02-09T16:48:30Z', '灭火器过期了，要换新的'],
  [1360, LIU_508, '2026-02-09T16:49:08Z', '我认识人，灭火器我来换，25号前'],
  [1361, XIAOWEN_507, '2026-02-09T16:49:17Z', '👌'],
  [1363, ANN_505, '2026-02-11T19:15:56Z', 'the landlord wrote to me, I paste it'],
  [1366, ANN_505, '2026-02-11T19:17:18Z', 'The letter from the landlord reads:\n"I live in Porto until April and cannot come. Please do not drill into the north wall. The deposit is 900 euros."'],
  [1368, BOB_503, '2026-02-11T19:18:04Z', 'do not drill ok'],
  [1370, ALEX_501, '2026-02-11T19:18:26Z', 'but we need shelves'],
  [1373, ALEX_502, '2026-02-11T19:19:12Z', 'east wall then'],
  [1375, ALEX_501, '2026-02-11T19:19:58Z', 'shelves go on the east wall, decided'],
  [1378, XIAOWEN_507, '2026-02-11T19:20:23Z', '同意'],
  [1381, LIU_508, '2026-02-11T19:21:00Z', '+1'],
  [1382, ANN_506, '2026-02-11T19:21:10Z', '+1'],
  [1383, BOB_503, '2026-02-11T19:21:23Z', '+1'],
  [1386, ANN_505, '2026-02-11T19:21:53Z', 'good'],
  [1387, ALEX_502, '2026-02-11T19:22:07Z', 'deposit 900 wow'],
  [1388, ALEX_501, '2026-02-11T19:23:05Z', 'I will not pay 900, we agreed on 600 in the lease'],
  [1391, ALEX_502, '2026-02-11T19:23:57Z', 'right, the lease says 600'],
  [1394, ANN_505, '2026-02-11T19:24:51Z', 'I write back to the landlord'],
  [1395, ANN_505, '2026-02-11T19:25:14Z', 'landlord answered, 600 it is, his mistake'],
  [1396, ANN_506, '2026-02-12T08:30:25Z', 'since you ask, I eat everything but not mushrooms'],
  [1397, BOB_503, '2026-02-12T08:31:06Z', 'nobody asked haha'],
  [1399, ANN_506, '2026-02-12T08:31:21Z', 'now you know'],
  [1400, BOB_503, '2026-02-12T08:32:02Z', 'I get a rash from shellfish myself'],
  [1401, XIAOWEN_507, '2026-02-12T08:32:38Z', '我喝牛奶会肚子疼'],
  [1402, LIU_508, '2026-02-12T08:32:47Z', '我没忌口'],
  [1403, ALEX_501, '2026-02-13T17:01:42Z', 'when does the timber arrive'],
  [1406, ALEX_502, '2026-02-13T17:02:09Z', 'asked them'],
  [1409, ANN_505, '2026-02-13T17:02:36Z', 'the coffee machine is broken btw'],
  [1411, BOB_503, '2026-02-13T17:03:21Z', 'noooo'],
  [1412, ANN_505, '2026-02-13T17:04:00Z', 'I take mine'],
  [1413, ALEX_502, '2026-02-13T17:04:33Z', 'timber arrives Tuesday the 24th between 7 and 9', { replyTo: 1403 }],
  [1414, BOB_503, '2026-02-13T17:05:13Z', 'early'],
  [1417, ALEX_501, '2026-02-13T17:05:41Z', 'who is there at 7'],
  [1418, BOB_503, '2026-02-13T17:06:17Z', "I'm up anyway, I'll open for the timber"],
  [1419, ALEX_502, '2026-02-13T17:06:55Z', 'thanks Bob'],
  [1422, ALEX_502, '2026-02-17T10:48:16Z', 'inspector was here'],
  [1423, ALEX_502, '2026-02-17T10:48:51Z', 'we passed, but the cellar stairs need a rail by 10 March'],
  [1426, ALEX_501, '2026-02-17T10:49:13Z', 'ok'],
  [1427, XIAOWEN_507, '2026-02-17T10:49:28Z', '多少钱'],
  [1429, ALEX_502, '2026-02-17T10:49:55Z', 'no idea yet'],
  [1430, ALEX_501, '2026-02-17T10:50:08Z', 'I make the rail myself'],
  [1432, ANN_505, '2026-02-17T10:50:31Z', 'really?'],
  [1434, ALEX_501, '2026-02-17T10:50:46Z', "I'm a welder, Ann"],
  [1435, ANN_505, '2026-02-17T10:50:58Z', 'right. sorry'],
  [1438, ANN_506, '2026-02-17T10:51:06Z', '😄'],
  [1441, ROBERT_503, '2026-02-19T20:13:07Z', 'by the way my family calls me Robert, I changed my name here, same person'],
  [1442, ANN_505, '2026-02-19T20:13:17Z', 'hello Robert'],
  [1445, ALEX_502, '2026-02-19T20:13:41Z', 'fancy'],
  [1447, ANN_505, '2026-02-19T20:14:00Z', 'Robert you still owe me'],
  [1448, ANN_505, '2026-02-19T20:14:49Z', 'I mean this one', { replyTo: 1239 }],
  [1450, ROBERT_503, '2026-02-19T20:15:40Z', 'I know. I transferred 15 today, so 25 are left'],
  [1452, ANN_505, '2026-02-19T20:15:51Z', 'got the 15'],
  [1455, XIAOWEN_507, '2026-02-19T20:16:23Z', '会费怎么收'],
  [1458, ALEX_501, '2026-02-19T20:16:53Z', '12 a month?'],
  [1459, ALEX_502, '2026-02-19T20:17:29Z', '15'],
  [1462, LIU_508, '2026-02-19T20:17:40Z', '10'],
  [1464, XIAOWEN_507, '2026-02-19T20:18:02Z', '投票吧'],
  [1467, ALEX_501, '2026-02-19T20:18:23Z', 'ok by vote 12 euros a month it is'],
  [1468, LIU_508, '2026-02-19T20:18:54Z', '好'],
  [1470, XIAOWEN_507, '2026-02-19T20:19:36Z', '会费我来收，每月5号'],
  [1473, ALEX_501, '2026-02-22T15:33:15Z', 'this group gets big'],
  [1474, ALEX_501, '2026-02-22T15:33:55Z', 'I make it a supergroup so new people can read'],
  [1477, ANN_505, '2026-02-22T15:34:11Z', 'whatever that is'],
  [1480, ALEX_502, '2026-02-22T15:34:21Z', 'do it'],
]

const UPGRADED = { id: 1_483, at: '2026-02-22T15:34:50Z' } as const

// biome-ignore format: one message a line
const IN_SUPERGROUP: readonly Row[] = [
  [2, ALEX_501, '2026-02-22T15:41:49Z', 'everybody still here?'],
  [3, ANN_505, '2026-02-22T15:42:12Z', 'yes'],
  [4, XIAOWEN_507, '2026-02-22T15:42:37Z', '在'],
  [5, ROBERT_503, '2026-02-22T15:42:48Z', 'yes'],
  [6, ALEX_502, '2026-02-22T15:43:14Z', 'here'],
  [7, LIU_508, '2026-02-22T15:43:37Z', '在'],
  [8, ANN_506, '2026-02-22T15:43:53Z', 'here'],
  [9, ROBERT_503, '2026-02-24T07:20:45Z', 'timber is here, two boards are split'],
  [10, ALEX_502, '2026-02-24T07:21:25Z', 'again'],
  [11, ALEX_501, '2026-02-24T07:21:49Z', 'send them back'],
  [12, ROBERT_503, '2026-02-24T07:22:14Z', 'they take the two boards back and bring new ones on Thursday'],
  [13, ALEX_501, '2026-02-24T07:22:48Z', 'good man'],
  [14, LIU_508, '2026-02-24T07:23:07Z', '灭火器换好了，两个新的，90'],
  [15, XIAOWEN_507, '2026-02-24T07:23:26Z', '收到'],
  [16, XIAOWEN_507, '2026-02-24T07:23:46Z', '90谁出'],
  [17, ALEX_501, '2026-02-24T07:24:00Z', 'from the fees'],
  [18, XIAOWEN_507, '2026-02-24T07:24:05Z', '好'],
  [19, ALEX_501, '2026-02-25T18:05:41Z', '', { joined: KIT_504 }],
  [20, ALEX_501, '2026-02-25T18:05:55Z', 'welcome Kit!'],
  [21, ANN_505, '2026-02-25T18:06:42Z', 'hi Kit'],
  [22, KIT_504, '2026-02-25T18:07:20Z', "hi, I'm Kit, I do electrics"],
  [23, ALEX_502, '2026-02-25T18:08:03Z', 'YES'],
  [24, KIT_504, '2026-02-25T18:08:22Z', 'what do you need'],
  [25, ALEX_502, '2026-02-25T18:08:42Z', 'light over the bench'],
  [26, ALEX_501, '2026-02-25T18:09:22Z', 'and somebody who checks the fuses'],
  [27, KIT_504, '2026-02-25T18:10:12Z', "what's the wifi"],
  [28, XIAOWEN_507, '2026-02-25T18:10:30Z', '我写一下'],
  [29, ROBERT_503, '2026-02-25T18:10:46Z', 'there is wifi?'],
  [30, XIAOWEN_507, '2026-02-25T18:11:03Z', 'wifi叫 gongfang-5G，要密码的话看墙上'],
  [31, KIT_504, '2026-02-25T18:11:43Z', 'thanks'],
  [32, KIT_504, '2026-02-25T18:12:12Z', 'I check the fuses on Sunday'],
  [33, KIT_504, '2026-02-25T18:12:50Z', 'what do I need to know'],
  [34, ANN_505, '2026-02-25T18:13:38Z', "don't drill north"],
  [35, ALEX_502, '2026-02-25T18:14:03Z', 'bring a torch'],
  [36, KIT_504, '2026-02-25T18:14:25Z', 'ok'],
  [37, ROBERT_503, '2026-02-26T12:52:21Z', 'new boards came, all fine now'],
  [38, ALEX_501, '2026-02-26T12:53:03Z', '👍'],
  [39, ANN_506, '2026-02-26T12:53:26Z', 'I can open on Mondays'],
  [40, ANN_505, '2026-02-26T12:53:51Z', 'and I can open on Wednesdays'],
  [41, ALEX_501, '2026-02-26T12:54:27Z', 'two Anns, two days, perfect'],
  [42, XIAOWEN_507, '2026-02-26T12:54:37Z', '周五我可以'],
  [43, KIT_504, '2026-03-01T14:10:58Z', 'fuses are ok except number 6, I replaced it for 18 euros'],
  [44, ALEX_501, '2026-03-01T14:11:24Z', 'what do we owe you'],
  [45, KIT_504, '2026-03-01T14:11:36Z', "nothing, it's a gift"],
  [46, ALEX_502, '2026-03-01T14:11:45Z', '🙏'],
  [47, ANN_505, '2026-03-01T14:11:54Z', 'cake for Kit'],
  [48, KIT_504, '2026-03-01T14:12:31Z', 'no cake with cream for me please'],
  [49, BOB_504, '2026-03-04T19:25:35Z', "I use Bob here from now on, it's what my friends say. was Kit"],
  [50, ANN_505, '2026-03-04T19:25:53Z', 'oh no'],
  [51, ROBERT_503, '2026-03-04T19:26:39Z', "it's a free name now :)"],
  [52, ALEX_502, '2026-03-04T19:27:18Z', 'we had a Bob. that is Robert now'],
  [53, ANN_505, '2026-03-04T19:27:54Z', 'so who owes me 25'],
  [54, ROBERT_503, '2026-03-04T19:28:33Z', 'I do, Robert'],
  [55, ROBERT_503, '2026-03-04T19:28:56Z', 'not the new Bob'],
  [56, BOB_504, '2026-03-04T19:29:34Z', 'phew'],
  [57, ALEX_501, '2026-03-04T19:30:23Z', 'opening moves to 21 March, the rail is not done'],
  [58, XIAOWEN_507, '2026-03-04T19:30:33Z', '收到'],
  [59, ANN_505, '2026-03-04T19:30:53Z', 'again a week'],
  [60, ALEX_501, '2026-03-04T19:31:28Z', 'sorry'],
  [61, ANN_506, '2026-03-04T19:31:56Z', '那我改一下海报'],
  [62, XIAOWEN_507, '2026-03-04T19:32:32Z', '你会中文？'],
  [63, ANN_506, '2026-03-04T19:33:07Z', '一点点 😄 poster is mine, I change the date on it'],
  [64, ALEX_501, '2026-03-04T19:33:54Z', 'thanks number 31'],
  [65, BOB_504, '2026-03-04T19:34:39Z', 'the light over the bench is up'],
  [66, ALEX_502, '2026-03-04T19:34:49Z', 'nice'],
  [67, ALEX_502, '2026-03-06T11:11:32Z', 'can someone call the signboard man'],
  [68, ALEX_501, '2026-03-06T11:11:45Z', 'not today'],
  [69, XIAOWEN_507, '2026-03-06T11:12:15Z', '我忙'],
  [70, ANN_505, '2026-03-06T11:12:41Z', 'what does it cost again'],
  [71, LIU_508, '2026-03-06T11:13:05Z', '我打'],
  [72, LIU_508, '2026-03-06T11:13:24Z', '招牌周一装，下午两点'],
  [73, XIAOWEN_507, '2026-03-06T11:13:40Z', '好'],
  [74, ANN_505, '2026-03-06T11:14:29Z', 'I forward what Ann wrote me privately'],
  [75, ANN_505, '2026-03-06T11:15:00Z', 'I have to avoid latex gloves, please buy the nitrile ones', { forwarded: { at: '2026-03-05T12:15:00Z', from: ANN_506 } }],
  [76, ANN_506, '2026-03-06T11:15:40Z', "thanks, yes, that's me, number 31"],
  [77, ALEX_501, '2026-03-06T11:15:46Z', 'ok'],
  [78, BOB_504, '2026-03-06T11:16:00Z', 'gloves size?'],
  [79, ROBERT_503, '2026-03-06T11:16:39Z', "I'll order nitrile gloves, 100 in a box"],
  [80, ALEX_502, '2026-03-07T16:36:47Z', 'I bring 12 folding tables for the opening'],
  [81, ALEX_501, '2026-03-07T16:36:57Z', '12 is great'],
  [80, ALEX_502, '2026-03-07T16:36:47Z', 'I bring 10 folding tables for the opening', { editedAt: '2026-03-07T16:37:24Z' }],
  [82, ALEX_502, '2026-03-07T16:37:48Z', 'edited, two are broken'],
  [83, ANN_505, '2026-03-07T16:38:03Z', '10 then'],
  [84, XIAOWEN_507, '2026-03-07T16:38:44Z', '够了'],
  [85, ALEX_502, '2026-03-07T16:39:07Z', 'insurance costs 31 a month, I did not sign it yet'],
  [86, ALEX_501, '2026-03-07T16:39:22Z', 'why'],
  [87, ALEX_502, '2026-03-07T16:39:58Z', 'want to compare'],
  [88, ALEX_501, '2026-03-07T16:40:39Z', 'ok'],
  [89, ALEX_502, '2026-03-07T16:41:00Z', 'correction, 29 a month, and I signed it today'],
  [90, ALEX_501, '2026-03-07T16:41:41Z', 'fast'],
  [91, LIU_508, '2026-03-09T14:05:08Z', '招牌装了'],
  [92, LIU_508, '2026-03-09T14:05:37Z', '师傅三点才来，不过装好了'],
  [93, XIAOWEN_507, '2026-03-09T14:06:14Z', '好看吗'],
  [94, LIU_508, '2026-03-09T14:06:36Z', '好看'],
  [95, ALEX_501, '2026-03-09T14:07:20Z', 'the rail is up, finished it last night'],
  [96, ANN_505, '2026-03-09T14:07:48Z', 'bravo'],
  [97, ALEX_502, '2026-03-09T14:08:08Z', 'inspector deadline kept'],
  [98, XIAOWEN_507, '2026-03-10T18:40:29Z', 'I would like to come at 15:00 and I do not want to speak', { forwarded: { at: '2026-03-09T10:40:29Z', from: 'Councillor Brandt' } }],
  [99, XIAOWEN_507, '2026-03-10T18:41:11Z', '区里的人转给我的'],
  [100, ALEX_501, '2026-03-10T18:41:24Z', 'so 15:00 we start then?'],
  [101, ANN_505, '2026-03-10T18:41:41Z', '14:00 we said'],
  [102, ALEX_501, '2026-03-10T18:42:30Z', 'we start at 14:00, the councillor comes at 15:00'],
  [103, ALEX_502, '2026-03-10T18:43:11Z', 'ok'],
  [104, ALEX_502, '2026-03-10T18:43:55Z', 'does it have the new date?', { replyTo: 63 }],
  [105, ANN_506, '2026-03-10T18:44:33Z', 'it does'],
  [106, BOB_504, '2026-03-10T18:44:44Z', 'who speaks'],
  [107, ANN_506, '2026-03-10T18:45:10Z', 'not me'],
  [108, ALEX_502, '2026-03-10T18:45:35Z', "I'm not going to speak, ask the other Alex"],
  [109, ALEX_501, '2026-03-10T18:46:23Z', 'fine I speak, two minutes'],
  [110, ROBERT_503, '2026-03-10T18:46:35Z', 'two!'],
  [111, ROBERT_503, '2026-03-12T20:20:27Z', 'Ann from number 9, the last 25 are paid, we are even'],
  [112, ANN_505, '2026-03-12T20:20:45Z', 'confirmed, Robert owes me nothing'],
  [113, ANN_505, '2026-03-12T20:21:17Z', 'miracle'],
  [114, BOB_504, '2026-03-12T20:22:12Z', 'I owe Ann from number 31 ten euros for the torch though'],
  [115, ANN_506, '2026-03-12T20:22:24Z', 'no hurry, new Bob'],
  [116, ANN_505, '2026-03-12T20:22:42Z', 'the Anns are rich'],
  [117, LIU_508, '2026-03-12T20:23:04Z', '谁买饮料'],
  [118, ALEX_501, '2026-03-12T20:23:42Z', 'drinks?'],
  [119, BOB_504, '2026-03-12T20:24:23Z', 'how many people in the end'],
  [120, XIAOWEN_507, '2026-03-12T20:24:50Z', '名单上四十六个'],
  [121, ALEX_502, '2026-03-12T20:25:30Z', "I'd say 40"],
  [122, XIAOWEN_507, '2026-03-12T20:26:07Z', '四十六个确认了，不是四十'],
  [123, ALEX_502, '2026-03-12T20:26:20Z', 'ok 46'],
  [124, LIU_508, '2026-03-12T20:26:33Z', '饮料我买，预算一百二'],
  [125, ANN_506, '2026-03-12T20:27:19Z', 'and something without mushrooms'],
  [126, ANN_505, '2026-03-12T20:27:31Z', 'how much is 一百二', { replyTo: 124 }],
  [127, LIU_508, '2026-03-12T20:28:02Z', '120 euros'],
  [128, ROBERT_503, '2026-03-13T09:05:45Z', 'does Petra still come'],
  [129, ALEX_502, '2026-03-13T09:06:20Z', 'Petra comes, her peanut thing is real, so no satay'],
  [130, ALEX_501, '2026-03-13T09:06:48Z', 'no satay'],
  [131, BOB_504, '2026-03-13T09:07:14Z', 'can I bring my dog'],
  [132, ANN_505, '2026-03-13T09:07:29Z', 'no'],
  [133, ALEX_501, '2026-03-13T09:08:05Z', 'no, Ann number 31 is… no wait'],
  [134, ANN_506, '2026-03-13T09:08:23Z', "I love dogs, it's not me"],
  [135, XIAOWEN_507, '2026-03-13T09:08:49Z', '我对狗过敏，不好意思'],
  [136, BOB_504, '2026-03-13T09:09:41Z', 'ok I leave the dog at home'],
  [137, ALEX_501, '2026-03-13T09:10:07Z', 'thank you'],
  [138, ALEX_502, '2026-03-13T09:11:04Z', 'and the epipen is in her bag, left side', { replyTo: 129, quote: 'her peanut thing is real' }],
  [139, ANN_505, '2026-03-14T17:50:50Z', 'the code at the front changed?'],
  [140, ALEX_501, '2026-03-14T17:51:06Z', 'yes'],
  [141, ALEX_501, '2026-03-14T17:51:44Z', 'front door code is 2093# since today, I changed it'],
  [142, ANN_505, '2026-03-14T17:52:27Z', 'thanks'],
  [143, ROBERT_503, '2026-03-14T17:53:00Z', 'back door too?'],
  [144, ALEX_501, '2026-03-14T17:53:31Z', 'no'],
  [145, ANN_506, '2026-03-14T17:53:53Z', 'I gave the back door key to 小雯 today'],
  [146, XIAOWEN_507, '2026-03-14T17:54:39Z', '在我这里了'],
  [147, ALEX_502, '2026-03-14T17:54:47Z', 'ok'],
  [148, ALEX_501, '2026-03-14T17:55:24Z', 'one week to go'],
  [149, ANN_505, '2026-03-14T17:56:05Z', 'do you still do this after the opening?', { replyTo: 39 }],
  [150, ANN_506, '2026-03-14T17:56:39Z', 'yes, Mondays'],
  [151, ROBERT_503, '2026-03-14T17:56:51Z', 'what do I bring'],
  [152, ANN_505, '2026-03-14T17:57:19Z', 'yourself'],
  [153, ROBERT_503, '2026-03-14T17:57:56Z', 'I bring the ramp for wheelchairs'],
  [154, BOB_504, '2026-03-15T11:00:40Z', "I'm quitting electrics to become a monk"],
  [155, ALEX_502, '2026-03-15T11:01:10Z', 'what'],
  [156, BOB_504, '2026-03-15T11:01:40Z', 'just kidding'],
  [157, ANN_505, '2026-03-15T11:02:04Z', 'haha'],
  [158, ALEX_502, '2026-03-15T11:02:57Z', 'I do the cash box, not Alex the welder'],
  [159, ALEX_501, '2026-03-15T11:03:29Z', "right, I don't touch the cash box"],
  [160, XIAOWEN_507, '2026-03-15T11:03:59Z', '哈哈'],
  [161, LIU_508, '2026-03-15T11:04:42Z', '周六见'],
  [162, ALEX_501, '2026-03-15T11:05:24Z', 'see you on Saturday'],
]

/**
 * In the order in which Telegram sends them. A bot that is to answer in it needs a server that knows the chats: one to
 * which the messages are said (`server.say`), and only the edits are given as updates.
 */
export const recordedUpdates: readonly Update[] = withIds([
  ...toUpdates(IN_GROUP, RECORDED_GROUP),
  ...upgrade(),
  ...toUpdates(IN_SUPERGROUP, RECORDED_SUPERGROUP),
])

type GroupMessage = NonNullable<Update['message']>
type EditedGroupMessage = NonNullable<Update['edited_message']>

function toUpdates(
  rows: readonly Row[],
  chat: Chat.GroupChat | Chat.SupergroupChat,
): Omit<Update, 'update_id'>[] {
  const messages = new Map<number, Message>()
  return rows.map(([id, from, at, text, extras = {}]) => {
    const { replyTo, quote, forwarded, joined, editedAt } = extras
    const replied = replyTo === undefined ? undefined : messages.get(replyTo)!
    const entities = findEntities(text)
    const message = {
      message_id: id,
      date: seconds(at),
      from,
      chat,
      ...(joined ? { new_chat_members: [joined] } : { text }),
      ...(entities.length > 0 && { entities }),
      ...(replied && { reply_to_message: withoutReply(replied) }),
      ...(quote !== undefined && {
        quote: { text: quote, position: textOf(replied!).indexOf(quote), is_manual: true },
      }),
      ...(forwarded && { forward_origin: originOf(forwarded) }),
      ...(editedAt !== undefined && { edit_date: seconds(editedAt) }),
    } as Message
    messages.set(id, message)
    return editedAt === undefined
      ? { message: message as GroupMessage }
      : { edited_message: message as EditedGroupMessage }
  })
}

/** Both chats are told of it, each of the other. */
function upgrade(): Omit<Update, 'update_id'>[] {
  const date = seconds(UPGRADED.at)
  const [old, now] = [RECORDED_GROUP, RECORDED_SUPERGROUP]
  return [
    { message: { message_id: UPGRADED.id, date, from: ALEX_501, chat: old, migrate_to_chat_id: now.id } },
    {
      message: {
        message_id: 1,
        date,
        from: GROUP_ANONYMOUS_BOT,
        sender_chat: now,
        chat: now,
        migrate_from_chat_id: old.id,
      },
    },
  ] as { message: GroupMessage }[]
}

function withIds(updates: readonly Omit<Update, 'update_id'>[]): Update[] {
  return updates.map((update, index) => ({ update_id: 731_204_551 + index, ...update }))
}

/** Telegram shows one level only. */
function withoutReply({ reply_to_message: _, quote: __, ...message }: Message): Message {
  return message as Message
}

function textOf(message: Message): string {
  return message.text ?? ''
}

function originOf({ at, from }: { readonly at: string; readonly from: User | string }): MessageOrigin {
  const date = seconds(at)
  return typeof from === 'string'
    ? { type: 'hidden_user', date, sender_user_name: from }
    : { type: 'user', date, sender_user: from }
}

function seconds(at: string): number {
  return Date.parse(at) / 1_000
}
