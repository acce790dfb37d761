import { jwtAuth, type AuthProvider } from 'agentserver'

/** Whom tokens are for. */
export const AUDIENCE = 'sales'
/** Who signs them. */
export const ISSUER = 'https://id.example'

const ROLES = ['member', 'admin']

/**
 * Recognises users by tokens that are signed with a secret. An identity provider signs with a private key: give
 * its `jwksUri` and `algorithms: ['RS256']` instead of the secret.
 */
export function identityProvider(secret: string | undefined): AuthProvider {
  return jwtAuth({
    secret,
    verifyOptions: { audience: AUDIENCE, issuer: ISSUER },
    mapUser: ({ sub, email, tenantId, role }) => {
      // whoever belongs to no tenant is nobody here
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
