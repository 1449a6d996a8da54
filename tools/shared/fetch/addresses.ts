/** Which addresses a page may be fetched from (hermes-runtime 7.9). Pure. */
import ipaddr from 'ipaddr.js';

export type AddressVerdict = 'public' | 'private' | 'forbidden';

/** Ranges that `security.allow_private_urls` opens. Everything else that is not public stays shut. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);
/**
 * Services of cloud providers that hand out credentials to whoever asks, beside 169.254.0.0/16, which is link-local as a whole:
 * Alibaba, Oracle, Azure's wire server, AWS over IPv6. Never opened.
 */
const METADATA: ReadonlySet<string> = new Set(['100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254']);
/** The only part of IPv6 that is handed out to the public (RFC 4291, 2.4). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** For one numeric address, IPv4 or IPv6. What cannot be read is forbidden. */
export function judgeAddress(text: string): AddressVerdict {
  if (!ipaddr.isValid(text)) return 'forbidden';
  const address = ipaddr.process(text);
  if (METADATA.has(address.toString())) return 'forbidden';
  const range = address.range();
  if (PRIVATE_RANGES.has(range)) return 'private';
  if (range !== 'unicast') return 'forbidden';
  return address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST) ? 'forbidden' : 'public';
}
