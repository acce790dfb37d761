// Prints a token for development, as the identity provider would sign it:
//   npm run --silent token -- [user] [tenant] [role]
import { SignJWT } from 'jose'

const [user = 'ada', tenantId = 'north', role = 'member'] = process.argv.slice(2)
const secret = process.env['JWT_SECRET']
if (!secret) throw new Error('JWT_SECRET is not set: run "npm run setup" first')

const token = await new SignJWT({ tenantId, role, email: `${user}@example.com` })
  .setProtectedHeader({ alg: 'HS256' })
  .setSubject(user)
  // as src/identity-provider.ts requires
  .setAudience('sales')
  .setIssuer('https://id.example')
  .setIssuedAt()
  .setExpirationTime('8h')
  .sign(new TextEncoder().encode(secret))
console.log(token)
