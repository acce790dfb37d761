import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TraceDetail } from '../../src/contract/endpoints/trace.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const server = new TestServer()
let address = ''

beforeAll(async () => {
  const { executionId } = await server.execute('everything')
  const { metadata } = await server.record('everything', executionId)
  address = `/observability/traces/${metadata.traceId}`
})
afterAll(() => server.close())

async function page(search: string): Promise<TraceDetail & { next: string | null }> {
  const response = await server.request(address + search)
  return { ...(await dataOf<TraceDetail>(response.clone())), next: response.headers.get('x-next-cursor') }
}

it('the spans of a trace are paged without gaps or duplicates, in the order of the whole trace', async () => {
  const whole = await page('')
  expect(whole).toMatchObject({ truncated: false, next: null, spanCount: whole.spans.length })
  const seen: string[] = []
  let cursor = ''
  for (let pages = 0; pages < 100; pages++) {
    const part = await page(`?limit=2${cursor}`)
    expect(part.truncated).toBe(part.next !== null)
    expect(part.spanCount).toBe(whole.spanCount)
    seen.push(...part.spans.map(({ spanId }) => spanId))
    if (part.next === null) break
    cursor = `&cursor=${part.next}`
  }
  expect(seen.toSorted()).toEqual(whole.spans.map(({ spanId }) => spanId).toSorted())
})

it('invalid page parameters of a trace are refused with the reason', async () => {
  expect(await refusalOf(server.request(`${address}?limit=0`), 400)).toContain('limit: ')
  expect(await refusalOf(server.request(`${address}?limit=5001`), 400)).toContain('from 1 to 5000')
  expect(await refusalOf(server.request(`${address}?cursor=nope`), 400)).toContain('cursor: ')
})
