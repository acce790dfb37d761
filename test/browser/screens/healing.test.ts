import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { BrowserContext, Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

/** Not stopped or changed: what fails in its tests fails in the browser. */
const steady = new ConsoleProject()
beforeAll(() => steady.start())
afterAll(() => steady.end())

/** Those of a test that stops its server, or needs files of its own. */
const projects: ConsoleProject[] = []

async function served(files: Readonly<Record<string, string>> = {}): Promise<ConsoleProject> {
  const project = new ConsoleProject(files)
  projects.push(project)
  await project.start()
  return project
}

afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.end()))
})

/** Console messages of the browser for failed requests. */
const FAILED = /status of|ERR_|WebSocket connection to|dynamically imported module|preload/

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

const workflows = (page: Page) => page.getByRole('list', { name: 'Workflows' })

/** Refuses requests for the code of a screen. */
const withoutCode = (name: string, times?: number) => (context: BrowserContext) =>
  context.route(
    new RegExp(`/assets/${name}-[^/]*js$`),
    (route) => route.abort(),
    times === undefined ? {} : { times },
  )

/** The server answers that it has another build of the console. */
const otherBuild = (context: BrowserContext) =>
  context.route(/\/console\/$/, async (route) => {
    // the server of the test may be stopped
    const response = await route.fetch().catch(() => undefined)
    if (!response) return route.abort()
    return route.fulfill({
      response,
      body: (await response.text()).replaceAll(/assets\/index-[\w-]+\.js/g, 'assets/index-newer.js'),
    })
  })

const AGENT = {
  'agentserver.config.ts': `
    import { createAgent, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    const model = scriptedModel(['An **answer**'], { repeatLast: true })
    export default defineConfig({ agents: [createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', model })] })
  `,
}

