import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    const line = 'parcel '.repeat(12) + '\\n'
    const text = () => line.repeat(10_000_000 / line.length)
    const big = createWorkflow({ id: 'big', name: 'Big' }).andThen({ id: 'text', execute: text })
    const model = scriptedModel([text()])
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Read.', model, memory: {} })
    export default defineConfig({ workflows: [big], agents: [clerk] })
  `,
})
let id = ''
beforeAll(async () => {
  await project.start()
  id = await project.execute('big', {})
  await fetch(new URL('/agents/clerk/text', project.server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input: 'Read it', options: { userId: 'u1', conversationId: 'c1' } }),
  })
})
afterAll(() => project.end())

/** Characters and elements of a page: more of them block it. */
const MAX_CHARS = 700_000
const MAX_ELEMENTS = 5000
const sizeOf = async (page: Page) => ({
  chars: Number(await page.evaluate('document.body.textContent.length')),
  elements: Number(await page.evaluate('document.querySelectorAll("*").length')),
})
const isBounded = async (page: Page) => {
  const { chars, elements } = await sizeOf(page)
  expect(chars).toBeLessThan(MAX_CHARS)
  expect(elements).toBeLessThan(MAX_ELEMENTS)
}
const savedBy = async (page: Page, name: string) => {
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name, exact: true }).click()
  await (await saved).saveAs(project.path('saved'))
  return fs.statSync(project.path('saved')).size
}

describe('an execution with texts of 10 MB', () => {
  it('shows its output in parts, and downloads the whole', async () => {
    const { page, axe, complaints } = await project.browser.open(`executions/${id}`)
    await page.getByRole('button', { name: 'Show 100000 more characters' }).click()
    await page.getByRole('button', { name: /^Show 100000 more characters of 98/ }).waitFor()
    await isBounded(page)
    expect(await savedBy(page, 'Download Output')).toBeGreaterThan(9_900_000)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })

  it.each(['view=graph', 'tab=events'])('has a bounded page for %s', async (search) => {
    const { page, complaints } = await project.browser.open(`executions/${id}?${search}`)
    await page.getByRole('tab', { selected: true }).waitFor()
    await page.getByText('completed').first().waitFor()
    await isBounded(page)
    expect(complaints).toEqual([])
  })
})

describe('a chat with an answer of 10 MB', () => {
  it('shows its beginning, and downloads the whole', async () => {
    const { page, axe, complaints } = await project.browser.open('agents/clerk?tab=chat&conversation=c1', {
      theme: 'dark',
    })
    await page.getByRole('button', { name: /^Show more of 9,6/ }).click()
    await isBounded(page)
    expect(await savedBy(page, 'Download all')).toBeGreaterThan(9_900_000)
    expect(await axe()).toEqual([])
    expect(complaints).toEqual([])
  })
})
