/** Milliseconds between two ISO 8601 times; null without an end. */
export function durationBetween(start: string, end: string | null): number | null {
  return end === null ? null : Math.max(0, Date.parse(end) - Date.parse(start))
}
