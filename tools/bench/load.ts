import autocannon from 'autocannon'

export interface LoadOptions {
  readonly url: string
  readonly body?: unknown
  /** Called for the body of each request, instead of one that all have. */
  readonly bodyOf?: () => unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly seconds?: number
  readonly connections?: number
  /** Stops after this number of requests instead. */
  readonly amount?: number
  /** Seconds after which a request has failed. */
  readonly timeout?: number
}

export interface LoadResult {
  readonly perSecond: number
  readonly total: number
  readonly failed: number
}

/** Sends requests to a server as fast as it responds. */
export async function load({
  url,
  body,
  bodyOf,
  headers = {},
  seconds = 4,
  connections = 10,
  amount,
  timeout = 10,
}: LoadOptions): Promise<LoadResult> {
  const result = await autocannon({
    url,
    connections,
    timeout,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(body !== undefined && {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    ...(bodyOf && {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      requests: [{ setupRequest: (request) => ({ ...request, body: JSON.stringify(bodyOf()) }) }],
    }),
  })
  const failed = result.non2xx + result.errors + result.timeouts
  return { perSecond: result.requests.total / result.duration, total: result.requests.total, failed }
}

/** The ratio of the rates of two servers. They are measured alternately, so that changes of the machine affect both. */
export async function ratio(ours: LoadOptions, theirs: LoadOptions, rounds = 3): Promise<RatioResult> {
  await load({ ...theirs, seconds: 2 })
  await load({ ...ours, seconds: 2 })
  const pairs: [number, number][] = []
  let failed = 0
  for (let round = 0; round < rounds; round++) {
    const bare = await load(theirs)
    const own = await load(ours)
    failed += own.failed
    pairs.push([own.perSecond, bare.perSecond])
  }
  const middle = pairs.toSorted((a, b) => a[0] / a[1] - b[0] / b[1])[Math.floor(pairs.length / 2)] ?? [0, 0]
  return { ratio: middle[0] / middle[1], ours: middle[0], theirs: middle[1], failed }
}

export interface RatioResult {
  readonly ratio: number
  readonly ours: number
  readonly theirs: number
  readonly failed: number
}
