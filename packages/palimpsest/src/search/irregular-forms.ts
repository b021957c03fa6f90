/**
 * Forms of English verbs and nouns that stemming does not bring together. Each line is a word and its forms.
 * A form that is also a common word of its own (bit, bore, ground, lay, rose, wound) is left out.
 */
const FORMS = `
arise arose arisen
awake awoke awoken
be am is are was were been being
beat beaten
become became
begin began begun
bend bent
bite bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
die died dies dying
dig dug
do did done does
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fling flung
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone goes
grow grew grown
hang hung
have had has
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lead led
lean leant
leap leapt
learn learnt
leave left
lend lent
lie lied lies lying
light lit
lose lost
make made
mean meant
meet met
mistake mistook mistaken
overcome overcame
pay paid
ride rode ridden
ring rang rung
rise risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
speed sped
spell spelt
spend spent
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck
strive strove striven
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
tie tied ties tying
understand understood
undertake undertook undertaken
use used uses using
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
write wrote written
child children
foot feet
goose geese
half halves
knife knives
life lives
loaf loaves
man men
mouse mice
ox oxen
person people
shelf shelves
thief thieves
tooth teeth
wife wives
wolf wolves
woman women
`

/** The base word of each irregular form. */
export const BASE_OF_IRREGULAR: ReadonlyMap<string, string> = new Map(
  FORMS.trim()
    .split('\n')
    .flatMap(line => {
      const [base, ...forms] = line.split(' ')
      return forms.map(form => [form, base!] as const)
    }),
)
