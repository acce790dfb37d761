import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newestTrace, tracedProject } from '../../support/browser/traced-project.ts'
import { chooseOption } from '../../support/browser/choose-option.ts'

const project = tracedProject()
const traces: Record<string, string> = {}

beforeAll(async () => {
  await project.start()
  await project.execute('order', { orderId: 'a' })
  traces['order'] = await newestTrace(project, 'workflowId=order')
  await project.execute('order', { fails: true })
  traces['failed'] = await newestTrace(project, 'status=error')
  await project.execute('many', {})
  traces['many'] = await newestTrace(project, 'workflowId=many')
  await project.execute('hostile', {})
  traces['hostile'] = await newestTrace(project, 'workflowId=hostile')
  await fetch(new URL('/agents/writer/text', project.server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ input: 'Say hello', options: { userId: 'u1', conversationId: 'c1' } }),
  })
  traces['agent'] = await newestTrace(project, 'agentId=writer')
})
afterAll(() => project.end())

const spansOf = async (name: string) => {
  const response = await fetch(new URL(`/observability/traces/${traces[name]}`, project.server.url))
  const { data } = (await response.json()) as { data: { spans: { spanId: string; name: string }[] } }
  return data.spans
}
const spanIn = async (name: string, prefix: string) => {
  const span = (await spansOf(name)).find((one) => one.name.startsWith(prefix))
  return span?.spanId ?? ''
}

