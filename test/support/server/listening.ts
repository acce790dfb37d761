import { afterAll, beforeAll } from 'vitest'
import type { TestServer } from './test-server.ts'

/** Starts a server during the tests of a file. Returns a function that makes URLs of its paths. */
export function listening(server: TestServer): (path: string) => string {
  let bound: Awaited<ReturnType<TestServer['listen']>>
  beforeAll(async () => {
    bound = await server.listen()
  })
  afterAll(async () => {
    await bound.close(0)
    await server.close()
  })
  return (path) => bound.url + path
}
