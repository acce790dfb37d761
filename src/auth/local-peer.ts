import fs from 'node:fs'
import { isIP } from 'node:net'
import type { Socket } from 'node:net'
import os from 'node:os'

/** The two ends of a connection. The remote address is missing when it has been closed. */
export type PeerSocket = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

/** Root reads the files of all users. */
const ROOT = 0

/**
 * Whether a request was made on this machine. Addresses that headers claim don't count.
 *
 * @param socket `undefined` for a request that was made in this process
 */
export function isOnThisMachine(socket: PeerSocket | undefined): boolean {
  if (!socket) return true
  const { remoteAddress, localAddress } = socket
  if (remoteAddress === undefined) return false
  // a connection from the machine to an address of its own has it at both ends
  return isLoopbackAddress(plain(remoteAddress)) || remoteAddress === localAddress
}

/**
 * Whether a request was made on this machine by a process that may read the files of this process: of the same user,
 * or of root. Where the system does not tell (other than Linux), all processes of the machine count.
 *
 * @param socket `undefined` for a request that was made in this process
 */
export function isOwnUser(socket: PeerSocket | undefined): boolean {
  if (!isOnThisMachine(socket)) return false
  const own = process.geteuid?.()
  if (!socket || own === undefined || process.platform !== 'linux') return true
  const user = userOf(socket)
  return user === own || user === ROOT
}

/** The user id of the process at the other end of a connection within this Linux machine. */
function userOf({ remoteAddress, remotePort, localAddress, localPort }: PeerSocket): number | undefined {
  if (remotePort === undefined || localPort === undefined) return undefined
  const peers = procAddresses(remoteAddress ?? '', remotePort)
  const servers = procAddresses(localAddress ?? '', localPort)
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of readLines(file)) {
      // sl, local_address, rem_address, st, tx_queue:rx_queue, tr:tm->when, retrnsmt, uid
      const [, local = '', remote = '', , , , , uid] = line.trim().split(/\s+/)
      if (peers.includes(local) && servers.includes(remote)) return Number(uid)
    }
  return undefined
}

function readLines(file: string): string[] {
  try {
    return fs.readFileSync(file, 'latin1').split('\n')
  } catch (error) {
    // a kernel without IPv6, or a system that hides the table
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return []
  }
}

/** An address as the kernel prints it. Sockets for both IP versions have IPv4 addresses mapped to IPv6. */
function procAddresses(address: string, port: number): string[] {
  const end = `:${hex(port, 4)}`
  const text = plain(address)
  if (isIP(text) !== 4) return isIP(text) === 6 ? [words(bytesOfIpv6(text)) + end] : []
  const bytes = text.split('.').map(Number)
  return [bytes, [...Array<number>(10).fill(0), 255, 255, ...bytes]].map((one) => words(one) + end)
}

/** Words of four bytes in the byte order of the machine. */
function words(bytes: readonly number[]): string {
  return Array.from({ length: bytes.length / 4 }, (_, index) => {
    const word = bytes.slice(index * 4, index * 4 + 4)
    return (os.endianness() === 'LE' ? word.toReversed() : word).map((byte) => hex(byte, 2)).join('')
  }).join('')
}

function bytesOfIpv6(address: string): number[] {
  const [start = '', end] = address.replace(/%.*$/, '').split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)))
  const [first, last] = [groups(start), groups(end ?? '')]
  const zeros = Array<number>(8 - first.length - last.length).fill(0)
  return [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 255])
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}

/** An IPv4 address that a socket for both IP versions has mapped to IPv6, as IPv4. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}