describe('traces, in both themes', () => {
  it('are listed with their entities, without accessibility or CSP violations', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('traces?userId=')
    const rows = page.getByRole('grid', { name: 'Requests' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(6)
    const texts = await rows.allInnerTexts()
    expect(texts[1]).toMatch(/completed[\s\S]*Writer[\s\S]*agent/)
    expect(texts[3]).toMatch(/Many[\s\S]*workflow[\s\S]*2,023/)
    expect(texts[4]).toMatch(/^failed[\s\S]*Order/)
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('are shown with the selected span, without accessibility or CSP violations', async () => {
    const chosen = await spanIn('failed', 'step pay')
    const { page, complaints, axeInBothThemes } = await project.browser.open(
      `traces/${traces['failed']}?span=${chosen}`,
      {},
    )
    const panel = page.getByRole('region', { name: 'pay', exact: true })
    await panel.getByText('RangeError: card declined').first().waitFor()
    await panel.getByText('not paid').waitFor()
    expect(await panel.innerText()).toMatch(/src\/workflows\.ts:\d+:\d+/)
    expect(await axeInBothThemes()).toEqual([])
    await page.getByRole('tab', { name: 'Logs' }).click()
    await page.getByRole('option', { name: /checking the order/ }).waitFor()
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('show hostile names, attributes and messages as text', async () => {
    const spans = await spansOf('hostile')
    const bad = spans.find(({ name }) => name.startsWith('<img'))?.spanId
    const { page, complaints, axeInBothThemes } = await project.browser.open(
      `traces/${traces['hostile']}?span=${bad}`,
      {
        size: { width: 1024, height: 700 },
      },
    )
    await page.getByRole('heading', { name: 'Conversation' }).waitFor()
    await page.getByRole('heading', { name: '2 events' }).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?<img src=x onerror=.* · agentserver$/s)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    const tree = page.getByRole('tree', { name: 'Spans over time' })
    expect(await tree.innerText()).toContain(String.raw`\u202ebackwards\u202c red`)
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the list of traces', () => {
  it('keeps its filters in the URL, under the parameter names of the API', async () => {
    const { page } = await project.browser.open('traces?status=error')
    const rows = page.getByRole('row')
    await expect.poll(() => rows.count()).toBe(2)
    await chooseOption(page.getByLabel('Status'), 'any')
    await chooseOption(page.getByLabel('Agent'), 'Writer')
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.nth(1).innerText()).toContain('Writer')
    await chooseOption(page.getByLabel('Agent'), 'any')
    // letters at a select choose its options
    await page.locator('main h1').focus()
    await page.keyboard.press('f')
    await page.keyboard.type('workflow many')
    await expect.poll(() => rows.count()).toBe(2)
    await expect.poll(() => new URL(page.url()).search).toBe('?q=workflow+many')
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Minimum duration (ms)').fill('999999')
    await page.getByText('No requests match these filters').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('minDurationMs')).toBe('999999')
    await page.getByLabel('Minimum duration (ms)').fill('soon')
    await page.getByText('Request failed: HTTP 400').waitFor()
  })

  it('adds a new trace, and updates it until it ends', async () => {
    const { page } = await project.browser.open('traces?workflowId=open')
    await page.getByText('No requests match these filters').waitFor()
    const ended = project.execute('open', { gate: 'list-gate' })
    const rows = page.getByRole('row')
    await expect.poll(() => rows.count()).toBe(2)
    await expect.poll(() => rows.nth(1).innerText()).toContain('running')
    fs.writeFileSync(project.path('list-gate'), '')
    await ended
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/^completed/)
  })

  it('reports new traces while scrolled down', async () => {
    for (let n = 0; n < 60; n++) await project.execute('order', {})
    const { page } = await project.browser.open('traces?workflowId=order', {
      size: { width: 1024, height: 500 },
    })
    const grid = page.getByRole('grid')
    await grid.waitFor()
    await grid.focus()
    await page.keyboard.press('End')
    await expect.poll(() => grid.evaluate('(e) => e.scrollTop')).not.toBe(0)
    await page.waitForTimeout(600)
    await project.execute('order', {})
    await page.getByRole('button', { name: '1 new request' }).click()
    await expect.poll(() => page.getByRole('row').nth(1).innerText()).toContain('now')
  })

  it('opens a trace by keyboard', async () => {
    const { page } = await project.browser.open('traces')
    await page.getByRole('row').nth(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('tree', { name: 'Spans over time' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/traces\/[0-9a-f]{32}$/)
  })
})

describe('a trace', () => {
  it('with 2,000 spans is operated by keyboard', async () => {
    const { page } = await project.browser.open(`traces/${traces['many']}`)
    const tree = page.getByRole('tree', { name: 'Spans over time' })
    await tree.focus()
    const chosen = page.locator('[role="treeitem"][aria-selected="true"]')
    // the end of what is loaded
    const atEnd = async () => {
      await page.keyboard.press('End')
      return chosen.innerText()
    }
    await expect.poll(atEnd).toContain('query 19.99')
    expect(await chosen.getAttribute('aria-posinset')).toBe('2023')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => chosen.innerText()).toContain('group 19')
    await page.keyboard.press('ArrowLeft')
    expect(await chosen.getAttribute('aria-expanded')).toBe('false')
    expect(await chosen.getAttribute('aria-setsize')).toBe('1923')
    await page.keyboard.press('ArrowRight')
    expect(await chosen.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('Home')
    await expect.poll(() => chosen.innerText()).toContain('POST /workflows')
    await page.keyboard.press('j')
    await expect.poll(() => chosen.innerText()).toContain('Many')
    await page.getByRole('link', { name: 'many' }).first().waitFor()
    // only rows in view are in the DOM
    expect(await page.getByRole('treeitem').count()).toBeLessThan(120)
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  it('lists Escape in its shortcuts while a span is shown, once', async () => {
    const { page } = await project.browser.open(`traces/${traces['failed']}`)
    await page.getByRole('treeitem', { name: /^pay/ }).waitFor()
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    const linesWith = async (text: string) => {
      await page.keyboard.press('?')
      await sheet.waitFor()
      const lines = (await sheet.innerText()).split('\n').filter((line) => line.includes(text))
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      return lines.length
    }
    expect(await linesWith('Close details')).toBe(0)
    await page.getByRole('treeitem', { name: /^pay/ }).click()
    await page.getByRole('region', { name: 'pay', exact: true }).waitFor()
    expect(await linesWith('Close details')).toBe(1)
  })

  it('is searched, with the ancestors of matching spans', async () => {
    const { page } = await project.browser.open(`traces/${traces['many']}`)
    const rows = page.getByRole('tree', { name: 'Spans over time' }).getByRole('treeitem')
    await rows.first().waitFor()
    // letters at a select choose its options
    await page.locator('main h1').focus()
    await page.keyboard.press('f')
    await page.keyboard.type('SELECT 77')
    await page.getByText('20 of 2,023').waitFor()
    expect((await rows.allInnerTexts()).slice(0, 5).join()).toMatch(/Many.*spans.*group 0.*query 0\.77/s)
    await page.getByLabel('Search spans').fill('')
    await page.getByLabel('Only errors').check()
    await page.getByText('1 of 2,023').waitFor()
    expect(await rows.last().innerText()).toContain('query 3.7')
    await page.getByRole('button', { name: /^request/ }).click()
    await page.getByText('No spans match these filters').waitFor()
  })

  it('shows messages and tokens of a model call', async () => {
    const chosen = await spanIn('agent', 'chat')
    const { page } = await project.browser.open(`traces/${traces['agent']}?span=${chosen}`)
    const panel = page.getByRole('region', { name: 'demo', exact: true })
    await panel.getByText('Say hello', { exact: true }).waitFor()
    const text = await panel.innerText()
    expect(text).toMatch(/Input tokens\s+\d+/)
    expect(text).toMatch(/Finish reason\s+stop/)
    expect(text).toMatch(/system\s+Answer briefly\.\s+user\s+Say hello\s+assistant/)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'writer' }).first().click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/agents/writer')
  })

  it('is updated while it runs', async () => {
    const ended = project.execute('open', { gate: 'trace-gate' })
    await expect
      .poll(() => newestTrace(project, 'workflowId=open&status=running').catch(() => ''))
      .not.toBe('')
    const { page } = await project.browser.open(
      `traces/${await newestTrace(project, 'workflowId=open&status=running')}`,
    )
    const hold = page.getByRole('treeitem', { name: /^hold/ })
    await expect.poll(() => hold.innerText()).toContain('running')
    fs.writeFileSync(project.path('trace-gate'), '')
    await ended
    await expect.poll(() => hold.innerText()).not.toContain('running')
    await expect.poll(() => page.locator('header').first().innerText()).toContain('completed')
  })

  it('shows the error of a missing trace', async () => {
    const { page } = await project.browser.open(`traces/${'a'.repeat(32)}`, { expected: /404/ })
    const alert = page.getByRole('alert').filter({ hasText: 'Request failed: HTTP 404' })
    await alert.waitFor()
    expect(await alert.innerText()).toMatch(/Trace not found: a{32}[\s\S]*Request id/)
  })
})

it('what model calls cost stands in the list, the trace and the overview', async () => {
  const texts = async (path: string, name: string) => {
    const { page } = await project.browser.open(path)
    await page.getByText(name, { exact: true }).first().waitFor()
    return page.locator('main').innerText()
  }
  await expect.poll(() => texts('traces?agentId=writer', 'Cost')).toMatch(/\$0\.\d/)
  expect(await texts(`traces/${traces['agent']}`, 'Cost')).toMatch(/Cost\s+\$0\.\d/)
  expect(await texts('', 'Cost, 24 h')).toMatch(/Cost, 24 h\s+\$0\.\d/)
})
