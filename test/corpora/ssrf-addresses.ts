/** Ways to write an address that is not public, gathered from what is known to have got past guards. One corpus for everything that fetches. */

/** Each is an address of this machine, of its network or of a metadata service, in a form that some parser takes. */
export const NOT_PUBLIC: readonly string[] = [
  '127.0.0.1', 'localhost', 'localhost.', 'LOCALHOST', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'local\u00adhost', 'a.localhost', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0x7F.1', '0x7f.1', '0x0000007f.1', '017700000001', '0177.0.0.1', '0177.1', '0177.0x0.1', '00000177.0.0.1',
  '127.0.0.1.', '127.127.127.127', '0', '0.0.0.0', '0x0', '0.0', '[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:1]', '[::ffff:0:127.0.0.1]', '[::ffff:0:7f00:1]', '[::127.0.0.1]',
  '[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:0.0.0.0]', '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:7f00:1::1]', '[2002:a9fe:a9fe::]', '[2001:0:7f00:1::]', '[2001:db8::1]', '[100::1]', '[4000::1]',
  '[fe80::1]', '[fec0::1]', '[fd00::1]', '[fc00::1]', '[ff02::1]', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '𝟙𝟚𝟟.𝟘.𝟘.𝟙', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '%31%32%37.0.0.1', '127%2e0%2e0%2e1', '0x7f。1',
  '10.0.0.1', '10.1', '0xa.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.257', '3232235521', '100.64.0.1', '198.18.0.1', '192.0.2.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
  '169.254.169.254', '2852039166', '0xA9FEA9FE', '0xa9.0xfe.0xa9.0xfe', '0251.0376.0251.0376', '0251.254.169.254', '169.254.43518', '169.16689662', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16',
  '[fd00:ec2::254]', '[fd20:ce::254]', '１６９.２５４.１６９.２５４',
];

/** Hosts that no parser takes for an address, or takes for another one than it looks like: reached is nothing either way. */
export const NO_HOST: readonly string[] = [
  '[fe80::1%25lo]', '[fe80::1%lo]', '[::1%25lo]', '127.0.0.1%00.example.org', '127.0.0.1%0d%0a', 'localhost%00', '0x7f.0x0.0x0.0x100', '4294967297', '256.256.256.256', '127.0.0.0.1', '١٢٧.٠.٠.١', '[::ffff:127.0.0.1', '::1', '127.0.0.1:PORT:PORT', '[127.0.0.1]', '[v1.127.0.0.1]',
];

/** Whole addresses that lead elsewhere than a reader thinks, or over another protocol. `PORT` is that of the server that must not be reached. */
export const TRICKS: readonly string[] = [
  'http://93.184.216.34@127.0.0.1:PORT/', 'http://93.184.216.34:80\\@127.0.0.1:PORT/', 'http://user:pass@127.0.0.1:PORT/', 'http://127.0.0.1:PORT#@93.184.216.34/', 'http://127.0.0.1:PORT?@93.184.216.34/', 'http://127.0.0.1:PORT\\.example.org/', 'http:127.0.0.1:PORT/',
  'http:/127.0.0.1:PORT/', 'http:///127.0.0.1:PORT/', 'http:\\\\127.0.0.1:PORT\\', '//127.0.0.1:PORT/', '\\\\127.0.0.1:PORT\\', 'hTTp://127.0.0.1:PORT/', ' http://127.0.0.1:PORT/', '\thttp://127.0.0.1:PORT/', 'ht\ntp://127.0.0.1:PORT/', 'http://127.0.0.1\t:PORT/', 'http://127.0.\n0.1:PORT/',
  'https://127.0.0.1:PORT/', 'ws://127.0.0.1:PORT/', 'gopher://127.0.0.1:PORT/_x', 'ftp://127.0.0.1:PORT/', 'dict://127.0.0.1:PORT/', 'file:///etc/passwd', 'file://127.0.0.1/etc/passwd', 'jar:http://127.0.0.1:PORT/!/', 'view-source:http://127.0.0.1:PORT/', 'blob:http://127.0.0.1:PORT/x', 'feed:http://127.0.0.1:PORT/',
];
