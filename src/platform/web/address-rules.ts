// Which addresses a request to an address that others chose may go to: none of this machine, its networks, or the metadata of a cloud.
import { BlockList, isIP } from 'node:net'

/** Where clouds answer with credentials, and what no router passes on; no setting allows it. */
const NEVER = toBlockList([
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32',
  '0.0.0.0/8',
  '::/128',
  '224.0.0.0/4',
  'ff00::/8',
  '255.255.255.255/32',
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
  ...['::1/128', 'fc00::/7', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '100::/64'],
])

/** Why a request may not go to this IP address; undefined if it may. */
export function findAddressProblem(address: string, mayBePrivate: boolean): string | undefined {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(address) === 0 || NEVER.check(address, family)) return `${address} is an address that nothing may be sent to`
  if (!mayBePrivate && PRIVATE.check(address, family)) return `${address} is an address of this machine or its networks`
  return undefined
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}
