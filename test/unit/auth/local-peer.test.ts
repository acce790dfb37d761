import { execFile } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { isOnThisMachine, isOwnUser } from '../../../src/auth/local-peer.ts'

const NOBODY = 65_534
/** Only root can start a process of another user, and only Linux tells whose a connection is. */
const canBeOther = process.platform === 'linux' && process.getuid?.() === 0
const run = promisify(execFile)

/** A server on an address, and the first connection that it gets. */
async function listening(host: string): Promise<{ port: number; accepted: Promise<Socket> }> {
  const server = net.createServer().listen(0, host)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const accepted = once(server, 'connection').then(([socket]) => {
    onTestFinished(() => void (socket as Socket).destroy())
    return socket as Socket
  })
  return { port: (server.address() as AddressInfo).port, accepted }
}

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.9'],
  ['::1', '::1'],
  // a server for both IP versions sees IPv4 clients as ::ffff:127.0.0.1
  ['::', '127.0.0.1'],
])('a connection to %s from %s of this process is one of its own user', async (host, localAddress) => {
  const { port, accepted } = await listening(host)
  const client = net.connect({ port, localAddress, host: localAddress === '::1' ? '::1' : '127.0.0.1' })
  onTestFinished(() => void client.destroy())
  const socket = await accepted
  expect([isOnThisMachine(socket), isOwnUser(socket)]).toEqual([true, true])
})

it.skipIf(!canBeOther)('a connection of another user of the machine is not one of its own user', async () => {
  const { port, accepted } = await listening('127.0.0.1')
  const code = `require('node:net').connect(${port}, '127.0.0.1').on('end', () => process.exit()).resume()`
  const other = run(process.execPath, ['-e', code], { uid: NOBODY, gid: NOBODY, cwd: '/' })
  const socket = await accepted
  expect([isOnThisMachine(socket), isOwnUser(socket)]).toEqual([true, false])
  socket.end()
  await other
})

it('a request without a socket was made in this process', () => {
  expect([isOnThisMachine(undefined), isOwnUser(undefined)]).toEqual([true, true])
})

it.each(['192.168.1.21', '::ffff:192.168.1.21', 'fe80::1%eth0', '128.0.0.1', '::2', undefined])(
  'a connection from %s was not made on this machine, and neither was one that is closed',
  (remoteAddress) => {
    const socket = { remoteAddress, remotePort: 50_000, localAddress: '192.168.1.20', localPort: 3141 }
    expect([isOnThisMachine(socket), isOwnUser(socket)]).toEqual([false, false])
  },
)

it('a connection from the address that it was made to was made on this machine', () => {
  const address = '192.168.1.20'
  const socket = { remoteAddress: address, remotePort: 50_000, localAddress: address, localPort: 3141 }
  expect(isOnThisMachine(socket)).toBe(true)
})
