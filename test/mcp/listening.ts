import { afterAll, beforeAll } from 'vitest'
import type { TestServer } from '../api/test-server.ts'

/** Has a server listen while the tests of a file run; tells where a path of it is. */
export function listening(server: TestServer): (path: string) => string {
  let url = ''
  let stop: ((graceMs: number) => Promise<void>) | undefined
  beforeAll(async () => {
    ;({ url, close: stop } = await server.listen())
  })
  afterAll(async () => {
    await stop?.(0)
    await server.close()
  })
  return (path) => url + path
}
