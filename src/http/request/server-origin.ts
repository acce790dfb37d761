import { isAllowedHost } from '../../auth/origin-rules.ts'
import type { TrustedOrigins } from '../../auth/origin-rules.ts'

/**
 * The server's origin as the client addressed it, for links in the response. Of a proxy's headers, only the
 * scheme and a host in `allowedHosts` are used, so that a forged header can't produce links to another site.
 */
export function serverOrigin(request: Request, trusted: TrustedOrigins): string {
  const { protocol, host } = new URL(request.url)
  const { headers } = request
  const isSecure = headers.get('x-forwarded-proto')?.toLowerCase() === 'https'
  const forwarded = headers.get('x-forwarded-host')?.toLowerCase() ?? ''
  const isKnown = isHost(forwarded) && isAllowedHost(forwarded, trusted)
  return `${isSecure ? 'https:' : protocol}//${isKnown ? forwarded : host}`
}

function isHost(text: string): boolean {
  return URL.canParse(`http://${text}`) && new URL(`http://${text}`).host === text
}