describe('a screen whose code could not be loaded', () => {
  it('loads by itself', async () => {
    const { page } = await steady.browser.open('executions', {
      expected: FAILED,
      prepare: withoutCode('workflows-screen', 1),
    })
    await page.getByText('Live').waitFor()
    await page.getByRole('link', { name: 'Workflows' }).click()
    await workflows(page).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/workflows')
  })

  it('says so when it can never be loaded, and does not reload the page again and again', async () => {
    let loads = 0
    const { page, axe } = await steady.browser.open('executions', {
      expected: FAILED,
      prepare: withoutCode('workflows-screen'),
    })
    page.on('domcontentloaded', () => loads++)
    await page.getByText('Live').waitFor()
    await page.getByRole('link', { name: 'Workflows' }).click()
    await expect.poll(() => loads).toBe(1)
    await page.getByText('Part of this page could not be loaded').waitFor()
    await page.getByText('The code of this page could not be loaded').waitFor()
    expect(await page.getByText('cannot be reached').count()).toBe(0)
    expect(await axe()).toEqual([])
    expect(loads).toBe(1)
  })

  it('loads when a server that was stopped is back', async () => {
    const project = await served()
    const { page } = await project.browser.open('executions', { expected: FAILED })
    await page.getByText('No runs yet').waitFor()
    const { port } = new URL(project.server.url)
    await project.server.kill('SIGKILL')
    await page.getByText('The server is not responding').waitFor()
    await page.getByRole('link', { name: 'Workflows' }).click()
    await page.getByRole('heading', { name: 'No response' }).waitFor()
    await project.serve('dev', { args: ['--port', port] })
    await workflows(page).waitFor()
    await page.getByText('The server is not responding').waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('does not take what was typed: the page says what is missing', async () => {
    const project = await served(AGENT)
    const { page, axe } = await project.browser.open('agents/clerk', {
      expected: FAILED,
      prepare: withoutCode('markdown'),
    })
    await page.getByLabel('Message', { exact: true }).fill('Hello')
    await page.keyboard.press('Enter')
    // without the code for Markdown, the answer is plain text
    await page.getByText('An **answer**').waitFor()
    await page.getByText('Part of this page could not be loaded').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('half a sentence')
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('half a sentence')
    expect(await axe()).toEqual([])
  })
})

describe('failed requests', () => {
  it('are repeated when a stopped server is back', async () => {
    const project = await served()
    const { page } = await project.browser.open('workflows', { expected: FAILED })
    await workflows(page).waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).hover()
    await page.waitForLoadState('networkidle')
    const { port } = new URL(project.server.url)
    await project.server.kill('SIGKILL')
    await page.getByText('The server is not responding').waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('heading', { name: 'No response' }).first().waitFor()
    await project.serve('dev', { args: ['--port', port] })
    await page.getByText('No runs yet').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('are repeated when a server that stayed connected can serve them again', async () => {
    let isAway = true
    const { page } = await steady.browser.open('workflows', {
      expected: FAILED,
      prepare: (context) =>
        context.route(/\/workflows(\?|$)/, (route) =>
          isAway && route.request().resourceType() === 'fetch'
            ? route.fulfill({ status: 503, json: { success: false, error: 'The database does not respond' } })
            : route.continue(),
        ),
    })
    await page.getByText('The database does not respond').waitFor()
    expect(await page.getByText('not responding').count()).toBe(0)
    isAway = false
    await workflows(page).waitFor()
  })
})

describe('a server that responds with 503', () => {
  it('is not said to be silent while its configuration is broken, and the page heals', async () => {
    const project = await served({ 'agentserver.config.ts': 'export default {' })
    const { page, axe } = await project.browser.open('executions', { expected: FAILED })
    await page.getByText('Waiting for the server').waitFor()
    await page
      .getByRole('alert', { name: 'Configuration error' })
      .getByText('The configuration has not loaded yet')
      .waitFor()
    // it is said once
    expect(await page.getByText('The configuration has not loaded yet').count()).toBe(1)
    expect(await page.getByText('does not serve data').count()).toBe(0)
    expect(await page.getByText('Request failed').count()).toBe(0)
    expect(await page.getByText('not responding').count()).toBe(0)
    expect(await page.getByText('No response').count()).toBe(0)
    expect(await axe()).toEqual([])
    project.write({
      'agentserver.config.ts': `import { defineConfig } from 'agentserver'\nexport default defineConfig({})\n`,
    })
    await page.getByText('No runs yet').waitFor()
    await page.getByText('Live').waitFor()
    await page.getByText('Waiting for the server').waitFor({ state: 'detached' })
  })
})

describe('an update of the package', () => {
  it('reloads a page of the older build once', async () => {
    const project = await served()
    let loads = 0
    const { page } = await project.browser.open('executions', { expected: FAILED, prepare: otherBuild })
    page.on('domcontentloaded', () => loads++)
    await page.getByText('Live').waitFor()
    const { port } = new URL(project.server.url)
    await project.server.kill('SIGTERM')
    await page.getByText('The server is not responding').waitFor()
    await project.serve('dev', { args: ['--port', port] })
    // this server keeps sending the older page
    await expect.poll(() => loads).toBe(1)
    await page.getByText('Live').waitFor()
  })

  it('leaves a page with typed text to its user, until the next navigation', async () => {
    const project = await served(AGENT)
    const { page, axe } = await project.browser.open('agents/clerk', {
      expected: FAILED,
      prepare: otherBuild,
    })
    await page.getByText('Live').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('half a sentence')
    const { port } = new URL(project.server.url)
    await project.server.kill('SIGTERM')
    await page.getByText('The server is not responding').waitFor()
    await project.serve('dev', { args: ['--port', port] })
    await page.getByText('The server has another version of this page').waitFor()
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('half a sentence')
    expect(await axe()).toEqual([])
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      page.getByRole('link', { name: 'Runs', exact: true }).click(),
    ])
    await heading(page, 'Runs').waitFor()
  })

  it('is named where the page and the server have different versions, and the page works', async () => {
    const { page, axe } = await steady.browser.open('executions', {
      prepare: (context) =>
        context.route(/\/observability\/settings$/, async (route) => {
          const response = await route.fetch()
          const { data } = (await response.json()) as { data: object }
          await route.fulfill({ response, json: { success: true, data: { ...data, version: '0.0.9' } } })
        }),
    })
    await page.getByText(/This page is of agentserver [\d.]+, the server runs 0\.0\.9/).waitFor()
    expect(await axe()).toEqual([])
    await page.getByText('No runs yet').waitFor()
  })
})
