import { afterAll, beforeAll } from 'vitest'
import type { TestServer } from './test-server.ts'

/** Has a server listen while the tests of a file run; tells where a path of it is. */
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
