/** For a reader of the recorded group's folded context, with the answers. People are named by Telegram's ids. */
export interface RecordedQuestion {
  readonly question: string
  readonly answer: string
  /** The messages from which it can be told, by their ids in the log of the group's session. */
  readonly evidence: readonly string[]
}

export const recordedQuestions: readonly RecordedQuestion[] = [
  {
    question: 'Which person signed the lease? Give the id.',
    answer: '502',
    evidence: ['1224'],
  },
  {
    question: 'Which person paid for the signboard? Give the id.',
    answer: '505',
    evidence: ['1239'],
  },
  {
    question: 'Which person owed 40 euros to Ann 505? Give the id.',
    answer: '503',
    evidence: ['1240'],
  },
  {
    question: 'Which person owes 10 euros for a torch? Give the id.',
    answer: '504',
    evidence: ['-1004118220417/114'],
  },
  {
    question: 'To which person are the 10 euros for the torch owed? Give the id.',
    answer: '506',
    evidence: ['-1004118220417/114', '-1004118220417/115'],
  },
  {
    question: 'Does person 503 still owe person 505 anything at the end? Answer yes or no.',
    answer: 'no',
    evidence: ['-1004118220417/111', '-1004118220417/112'],
  },
  {
    question: 'Which person held the back door key first? Give the id.',
    answer: '506',
    evidence: ['1259'],
  },
  {
    question: 'Which person holds the back door key at the end? Give the id.',
    answer: '507',
    evidence: ['-1004118220417/145'],
  },
  {
    question: 'Which person bought the paint? Give the id.',
    answer: '508',
    evidence: ['1250', '1312'],
  },
  {
    question: 'What did the paint cost, in euros?',
    answer: '68',
    evidence: ['1324'],
  },
  {
    question: 'What is the front door code at the end?',
    answer: '2093#',
    evidence: ['-1004118220417/141'],
  },
  {
    question: 'What was the front door code in February, after the correction?',
    answer: '7714#',
    evidence: ['1270'],
  },
  {
    question: 'What do the chairs that the bot was asked to approve cost?',
    answer: '420',
    evidence: ['1274'],
  },
  {
    question: 'Which person asked the bot to approve the chairs? Give the id.',
    answer: '505',
    evidence: ['1300'],
  },
  {
    question: 'Which person offered the blue chairs? Give the id.',
    answer: '502',
    evidence: ['1277'],
  },
  {
    question: 'Whose allergy is peanuts: give the name of that person.',
    answer: 'Petra',
    evidence: ['1332', '-1004118220417/129'],
  },
  {
    question: 'Is person 502 allergic to peanuts, as far as the chat says? Answer yes or no.',
    answer: 'no',
    evidence: ['1332', '-1004118220417/129'],
  },
  {
    question: 'Which person has to avoid latex gloves? Give the id.',
    answer: '506',
    evidence: ['-1004118220417/75'],
  },
  {
    question: 'Which person must not eat mushrooms? Give the id.',
    answer: '506',
    evidence: ['1396'],
  },
  {
    question: 'Which person gets a rash from shellfish? Give the id.',
    answer: '503',
    evidence: ['1400'],
  },
  {
    question: 'Which person is allergic to dogs? Give the id.',
    answer: '507',
    evidence: ['-1004118220417/135'],
  },
  {
    question: 'Which person does electrics? Give the id.',
    answer: '504',
    evidence: ['-1004118220417/22'],
  },
  {
    question: 'Which person met the fire inspector? Give the id.',
    answer: '502',
    evidence: ['1348', '1423'],
  },
  {
    question: 'Which person made the rail? Give the id.',
    answer: '501',
    evidence: ['1430', '-1004118220417/95'],
  },
  {
    question: 'Which person replaced the fire extinguishers? Give the id.',
    answer: '508',
    evidence: ['1360', '-1004118220417/14'],
  },
  {
    question: 'Who lives in Porto until April? Name that person by role.',
    answer: 'the landlord',
    evidence: ['1366'],
  },
  {
    question: 'Which wall must not be drilled?',
    answer: 'the north wall',
    evidence: ['1366'],
  },
  {
    question: 'How high is the deposit, in euros, as agreed at the end?',
    answer: '600',
    evidence: ['1395'],
  },
  {
    question: 'When did the timber arrive: give the date of the day.',
    answer: '24 February',
    evidence: ['1413', '-1004118220417/9'],
  },
  {
    question: 'Which person opened for the timber? Give the id.',
    answer: '503',
    evidence: ['1418', '-1004118220417/9'],
  },
  {
    question: 'Which person collects the fees? Give the id.',
    answer: '507',
    evidence: ['1470'],
  },
  {
    question: 'How much is the fee a month, in euros?',
    answer: '12',
    evidence: ['1467'],
  },
  {
    question: 'On which date is the opening?',
    answer: '21 March',
    evidence: ['-1004118220417/57'],
  },
  {
    question: 'At what time does the opening start?',
    answer: '14:00',
    evidence: ['-1004118220417/102'],
  },
  {
    question: 'Which person speaks at the opening? Give the id.',
    answer: '501',
    evidence: ['-1004118220417/109'],
  },
  {
    question: 'Which person opens on Mondays? Give the id.',
    answer: '506',
    evidence: ['-1004118220417/39'],
  },
  {
    question: 'Which person opens on Wednesdays? Give the id.',
    answer: '505',
    evidence: ['-1004118220417/40'],
  },
  {
    question: 'How many folding tables does person 502 bring?',
    answer: '10',
    evidence: ['-1004118220417/80'],
  },
  {
    question: 'What does the insurance cost a month, in euros?',
    answer: '29',
    evidence: ['-1004118220417/89'],
  },
  {
    question: 'Which person keeps the cash box? Give the id.',
    answer: '502',
    evidence: ['-1004118220417/158', '-1004118220417/159'],
  },
]
