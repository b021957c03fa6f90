/**
 * Letters that are taken for one another, by what they are read as: what UTS #39 calls confusable, as far as names are
 * written with it. A row is in the case in which it looks so: Cyrillic `Н` looks like `H`, `н` like nothing Latin.
 */
const ROWS = `
A ΑАᎪᗅꓮ
B ΒВᏴᗷꓐ
C СϹᏟꓚⅭ
D ᎠᗞꓓⅮ
E ΕЕᎬꓰ
F Ϝꓝ
G ԌᏀꓖ
H ΗНᎻᕼꓧ
J ЈᎫꓙ
K ΚКᏦꓗ
L ᏞᒪꓡⅬ
M ΜМᎷᗰꓟⅯ
N ΝꓠՆ
O ΟОՕ0
P ΡРᏢᑭꓑ
Q Ԛ
R ᎡᏒᖇꓣ
S ЅՏᏚꓢ
T ΤТᎢꓔ
U ՍᑌꓴԱ
V ѴᏙᐯꓦⅤ
W ԜᎳꓪ
X ΧХꓫⅩ
Y ΥҮУᎩꓬ
Z ΖᏃꓜ
a αаɑ
b ЬᏏ
c сϲᴄⅽ
d ԁᏧⅾ
e еҽ℮
f ք
g ɡցᶃ
h һհᏂ
i іιɩ
j јϳ
k кκ
l Iⅼ1|ǀІΙӀӏⵏ
n пոռ
o οоօσᴏ๐໐௦०০੦૦
p рρ
q ԛգ
r гᴦ
s ѕꜱ
t тτ
u υսʋᴜ
v νѵᴠⅴ
w ԝѡաᴡ
x хχⅹ
y уγүყʏ
z ᴢ
3 ЗӠ
へ ヘ
り リ
ニ 二
ハ 八
エ 工
カ 力
ロ 口
タ 夕
ト 卜
ー 一
`

/** By what each is read as. */
export const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  ROWS.trim()
    .split('\n')
    .flatMap(row => {
      const [read = '', letters = ''] = row.split(' ')
      return [...letters].map(letter => [letter, read] as const)
    }),
)
