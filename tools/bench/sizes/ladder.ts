const FIRST = 1000

/** The powers of ten from 1,000 that are below a size, and that size. */
export function ladderTo(size: number): readonly number[] {
  const sizes: number[] = []
  for (let one = FIRST; one < size; one *= 10) sizes.push(one)
  return [...sizes, size]
}
