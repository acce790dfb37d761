import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ChangeBurst } from '../../../../src/config/watch/change-burst.ts'

interface Burst {
  readonly paths: readonly string[]
  readonly wasHeld: boolean
}

let held = false
let bursts: Burst[] = []
let changes: ChangeBurst

beforeEach(() => {
  vi.useFakeTimers()
  held = false
  bursts = []
  changes = new ChangeBurst({
    isHeld: () => held,
    onBurst: (paths, wasHeld) => bursts.push({ paths: [...paths], wasHeld }),
  })
})
afterEach(() => {
  changes.close()
  vi.useRealTimers()
})

test('changes in quick succession are combined', () => {
  changes.add('a')
  vi.advanceTimersByTime(4)
  changes.add('b')
  changes.add('a')
  vi.advanceTimersByTime(5)
  expect(bursts).toEqual([])
  vi.advanceTimersByTime(5)
  expect(bursts).toEqual([{ paths: ['a', 'b'], wasHeld: false }])
})

test('continuous changes are reported after a maximum time', () => {
  for (let ms = 0; ms < 220; ms += 4) {
    changes.add(`file ${ms}`)
    vi.advanceTimersByTime(4)
  }
  expect(bursts.length).toBeGreaterThan(0)
})

test('changes are held while many files are rewritten, and reported as held once', () => {
  held = true
  changes.add('a')
  vi.advanceTimersByTime(500)
  expect(bursts).toEqual([])
  held = false
  vi.advanceTimersByTime(20)
  changes.add('b')
  vi.advanceTimersByTime(20)
  expect(bursts).toEqual([
    { paths: ['a'], wasHeld: true },
    { paths: ['b'], wasHeld: false },
  ])
})

test('a stale lock holds changes for a limited time', () => {
  held = true
  changes.add('a')
  vi.advanceTimersByTime(6000)
  expect(bursts).toHaveLength(1)
})
