import { expect, it } from 'vitest'
import { mayBeGivenUp, repeatedCalls, timelineOf } from './repeated-calls.ts'

const log = (...lines: string[]) => lines.map((line) => `${line}\n`).join('')

const FIRST = log(
  '1000 begin text-0 model:0 k',
  '1010 begin chat-1 model:0 k',
  '1020 end chat-1 model:0 k',
  '1025 begin chat-1 tool:1 k',
  '1030.4 kill',
)
const ALONE = log('2000 begin chat-1 tool:1 k', '2010 kill')
const BESIDE = log('3000 begin chat-1 tool:1 k', '3001 begin text-2 model:0 k', '3010 kill')
const ELSEWHERE = log('4000 begin text-3 model:0 k', '4010 kill')

it('timelineOf has the calls of a run, and what each kill interrupted', () => {
  const lines = timelineOf(FIRST + ALONE + ELSEWHERE, 'chat-1')
    .split('\n')
    .map((line) => line.trim())
  expect(lines).toEqual([
    '0 ms begin model:0',
    '10 ms end model:0',
    '15 ms begin tool:1',
    '20 ms kill during tool:1, and 1 of others',
    '990 ms begin tool:1',
    '1000 ms kill during tool:1, and 0 of others',
    '3000 ms kill during none of its calls, and 1 of others',
  ])
  expect(timelineOf(FIRST, 'chat-9')).toContain('no calls')
})

it('mayBeGivenUp counts the kills with no call of another run in progress', () => {
  expect(mayBeGivenUp(FIRST + ALONE + ALONE + ALONE, 'chat-1')).toBe(true)
  expect(mayBeGivenUp(FIRST + ALONE + ALONE, 'chat-1')).toBe(false)
  expect(mayBeGivenUp(FIRST + ALONE + BESIDE + ALONE + ELSEWHERE, 'chat-1')).toBe(false)
})

it('mayBeGivenUp forgets the kills before a call that was new', () => {
  const progress = log('2500 begin chat-1 model:1 k', '2510 kill')
  expect(mayBeGivenUp(FIRST + ALONE + ALONE + progress + progress, 'chat-1')).toBe(false)
  expect(mayBeGivenUp(FIRST + ALONE + ALONE + progress + progress + progress, 'chat-1')).toBe(true)
})

it('mayBeGivenUp counts a kill during a call of the sub-agent as one of the run', () => {
  const asked = log('1000 begin team-1 model:0 k', '1010 end team-1 model:0 k')
  const inMember = log('2000 begin team-1.member model:0 k', '2010 kill')
  expect(mayBeGivenUp(asked + inMember + inMember + inMember, 'team-1')).toBe(true)
  expect(mayBeGivenUp(asked + inMember + inMember + inMember, 'team-1.member')).toBe(true)
  expect(timelineOf(asked + inMember, 'team-1')).toContain('kill during .member model:0, and 0 of others')
})

/** The calls of a run until `last`, each with its begin and end. */
const calls = (...names: string[]) =>
  log(...names.flatMap((name, index) => [`${index} begin ${name} k`, `${index} end ${name} k`]))

const TEAM = ['team-1 model:0', 'team-1 tool:work-1', 'team-1 model:1', 'team-1.member model:0']

it('repeatedCalls accepts a call that a kill has interrupted, and one that it has not yet recorded', () => {
  const { violations, repeated } = repeatedCalls(
    calls(...TEAM) + log('5 kill', '6 begin team-1.member model:0 k', '7 kill') + calls(TEAM.at(-1) ?? ''),
  )
  expect({ violations, repeated }).toEqual({ violations: [], repeated: 2 })
})

it.each([
  [
    'a call that a later one has shown to be recorded',
    calls(...TEAM) + log('5 kill') + calls('team-1 tool:work-1'),
    'team-1 tool:work-1: again after it was recorded',
  ],
  [
    'a call of the sub-agent, when the agent has gone on',
    `${calls(...TEAM, ...['tool:work-1', 'model:1', 'tool:question.before', 'tool:question.after', 'model:2', 'tool:work-2', 'tool:work-3', 'model:3'].map((call) => `team-1.member ${call}`), 'team-1 model:2')}${log('30 kill')}${calls('team-1.member model:3')}`,
    'team-1.member model:3: again after it was recorded',
  ],
  [
    'a call twice in one process',
    calls(...TEAM, 'team-1.member model:0'),
    'team-1.member model:0: twice in one process',
  ],
  [
    'a call without those before it',
    calls('wait-1 model:0', 'wait-1 tool:work-1', 'wait-1 model:1', 'wait-1 tool:question.after'),
    'wait-1 tool:question.after: without wait-1 tool:question.before',
  ],
  [
    'a call again with another key',
    calls(...TEAM) + log('5 kill', '6 begin team-1.member model:0 other'),
    'team-1.member model:0: with another key: k, other',
  ],
])('repeatedCalls reports %s', (_, notes, violation) => {
  expect(repeatedCalls(notes).violations).toEqual([violation])
})
