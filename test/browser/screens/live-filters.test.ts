import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject()

beforeAll(async () => {
  await project.start()
  await project.execute('order', { orderId: 'first', amount: 1 })
})
afterAll(() => project.end())

describe('a text filter', () => {
  it('is applied 200 ms after the last keystroke while updates stream in', async () => {
    let updates = 0
    const { page } = await project.browser.open('executions', {
      prepare: async (context) => {
        await context.clock.install()
        context.on('page', (opened) =>
          opened.on('websocket', (socket) =>
            socket.on('framereceived', ({ payload }) => {
              if (String(payload).includes('execution:')) updates++
            }),
          ),
        )
      },
    })
    await page.getByRole('row').nth(1).waitFor()
    const filtered: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).searchParams.has('userId')) filtered.push(request.url())
    })
    // from here on, time passes on the page only when the test says so
    const now = (await page.evaluate('Date.now()')) as number
    await page.clock.pauseAt(now + 1000)
    await page.getByLabel('User').pressSequentially('nobody')
    for (let passed = 0; passed < 200; passed += 10) {
      // the page renders new rows in between
      const before = updates
      await project.execute('order', { orderId: `live ${passed}`, amount: 1 })
      await expect.poll(() => updates).toBeGreaterThan(before)
      await page.clock.runFor(10)
    }
    await expect.poll(() => filtered.length).toBeGreaterThan(0)
    expect(new URL(page.url()).searchParams.get('userId')).toBe('nobody')
    await page.clock.resume()
    await page.getByText('No runs match these filters').waitFor()
  })
})
