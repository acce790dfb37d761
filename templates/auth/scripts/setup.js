// Creates a .env with random values, unless it exists.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'

const random = () => randomBytes(32).toString('hex')

try {
  const text = `JWT_SECRET=${random()}\nSERVICE_CONSOLE_ACCESS_KEY=${random()}\n`
  writeFileSync('.env', text, { flag: 'wx', mode: 0o600 })
  console.log('Created .env with a new JWT_SECRET and SERVICE_CONSOLE_ACCESS_KEY')
} catch (error) {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  console.log('.env already exists and was not changed')
}
