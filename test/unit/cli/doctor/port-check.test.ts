import { expect, test } from 'vitest'
import { checkPort } from '../../../../src/cli/doctor/port-check.ts'

test('an address that this machine does not have is an error', async () => {
  const address = { port: 3141, host: '203.0.113.1', portIsSet: false }
  expect(await checkPort(address, undefined)).toMatchObject({
    status: 'error',
    message: 'Cannot listen on 203.0.113.1:3141 (EADDRNOTAVAIL)',
  })
})
