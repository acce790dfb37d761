const LARGE = 100_000

/** Whether the JSON of a value has more than about 100,000 characters. Stops counting there. */
export function isLarge(value: unknown): boolean {
  let left = LARGE
  // not recursive: values may be nested deeply
  const open = [value]
  while (open.length > 0 && left >= 0) {
    const one = open.pop()
    if (typeof one === 'string') left -= one.length
    else if (typeof one !== 'object' || one === null) left--
    else
      for (const key in one) {
        left -= key.length
        if (left < 0) break
        open.push((one as Readonly<Record<string, unknown>>)[key])
      }
  }
  return left < 0
}
