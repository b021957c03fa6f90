/**
 * Letters that people take for one another, by the letter that they are read as. UTS #39 calls them
 * confusable; this is the part that occurs in names. A row holds letters in the case in which they look
 * alike: Cyrillic `Н` looks like `H`, but `н` looks like no Latin letter.
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

/** Maps each letter to the one that it is read as. */
export const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  ROWS.trim()
    .split('\n')
    .flatMap(row => {
      const [read = '', letters = ''] = row.split(' ')
      return [...letters].map(letter => [letter, read] as const)
    }),
)
