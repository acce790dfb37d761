import { type TrustedOrigins, isAllowedHost } from '../../auth/origin-rules.ts'

/**
 * The origin under which a request reached the server, for links in the answer. Of what a proxy says only that
 * counts which can't lead elsewhere: that it was reached by https, and a host that is among `allowedHosts`.
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
