import { createHmac } from 'node:crypto'
import { andThen, createWorkflow } from 'agentserver'
import type { AgentServerConfig, AuthorizeRequest, AuthNext } from 'agentserver'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ResumeLinks } from '../../src/auth/resume-links.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const Decision = z.object({
  approved: z.boolean(),
  level: z.enum(['low', 'high']),
  amount: z.number().max(100).optional(),
  note: z.string().max(50).optional(),
  tags: z.array(z.string()).optional(),
})
const urls: string[] = []
const approval = createWorkflow({
  id: 'approval',
  name: 'Approve <b>this</b>',
  run: async ({ step }) =>
    step.suspend('approve', {
      reason: 'Too much & too fast',
      data: { total: 250, by: '<script>alert(1)</script>' },
      resumeSchema: Decision,
      notify: ({ url, step: within }) => within.run('mail', () => void urls.push(url)),
    }),
})
const chain = createWorkflow(
  { id: 'chain' },
  andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }): unknown =>
      resumeData === 'again' ? suspend('Again?') : (resumeData ?? suspend('First?')),
  }),
)
const sleeping = createWorkflow({ id: 'sleeping', run: async ({ step }) => step.sleep('nap', '1h') })
const waiting = createWorkflow({ id: 'waiting' }).andWaitForEvent({ id: 'w', event: 'x' })
const timed = createWorkflow({
  id: 'timed',
  run: async ({ step }) => step.suspend('ask', { timeout: '1h', onTimeout: 'continue' }),
})
const closed = createWorkflow({
  id: 'closed',
  resumableBy: 'others',
  run: async ({ step }) => step.suspend('ask', { notify: ({ url }) => urls.push(url) }),
})

interface Started {
  readonly executionId: string
  readonly status: string
}

