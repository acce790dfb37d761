import { jwtAuth, type AuthProvider } from 'agentserver'

/** The `aud` claim of the tokens. */
export const AUDIENCE = 'sales'
/** The `iss` claim of the tokens. */
export const ISSUER = 'https://id.example'

const ROLES = ['member', 'admin']

/**
 * Verifies tokens that are signed with a secret. Identity providers sign with a private key: pass their `jwksUri`
 * and `algorithms: ['RS256']` instead of the secret.
 */
export function identityProvider(secret: string | undefined): AuthProvider {
  return jwtAuth({
    secret,
    verifyOptions: { audience: AUDIENCE, issuer: ISSUER },
    mapUser: ({ sub, email, tenantId, role }) => {
      // a token without a tenant is rejected
      if (sub === undefined || typeof tenantId !== 'string') return null
      return {
        id: sub,
        tenantId,
        role: ROLES.find((known) => known === role) ?? 'member',
        ...(typeof email === 'string' && { email }),
      }
    },
  })
}
