import { expect, it } from 'vitest'
import { readJsonBody } from '../../../../src/http/request/request-body.ts'

const post = (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  headers: Readonly<Record<string, string>> = {},
) =>
  new Request('http://localhost/', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })

function streamOf(...chunks: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
}

it('returns the JSON of a body, with and without a declared length', async () => {
  expect(await readJsonBody(post('{"a":1}', { 'content-length': '7' }), 100)).toEqual({ a: 1 })
  expect(await readJsonBody(post(streamOf('{"a"', ':1}')), 100)).toEqual({ a: 1 })
})

it('returns undefined without a body', async () => {
  expect(await readJsonBody(post(null), 100)).toBeUndefined()
  expect(await readJsonBody(post(streamOf()), 100)).toBeUndefined()
})

it.each([
  ['too large by its declared length', post('{}', { 'content-length': '101' }), 'payload_too_large'],
  ['too large while it is read', post(streamOf('x'.repeat(60), 'x'.repeat(60))), 'payload_too_large'],
  ['of another type', post('{}', { 'content-type': 'text/plain' }), 'unsupported_media_type'],
  ['compressed', post('{}', { 'content-encoding': 'gzip' }), 'unsupported_media_type'],
  ['not JSON', post('{'), 'invalid_input'],
  ['not UTF-8', post(new Uint8Array([0x22, 0xff, 0x22])), 'invalid_input'],
])('refuses a body that is %s', async (_, request, code) => {
  await expect(readJsonBody(request, 100)).rejects.toMatchObject({ code })
})

it('refuses a body whose sender disconnects', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('reset')),
  })
  await expect(readJsonBody(post(broken), 100)).rejects.toMatchObject({
    code: 'invalid_input',
    message: 'The body could not be read',
  })
})