describe('signed links', () => {
  const servers: TestServer[] = []
  const serve = (
    config: AgentServerConfig = {},
    options: ConstructorParameters<typeof TestServer>[1] = {},
  ): TestServer => {
    const workflows = [approval, chain, sleeping, waiting, timed, closed]
    const server = new TestServer({ workflows, ...config }, options)
    servers.push(server)
    return server
  }
  afterEach(async () => {
    vi.unstubAllEnvs()
    urls.length = 0
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })
  const start = (server: TestServer, workflow: string, headers?: Readonly<Record<string, string>>) =>
    dataOf<Started>(server.post(`/workflows/${workflow}/execute`, { input: {} }, headers))
  const record = (server: TestServer, workflow: string, id: string, headers = {}) =>
    dataOf<{
      status: string
      output?: unknown
      resumeUrl?: string
      resumedOver?: string
      resumedAs?: string
    }>(server.request(`/workflows/${workflow}/executions/${id}`, { headers }))
  const pathOf = (url: string | undefined) => new URL(url ?? 'http://none/').pathname
  const submit = (server: TestServer, path: string, fields: Record<string, string>) =>
    server.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })

  it('a link shows a page without a script, with the form of the schema, and its form resumes the execution once', async () => {
    const server = serve()
    const { executionId, status } = await start(server, 'approval')
    expect(status).toBe('suspended')
    const { resumeUrl } = await record(server, 'approval', executionId)
    expect(resumeUrl).toMatch(/^http:\/\/localhost:3141\/links\/[\w-]+\.[\w-]+$/)
    expect(await dataOf(server.request(`/observability/executions/${executionId}`))).toMatchObject({
      resumeUrl,
    })
    const page = await server.request(pathOf(resumeUrl))
    expect([page.status, page.headers.get('content-type'), page.headers.get('referrer-policy')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'same-origin',
    ])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await page.text()
    expect(html).not.toMatch(/<script|<b>/)
    for (const part of [
      'Approve &lt;b&gt;this&lt;/b&gt;',
      'Too much &amp; too fast',
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      '<input type="checkbox" id="f-approved" name="approved" value="true">',
      '<select id="f-level" name="level" required><option value="" selected></option><option value="low">low</option>',
      '<input type="number" step="any" id="f-amount" name="amount" value="">',
      '<input id="f-note" name="note" maxlength="50" value="">',
      '<textarea id="f-tags" name="tags" placeholder="JSON"></textarea>',
    ])
      expect(html).toContain(part)
    const fields = { approved: 'true', level: 'high', amount: '12.5', note: '', tags: '["a"]' }
    const sent = await submit(server, pathOf(resumeUrl), fields)
    expect([sent.status, await sent.text()]).toEqual([
      200,
      expect.stringContaining('Your response was received'),
    ])
    const resumed = () => record(server, 'approval', executionId)
    await expect.poll(resumed).toMatchObject({
      status: 'completed',
      output: { approved: true, level: 'high', amount: 12.5, tags: ['a'] },
      resumedAs: 'anyone',
      resumedOver: 'link',
    })
    for (const dead of [
      await server.request(pathOf(resumeUrl)),
      await submit(server, pathOf(resumeUrl), fields),
    ])
      expect([dead.status, await dead.text()]).toEqual([404, expect.stringContaining('was used already')])
  })

  it('data that does not match the schema is refused with the form as it was sent', async () => {
    const server = serve()
    const { executionId } = await start(server, 'approval')
    const path = pathOf((await record(server, 'approval', executionId)).resumeUrl)
    const sent = await submit(server, path, { level: 'low', amount: '101', note: 'a "quote"' })
    const html = await sent.text()
    expect(sent.status).toBe(400)
    expect(html).toContain('role="alert">Resume data validation failed: resumeData.amount')
    expect(html).toContain('name="amount" value="101"')
    expect(html).toContain('value="a &quot;quote&quot;"')
    expect(html).toContain('<option value="low" selected>')
    expect((await record(server, 'approval', executionId)).status).toBe('suspended')
    const dead = await server.request(path.slice(0, -1), { headers: { accept: 'text/html,*/*' } })
    expect([dead.status, dead.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  })

  it('a link takes JSON, and returns the id of the execution', async () => {
    const server = serve()
    const { executionId } = await start(server, 'approval')
    const path = pathOf((await record(server, 'approval', executionId)).resumeUrl)
    const wrong = await server.post(path, { resumeData: { approved: 'yes' } })
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('resumeData.approved')])
    const right = { resumeData: { approved: false, level: 'low' } }
    expect(await dataOf(server.post(path, right))).toEqual({ executionId, status: 'running' })
    await expect
      .poll(() => record(server, 'approval', executionId))
      .toMatchObject({ output: right.resumeData })
    expect((await server.post(path, right)).status).toBe(404)
  })

  it('of two responses at the same time one resumes the execution', async () => {
    const server = serve()
    const { executionId } = await start(server, 'approval')
    const path = pathOf((await record(server, 'approval', executionId)).resumeUrl)
    const body = { resumeData: { approved: true, level: 'low' } }
    const sent = await Promise.all(Array.from({ length: 5 }, () => server.post(path, body)))
    expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404])
  })

  it('notify gets the link before the execution is suspended', async () => {
    const server = serve({ publicUrl: 'https://orders.example/api/' })
    const { executionId } = await start(server, 'approval')
    expect(urls).toEqual([expect.stringMatching(/^https:\/\/orders\.example\/api\/links\//)])
    const { resumeUrl } = await record(server, 'approval', executionId)
    expect(resumeUrl).toMatch(/^https:\/\/orders\.example\/api\/links\//)
    const path = pathOf(urls[0]).replace('/api', '')
    expect((await submit(server, path, { approved: 'true', level: 'low' })).status).toBe(200)
    await expect.poll(() => record(server, 'approval', executionId)).toMatchObject({ status: 'completed' })
    expect(urls).toHaveLength(1)
  })

  it('the link to one suspension of a step does not open the next one', async () => {
    const server = serve()
    const { executionId } = await start(server, 'chain')
    const first = (await record(server, 'chain', executionId)).resumeUrl
    await dataOf(server.post(pathOf(first), { resumeData: 'again' }))
    await expect
      .poll(() => record(server, 'chain', executionId))
      .toMatchObject({ suspension: { reason: 'Again?' } })
    const second = (await record(server, 'chain', executionId)).resumeUrl
    expect(second).not.toBe(first)
    expect((await server.request(pathOf(first))).status).toBe(404)
    expect(await (await server.request(pathOf(second))).text()).toContain('Again?')
    expect((await submit(server, pathOf(second), { $json: '"done"' })).status).toBe(200)
    await expect.poll(() => record(server, 'chain', executionId)).toMatchObject({ output: 'done' })
  })

  it('only steps that wait for a person have a link', async () => {
    const server = serve()
    for (const workflow of ['sleeping', 'waiting']) {
      const { executionId, status } = await start(server, workflow)
      expect(status).toBe('suspended')
      expect(await record(server, workflow, executionId)).not.toHaveProperty('resumeUrl')
    }
  })

  it('a link that was changed, forged or has expired is a 404', async () => {
    vi.stubEnv('AGENTSERVER_LINK_SECRET', 'a secret')
    const server = serve({ linkTtl: '1h' })
    const { executionId } = await start(server, 'approval')
    const token =
      pathOf((await record(server, 'approval', executionId)).resumeUrl)
        .split('/')
        .at(-1) ?? ''
    const [payload = '', signature = ''] = token.split('.')
    const [, , , expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as number[]
    expect(Number(expiresAt) - Date.now()).toBeGreaterThan(3_500_000)
    expect(Number(expiresAt) - Date.now()).toBeLessThan(3_600_001)
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const other = encoded([executionId, 'approve', 0, Date.now() + 9e9])
    const expired = new ResumeLinks(() => 'a secret').tokenOf({
      executionId,
      path: 'approve',
      resumes: 0,
      expiresAt: Date.now() - 1,
    })
    const foreign = new ResumeLinks(() => 'another').tokenOf({
      executionId,
      path: 'approve',
      resumes: 0,
      expiresAt: Date.now() + 9e9,
    })
    const unsigned = createHmac('sha256', '').update(`resume ${other}`).digest('base64url')
    for (const wrong of [`${other}.${signature}`, `${other}.${unsigned}`, `${payload}.AA`, expired, foreign])
      for (const response of [
        await server.request(`/links/${wrong}`),
        await server.post(`/links/${wrong}`, { resumeData: { approved: true, level: 'low' } }),
      ])
        expect(response.status).toBe(404)
    expect((await server.request(`/links/${token}`)).status).toBe(200)
  })

  it('a link expires with the timeout of its suspension', async () => {
    const server = serve()
    const { executionId } = await start(server, 'timed')
    const token =
      pathOf((await record(server, 'timed', executionId)).resumeUrl)
        .split('/')
        .at(-1) ?? ''
    const [, , , expiresAt] = JSON.parse(
      Buffer.from(token.split('.')[0] ?? '', 'base64url').toString(),
    ) as number[]
    expect(Number(expiresAt) - Date.now()).toBeLessThan(3_600_001)
  })

  it('in production without the secret there are no links, notify is not called, and the log names the variable', async () => {
    vi.stubEnv('AGENTSERVER_LINK_SECRET', '')
    const server = serve({ publicUrl: 'https://orders.example' }, { production: true })
    const { executionId, status } = await start(server, 'approval')
    expect([status, urls]).toEqual(['suspended', []])
    expect(await record(server, 'approval', executionId)).not.toHaveProperty('resumeUrl')
    expect(server.logs.map(({ msg }) => msg)).toContainEqual(
      expect.stringContaining('AGENTSERVER_LINK_SECRET is not set'),
    )
    vi.stubEnv('AGENTSERVER_LINK_SECRET', 'a secret of the operator')
    await start(server, 'approval')
    expect(urls).toHaveLength(1)
  })

  describe('with an auth provider', () => {
    const as = (user: string) => ({ authorization: `Bearer ${user}` })
    const withAuth = (authNext: Partial<AuthNext> = {}) =>
      serve({
        authNext: { provider: { type: 'test', verifyToken: (token) => ({ id: token }) }, ...authNext },
      })
    const body = { resumeData: { approved: true, level: 'low' } }

    it('whoever has a link resumes without a token, also under ownership strict', async () => {
      for (const rules of [{}, { ownership: 'strict' as const }]) {
        const server = withAuth(rules)
        const { executionId } = await start(server, 'approval', as('ann'))
        const { resumeUrl } = await record(server, 'approval', executionId, as('ann'))
        expect((await server.request(pathOf(resumeUrl))).status).toBe(200)
        expect(await dataOf(server.post(pathOf(resumeUrl), body))).toMatchObject({ executionId })
      }
    })

    it('resumableBy other than users closes links', async () => {
      const server = withAuth()
      const { executionId } = await start(server, 'closed', as('ann'))
      expect(urls).toEqual([])
      expect(await record(server, 'closed', executionId, as('ann'))).not.toHaveProperty('resumeUrl')
      expect(server.logs.map(({ msg }) => msg)).toContainEqual(
        expect.stringContaining("resumableBy: 'others'"),
      )
    })

    it('authorize decides about a link, and about who gets one', async () => {
      const asked: AuthorizeRequest[] = []
      let open = true
      const server = withAuth({
        authorize: (request) => {
          asked.push(request)
          return request.over === 'link' ? open : request.action !== 'resume' || request.user?.id === 'boss'
        },
      })
      const { executionId } = await start(server, 'approval', as('ann'))
      expect(await record(server, 'approval', executionId, as('ann'))).not.toHaveProperty('resumeUrl')
      const { resumeUrl } = await record(server, 'approval', executionId, as('boss'))
      open = false
      expect((await server.request(pathOf(resumeUrl))).status).toBe(404)
      expect((await server.post(pathOf(resumeUrl), body)).status).toBe(404)
      open = true
      expect((await server.post(pathOf(resumeUrl), body)).status).toBe(200)
      expect(asked.findLast(({ over }) => over === 'link')).toEqual({
        user: undefined,
        action: 'resume',
        over: 'link',
        resource: { kind: 'execution', id: executionId, ownerId: 'ann' },
      })
    })
  })
})
