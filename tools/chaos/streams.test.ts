import { expect, it } from 'vitest'
import { Streams } from './streams.ts'

const respond = (...chunks: string[]) => new Response(new Blob(chunks).stream())
const event = (id: number, data = `{"n":${id}}`) => `id: ${id}\ndata: ${data}\n\n`

const recorded = (...events: string[]) => new Map(events.map((data, index) => [index + 1, data]))

async function streamed(...responses: Response[]): Promise<Streams> {
  const streams = new Streams()
  streams.add('a')
  for (const response of responses) await streams.read('a', response, { ends: false })
  return streams
}

it('Streams puts together what one server and the next have streamed, without what has no number', async () => {
  const streams = await streamed(respond(event(1), 'data: {"live":true}\n\n', event(2)), respond(event(3)))
  expect(streams.violations).toEqual([])
  expect(streams.open).toEqual(new Map([['a', 3]]))
  expect(streams.differences('a', recorded('{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}'))).toEqual([])
})

it.each([
  ['skipped', [event(1), event(3), event(4)], 'a: event 3 streamed after 1'],
  ['repeated', [event(1), event(1)], 'a: event 1 streamed after 1'],
])('Streams reports an event that was %s', async (_, events, violation) => {
  expect((await streamed(respond(...events))).violations).toEqual([violation])
})

it('Streams reports an event that is recorded otherwise, or not at all', async () => {
  const streams = await streamed(respond(event(1), event(2)))
  expect(streams.differences('a', recorded('{"n":1}', '{"n":0}'))).toEqual([
    'a: event 2 was streamed as {"n":2}, recorded as {"n":0}',
  ])
  expect(streams.differences('a', recorded('{"n":1}'))).toEqual([
    'a: event 2 was streamed as {"n":2}, recorded as undefined',
  ])
})

it('Streams has nothing open when a stream has ended with its execution', async () => {
  const streams = await streamed(respond(event(1)))
  await streams.read('a', respond(event(2)), { ends: true })
  expect(streams.open.size).toBe(0)
})
