import { createAgent, demoModel } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { expect, it } from 'vitest'
import { GuardedServer, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'

const everyRoute = { provider: provider(), consoleRoutes: [] }
const MODES: Readonly<Record<string, AgentServerConfig>> = {
  'the default': { authNext: everyRoute },
  "ownership: 'strict'": { authNext: { ...everyRoute, ownership: 'strict' } },
  'legacy auth': { auth: provider() },
}
const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'x', model: demoModel() })
const ada = bearer(await tokenOf({ sub: 'ada' }))
const bob = bearer(await tokenOf({ sub: 'bob' }))

it.each(Object.keys(MODES))(
  'the case of an agent run: under %s only its user and operators get it',
  async (mode) => {
    const server = new GuardedServer({ agents: [helper], ...MODES[mode] })
    const json = { input: 'Good morning' }
    const response = await server.request('/agents/helper/text', { method: 'POST', headers: ada, json })
    const { data } = (await response.json()) as { data: { id: string } }
    const path = `/observability/agents/helper/runs/${data.id}/case`
    const statusFor = async (headers: Readonly<Record<string, string>>, method = 'GET') =>
      (await server.request(path, { method, headers })).status
    expect(await statusFor(ada)).toBe(200)
    expect(await statusFor(bob)).toBe(404)
    expect(await statusFor(bob, 'POST')).toBe(404)
    // not under dev
    expect(await statusFor(ada, 'POST')).toBe(409)
    await server.close()
  },
)

it('the case of an agent run is open to the console key, and to no user, by default', async () => {
  const server = new GuardedServer({ agents: [helper], authNext: { provider: provider() } })
  const json = { input: 'Good morning' }
  const response = await server.request('/agents/helper/text', { method: 'POST', headers: ada, json })
  const { data } = (await response.json()) as { data: { id: string } }
  const path = `/observability/agents/helper/runs/${data.id}/case`
  expect((await server.request(path, { headers: keyHeader() })).status).toBe(200)
  expect((await server.request(path, { headers: ada })).status).toBe(401)
  await server.close()
})
