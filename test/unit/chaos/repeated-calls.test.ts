import { expect, it } from 'vitest'
import { mayBeGivenUp, timelineOf } from '../../chaos/agents/repeated-calls.ts'

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
