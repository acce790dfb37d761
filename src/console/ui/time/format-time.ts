/** Local time, such as `12:04:31`. */
export function clockTime(instant: string | number): string {
  return new Date(instant).toLocaleTimeString('en-GB')
}

/** Local date and time, such as `2026-11-20 12:04:31.250`. */
export function exactTime(instant: string | number): string {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return String(instant)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${clockTime(date.getTime())}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** Relative time, such as `3 min ago`. */
export function ago(instant: string | number, now: number): string {
  const passed = now - new Date(instant).getTime()
  const unit = UNITS.find(([, size]) => passed >= size)
  return unit ? `${Math.floor(passed / unit[1])} ${unit[0]} ago` : 'now'
}

/** Time until an instant, such as `in 3 min`. */
export function inText(instant: string, now: number): string {
  const left = Date.parse(instant) - now
  const unit = UNITS.find(([, size]) => left >= size)
  return unit ? `in ${Math.floor(left / unit[1])} ${unit[0]}` : 'now'
}

/** Duration in two units at most: `0.4 ms`, `12 ms`, `1.25 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`; `?` when a time is not known. */
export function durationText(ms: number): string {
  if (Number.isNaN(ms)) return '?'
  if (ms < 1) return `${Math.round(ms * 100) / 100} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`
  const index = UNITS.findIndex(([, size]) => ms >= size)
  const [name, size] = UNITS[index] ?? UNITS[3]
  const next = UNITS[index + 1]
  const rest = next ? Math.floor((ms % size) / next[1]) : 0
  return `${Math.floor(ms / size)} ${name}${next && rest > 0 ? ` ${rest} ${next[0]}` : ''}`
}

/** Number with separators, such as `12,345`; `?` for one that is not known. */
export function countText(count: number | null): string {
  return count === null ? '?' : count.toLocaleString('en-US')
}

/** Milliseconds between two ISO 8601 times; null without an end. */
export function durationBetween(start: string, end: string | null | undefined): number | null {
  return end == null ? null : Math.max(0, Date.parse(end) - Date.parse(start))
}
