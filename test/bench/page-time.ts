import { median } from './report.ts'

interface PageTimeOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly turns?: number
  /** How many of the turns do not count. */
  readonly warmUp?: number
}

/** Milliseconds until a page is read, in the middle of many turns. */
export async function pageTime(
  url: string,
  { headers = {}, turns = 60, warmUp = 10 }: PageTimeOptions = {},
): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const began = performance.now()
    await (await fetch(url, { headers })).text()
    if (turn >= warmUp) times.push(performance.now() - began)
  }
  return median(times)
}
