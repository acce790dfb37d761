import { expect, it } from 'vitest'
import type { End, Note } from './notes.ts'
import {
  idleBeats,
  overLimit,
  silences,
  withoutLate,
  wrongAttempts,
  wrongDeletion,
  wrongOrders,
} from './notes.ts'

const note = (at: number, what: Note['what'], attempt = 1): Note => ({
  at,
  what,
  step: 's',
  attempt,
  machine: 0,
})

const end = (at: number, machine = 0): End => ({ at, machine })

/** What a process notes from a time until another one. */
const alive = (from: number, until: number): Note[] =>
  Array.from({ length: (until - from) / 50 }, (_, index) => note(from + index * 50, 'alive'))

it('wrongAttempts accepts a step that is run again because a kill interrupted it', () => {
  const notes = [note(0, 'begin'), note(1000, 'begin', 2), note(1010, 'end', 2)]
  expect(wrongAttempts(notes, [end(5)])).toEqual([])
})

it('wrongAttempts accepts a kill so soon after the end that the result was not recorded', () => {
  const notes = [note(0, 'begin'), note(10, 'end'), note(1000, 'begin', 2), note(1010, 'end', 2)]
  expect(wrongAttempts(notes, [end(12)])).toEqual([])
})

it('wrongAttempts accepts a kill long after the end of a step in a process that was held up', () => {
  const notes = [note(0, 'begin'), note(10, 'end'), ...alive(1300, 1500), note(2000, 'begin', 2)]
  expect(wrongAttempts(notes, [end(1500)])).toEqual([])
})

it('wrongAttempts accepts a step again whose result an outage kept from being recorded, and no other', () => {
  const notes = [note(0, 'begin'), note(2000, 'end'), note(4000, 'begin', 2)]
  expect(wrongAttempts(notes, [], [{ from: 2500, to: 3500 }])).toEqual([])
  expect(wrongAttempts(notes, [], [{ from: 3100, to: 3500 }])).toEqual(['s: again after its end'])
  expect(wrongAttempts(notes, [], [{ from: 0, to: 1900 }])).toEqual(['s: again after its end'])
  const interrupted = [note(0, 'begin'), note(4000, 'begin', 2)]
  expect(wrongAttempts(interrupted, [], [{ from: 3100, to: 3500 }])).toEqual([])
})

it('wrongAttempts accepts a retry after an error', () => {
  expect(wrongAttempts([note(0, 'begin'), note(10, 'throw'), note(50, 'begin', 2)], [])).toEqual([])
})

it.each([
  ['an attempt number twice', [note(0, 'begin'), note(1000, 'begin')], [end(5)], 's: attempt 1 twice'],
  ['a step twice in one process', [note(0, 'begin'), note(20, 'begin', 2)], [], 's: twice in one process'],
  [
    'a step that was recorded long before the kill',
    [note(0, 'begin'), note(10, 'end'), ...alive(100, 1500), note(2000, 'begin', 2)],
    [end(1500)],
    's: again after its end',
  ],
  [
    'a step that ended without a kill',
    [note(0, 'begin'), note(10, 'end'), note(20, 'begin', 2)],
    [],
    's: again after its end',
  ],
])('wrongAttempts reports %s', (_, notes, kills, expected) => {
  expect(wrongAttempts(notes, kills)).toEqual([expected])
})

it('overLimit counts the steps that run at the same time, and none across a kill', () => {
  const begin = (step: string, at: number): Note => ({ ...note(at, 'begin'), step })
  const ended = (step: string, at: number): Note => ({ ...note(at, 'end'), step })
  const limit = { prefix: 'q-', limit: 1 }
  expect(overLimit([begin('q-1', 0), ended('q-1', 5), begin('q-2', 6), begin('x', 7)], [], limit)).toEqual([])
  expect(overLimit([begin('q-1', 0), begin('q-2', 6)], [end(3)], limit)).toEqual([])
  expect(overLimit([begin('q-1', 0), begin('q-2', 6)], [end(7)], limit)).toEqual(['2 at once: q-1, q-2'])
})

const of = (step: string, what: Note['what']): Note => ({ ...note(0, what), step })

it('idleBeats counts the signs of life since the last step, but not since one of the schedule', () => {
  const beats = alive(0, 150)
  const tick = of('schedule:second:2026-11-30T09:11:52.000Z:last', 'begin')
  expect(idleBeats([...beats, note(0, 'begin'), ...beats, tick, ...beats])).toBe(6)
  expect(idleBeats([])).toBe(0)
})

it('wrongOrders accepts compensations in the reverse order of the steps, also one that is begun again', () => {
  const done = ['a-1:x', 'a-1:y', 'a-1:z'].map((step) => of(step, 'end'))
  const undone = ['a-1:z', 'a-1:y', 'a-1:y', 'a-1:x'].map((step) => of(`${step}:compensate`, 'begin'))
  expect(wrongOrders([...done, ...undone])).toEqual([])
  const wrong = 'a-1:y:compensate: not in the reverse order of the steps'
  expect(wrongOrders([...done, of('a-1:y:compensate', 'begin')])).toEqual([wrong])
})

it('wrongDeletion accepts that an execution is gone after it has ended and so many others have', () => {
  const ends = (count: number) => Array.from({ length: count }, (_, n) => of(`b-${n}:last`, 'end'))
  const deletion = { lastCall: 'a-1:last', keep: 10 }
  expect(wrongDeletion([of('a-1:last', 'end'), ...ends(10)], deletion)).toBeUndefined()
  expect(wrongDeletion([of('a-1:last', 'end'), ...ends(3)], deletion)).toMatch('only about 3 executions')
  expect(wrongDeletion([of('a-1:last', 'begin'), ...ends(10)], deletion)).toBe('and it had not ended')
  const kept = { lastCall: 'a-1:last', keep: undefined }
  expect(wrongDeletion([of('a-1:last', 'end')], kept)).toBe('and nothing deletes executions')
})

const on = (machine: number, notes: readonly Note[]) => notes.map((one) => ({ ...one, machine }))
const inOrder = (...notes: readonly Note[]) => notes.toSorted((a, b) => a.at - b.at)

it('wrongAttempts accepts that another machine replaces one that ended or was silent, and no other', () => {
  const taken = [...on(0, [note(100, 'begin')]), ...on(1, [note(5000, 'begin', 2), note(5010, 'end', 2)])]
  const busy = on(0, alive(0, 6000))
  const paused = on(0, [...alive(0, 150), ...alive(4900, 5500)])
  const wrong = (beats: readonly Note[], kills: readonly End[]) => {
    const notes = inOrder(...taken, ...beats)
    return wrongAttempts(notes, kills, [], silences(notes))
  }
  expect(wrong(paused, [])).toEqual([])
  expect(wrong(busy, [end(200, 0)])).toEqual([])
  expect(wrong(busy, [end(200, 1)])).toEqual(['s: twice in one process'])
  expect(wrong(busy, [])).toEqual(['s: twice in one process'])
})

it('withoutLate leaves out what a machine does late that others have replaced, and nothing else', () => {
  const late = on(0, [note(5020, 'begin'), note(5030, 'end')])
  const other = on(1, [note(4000, 'begin', 2), note(6000, 'end', 2)])
  const paused = on(0, [...alive(0, 150), ...alive(5000, 5500)])
  const kept = inOrder(...other, ...paused)
  expect(withoutLate(inOrder(...kept, ...late))).toEqual(kept)
  const busy = on(0, alive(0, 5500))
  const again = late.filter(({ what }) => what === 'begin')
  const all = inOrder(...other, ...busy, ...again)
  expect(withoutLate(all)).toEqual(all)
})
