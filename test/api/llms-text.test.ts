import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { TempProject } from '../support/project/temp-project.ts'
import { TestServer } from '../support/server/test-server.ts'

const project = new TempProject()
const get = async (production: boolean) => {
  const server = new TestServer({}, { root: project.root, production })
  const response = await server.request('/llms.txt')
  const text = await response.text()
  await server.close()
  return { status: response.status, text }
}

it('the list of pages for language models has links to files, and is served in development only', async () => {
  const { status, text } = await get(false)
  expect(status).toBe(200)
  const links = [...text.matchAll(/\]\(([^):]+)\)/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThan(40)
  expect(links.filter((link) => !existsSync(path.join(project.root, link)))).toEqual([])
  expect((await get(true)).status).toBe(404)
  project.remove()
})
