/** An interval, in milliseconds since the epoch. */
export interface Interval {
  readonly start: number
  readonly end: number
}

/** Collapsed time, and the positions of its band from 0 to 1. */
export interface Gap {
  readonly from: number
  readonly to: number
  readonly ms: number
  /** The time at which it ends, in milliseconds since the epoch. */
  readonly end: number
}

/** Maps times to positions from 0 to 1. */
export interface TimeScale extends Interval {
  readonly gaps: readonly Gap[]
  readonly at: (time: number) => number
  readonly timeAt: (position: number) => number
}

interface Piece extends Interval {
  readonly from: number
  readonly to: number
  readonly idle: boolean
}

/** Minimum idle time that is collapsed. */
const MIN_GAP_MS = 100
/** Minimum idle time that is collapsed, as a fraction of the busy time. */
const MIN_GAP_SHARE = 0.1
const GAP_WIDTH = 0.03
const ALL_GAPS_WIDTH = 0.3

/**
 * A scale over an interval. With `collapse`, long idle times (waiting for input, for the next attempt) are shown as
 * narrow bands.
 */
export function timeScale(range: Interval, busy: readonly Interval[], collapse: boolean): TimeScale {
  const end = Math.max(range.end, range.start + 1)
  const pieces = collapse ? piecesOf({ start: range.start, end }, busy) : []
  if (!pieces.some(({ idle }) => idle)) return plain({ start: range.start, end })
  const positioned = positionPieces(pieces)
  return {
    start: range.start,
    end,
    gaps: positioned
      .filter(({ idle }) => idle)
      .map(({ from, to, start, end: until }) => ({ from, to, ms: until - start, end: until })),
    at: (time) => {
      const piece = find(positioned, ({ end: until }) => time <= until)
      return between(time, [piece.start, piece.end], [piece.from, piece.to])
    },
    timeAt: (point) => {
      const piece = find(positioned, ({ to }) => point <= to)
      return between(point, [piece.from, piece.to], [piece.start, piece.end])
    },
  }
}

function plain({ start, end }: Interval): TimeScale {
  return {
    start,
    end,
    gaps: [],
    at: (time) => (time - start) / (end - start),
    timeAt: (point) => start + point * (end - start),
  }
}

function piecesOf(range: Interval, busy: readonly Interval[]): Omit<Piece, 'from' | 'to'>[] {
  const merged = mergeIntervals(busy)
  const total = merged.reduce((sum, { start, end }) => sum + end - start, 0)
  const shortest = Math.max(MIN_GAP_MS, total * MIN_GAP_SHARE)
  const pieces: Omit<Piece, 'from' | 'to'>[] = []
  let at = range.start
  for (const { start, end } of [...merged, { start: range.end, end: range.end }]) {
    if (start - at >= shortest) {
      pieces.push({ start: at, end: start, idle: true })
      at = start
    }
    const last = pieces.at(-1)
    if (last && !last.idle) pieces[pieces.length - 1] = { ...last, end: Math.max(last.end, end) }
    else if (end > at) pieces.push({ start: at, end, idle: false })
    at = Math.max(at, end)
  }
  return pieces
}

function positionPieces(pieces: readonly Omit<Piece, 'from' | 'to'>[]): Piece[] {
  const gaps = pieces.filter(({ idle }) => idle).length
  const gap = Math.min(GAP_WIDTH, ALL_GAPS_WIDTH / gaps)
  const busy = pieces.reduce((sum, { idle, start, end }) => sum + (idle ? 0 : end - start), 0)
  const rest = 1 - gap * gaps
  let at = 0
  return pieces.map((piece) => {
    const width = piece.idle ? gap : busy === 0 ? 0 : ((piece.end - piece.start) / busy) * rest
    const from = at
    at += width
    return { ...piece, from, to: at }
  })
}

/** The union of intervals, in order. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const merged: { start: number; end: number }[] = []
  for (const { start, end } of intervals.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** The first piece that matches, by binary search; the last one if none does. */
function find(pieces: readonly Piece[], matches: (piece: Piece) => boolean): Piece {
  let low = 0
  let high = pieces.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    const piece = pieces[middle]
    if (piece && matches(piece)) high = middle
    else low = middle + 1
  }
  return pieces[low] ?? { start: 0, end: 1, from: 0, to: 1, idle: false }
}

function between(
  value: number,
  [from, to]: readonly [number, number],
  [low, high]: readonly [number, number],
): number {
  return to === from ? low : low + ((value - from) / (to - from)) * (high - low)
}
