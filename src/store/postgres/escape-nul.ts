// Postgres refuses NUL in text. JSON has an escape for it; text that is not JSON gets one here.

const ESCAPE = '\u001A'

/** Text that Postgres can store, from which `unescapeNul` makes the original. */
export function escapeNul<Text extends string | null>(text: Text): Text {
  if (text === null || !(text.includes('\0') || text.includes(ESCAPE))) return text
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll('\0', `${ESCAPE}0`) as Text
}

/** The original of text from `escapeNul`. */
export function unescapeNul<Text extends string | null>(text: Text): Text {
  if (text === null || !text.includes(ESCAPE)) return text
  return text.replaceAll(`${ESCAPE}0`, '\0').replaceAll(`${ESCAPE}1`, ESCAPE) as Text
}
