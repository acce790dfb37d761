import { describe, expect, it } from 'vitest'
import { accessPolicy } from '../../../src/auth/access-policy.ts'
import type { AccessPolicy } from '../../../src/auth/access-policy.ts'
import type { AuthProvider } from '../../../src/contract/auth.ts'
import { ENDPOINTS } from '../../../src/contract/index.ts'
import type { EndpointKey } from '../../../src/contract/index.ts'

const provider: AuthProvider = { type: 'custom', verifyToken: () => null, publicRoutes: ['GET /hooks/:name'] }

const ofEndpoint = (policy: AccessPolicy, key: EndpointKey) => {
  const endpoint = ENDPOINTS[key]
  return policy.requirement({ method: endpoint.method, path: endpoint.path }, endpoint)
}
const ofCustom = (policy: AccessPolicy, method: string, path: string) =>
  policy.requirement({ method, path }, undefined)

describe('authNext', () => {
  it('requires the console key or a user token by the class of the endpoint', () => {
    const policy = accessPolicy({ authNext: { provider } }, false)
    expect(policy.mode).toBe('authNext')
    expect(ofEndpoint(policy, 'listWorkflows')).toBe('console')
    expect(ofEndpoint(policy, 'executeWorkflow')).toBe('user')
    expect(ofEndpoint(policy, 'getHealth')).toBe('public')
    expect(ofCustom(policy, 'GET', '/hello')).toBe('user')
    expect(ofCustom(policy, 'GET', '/hooks/github')).toBe('public')
    expect(ofCustom(policy, 'WS', '/ws/logs')).toBe('console')
  })

  it('makes a route public that is also a console route', () => {
    const policy = accessPolicy({ authNext: { provider, publicRoutes: ['GET /workflows'] } }, false)
    expect(ofEndpoint(policy, 'listWorkflows')).toBe('public')
  })

  it('replaces the default console routes with consoleRoutes', () => {
    const policy = accessPolicy({ authNext: { provider, consoleRoutes: ['/admin/*'] } }, false)
    expect(ofCustom(policy, 'GET', '/admin/users')).toBe('console')
    expect(ofEndpoint(policy, 'listWorkflows')).toBe('user')
  })

  it('requires both credentials for setup-observability in production', () => {
    expect(ofEndpoint(accessPolicy({ authNext: { provider } }, true), 'setupObservability')).toBe(
      'user-and-console',
    )
    expect(ofEndpoint(accessPolicy({ authNext: { provider } }, false), 'setupObservability')).toBe('user')
  })
})

describe('legacy auth', () => {
  it.each([
    [false, 'console-or-user'],
    [true, 'console'],
  ] as const)(
    'production %s: requires %s for observability, updates and channels',
    (production, required) => {
      const policy = accessPolicy({ auth: provider }, production)
      expect(ofEndpoint(policy, 'listTraces')).toBe(required)
      expect(ofEndpoint(policy, 'getUpdates')).toBe(required)
      expect(ofCustom(policy, 'WS', '/ws')).toBe(required)
      expect(ofEndpoint(policy, 'listWorkflows')).toBe('public')
      expect(ofEndpoint(policy, 'executeWorkflow')).toBe('user')
      expect(ofCustom(policy, 'GET', '/hello')).toBe('public')
    },
  )

  it('makes custom routes private with defaultPrivate, and no default public route', () => {
    const policy = accessPolicy({ auth: { ...provider, defaultPrivate: true } }, false)
    expect(ofCustom(policy, 'GET', '/hello')).toBe('user')
    expect(ofEndpoint(policy, 'listWorkflows')).toBe('public')
  })
})

it('authNext takes precedence over auth, and without both every route is public', () => {
  expect(accessPolicy({ auth: provider, authNext: { provider } }, false).mode).toBe('authNext')
  const open = accessPolicy({}, true)
  expect(open.mode).toBe('none')
  expect(ofEndpoint(open, 'executeWorkflow')).toBe('public')
})
