// Which addresses a request to an address that others chose may go to: none of this machine, its networks, or the metadata of a cloud.
// Gap: a public address by which a router leads back to this machine is known to the router only.
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Where clouds answer with credentials, and what no router passes on; no setting allows it. */
const NEVER = toBlockList([
  '169.254.0.0/16',
  'fe80::/10',
  // Of AWS, Google, Alibaba, Azure and Oracle.
  ...['fd00:ec2::/32', 'fd20:ce::254/128', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  '0.0.0.0/8',
  '::/128',
  '224.0.0.0/4',
  'ff00::/8',
  '255.255.255.255/32',
  // Tunnels and translations that hold an IPv4 address in ways of their own.
  ...['64:ff9b:1::/48', '2001::/32'],
])
const PRIVATE = toBlockList([
  ...[
    '127.0.0.0/8',
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '100.64.0.0/10',
    '192.0.0.0/24',
    '198.18.0.0/15',
    '240.0.0.0/4',
  ],
  ...['::/96', '::ffff:0:0:0/96', 'fc00::/7', 'fec0::/10', '2002::/16', '100::/64'],
])

/** Why a request may not go to this IP address; undefined if it may. */
export function findAddressProblem(address: string, mayBePrivate: boolean): string | undefined {
  const places = [address, ...listEmbedded(address)]
  if (places.some((place) => isIP(place) === 0 || isIn(NEVER, place)))
    return `${address} is an address that nothing may be sent to`
  if (!mayBePrivate && places.some((place) => isIn(PRIVATE, place) || isIn(listOwnAddresses(), place)))
    return `${address} is an address of this machine or its networks`
  return undefined
}

/** The first groups of IPv6 addresses that lead to an IPv4 address, and the place of that in them. */
const EMBEDDING = [
  // Mapped, compatible, translated (SIIT), NAT64, 6to4.
  { beginning: [0, 0, 0, 0, 0, 0xffff], at: 6 },
  { beginning: [0, 0, 0, 0, 0, 0], at: 6 },
  { beginning: [0, 0, 0, 0, 0xffff, 0], at: 6 },
  { beginning: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { beginning: [0x2002], at: 1 },
]

function listEmbedded(address: string): string[] {
  const groups = toGroups(address)
  const isLoopback = groups.join() === '0,0,0,0,0,0,0,1'
  if (isLoopback || groups.length !== 8) return []
  return EMBEDDING.filter(({ beginning }) => beginning.every((group, index) => groups[index] === group)).map(
    ({ at }) => {
      const [high = 0, low = 0] = groups.slice(at)
      return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
    },
  )
}

/** The eight numbers of an IPv6 address; none of anything else. */
function toGroups(address: string): number[] {
  // The address of a page is written in one way, without dots.
  const written = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
  if (written === undefined) return []
  const [before = [], after = []] = written.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
}

function listOwnAddresses(): BlockList {
  const list = new BlockList()
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
    list.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4')
  return list
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}
