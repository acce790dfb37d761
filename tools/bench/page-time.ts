import { median } from './report.ts'

interface PageTimeOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly turns?: number
  /** Number of first turns that are not counted. */
  readonly warmUp?: number
}

/** The median time to read a page, in milliseconds. */
export async function pageTime(
  url: string,
  { headers = {}, turns = 60, warmUp = 10 }: PageTimeOptions = {},
): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const startedAt = performance.now()
    await (await fetch(url, { headers })).text()
    if (turn >= warmUp) times.push(performance.now() - startedAt)
  }
  return median(times)
}
